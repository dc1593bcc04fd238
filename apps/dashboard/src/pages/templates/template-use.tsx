import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { number } from '../../components/format-number';

/** How often a template was sent in the last seven days, in all languages, with the way to these messages. @param sent null if not known */
export function TemplateUse({ name, sent }: { name: string; sent: number | null }) {
  if (sent === null) return null;
  if (sent === 0)
    return (
      <Text size="xs" c="dimmed">
        Not sent in 7 days
      </Text>
    );
  return (
    <Anchor size="xs" renderRoot={(props) => <Link {...props} to="/messages" search={{ period: '7d', template: name }} />}>
      {number(sent)} sent in 7 days
    </Anchor>
  );
}
