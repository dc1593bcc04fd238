import { Group, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { useTitle } from './use-title';
import { Dimmed } from './dimmed';

export function PageTitle({ title, about, children }: { title: string; about?: string; children?: ReactNode }) {
  useTitle(title);
  // A view that replaces another one at the same path, such as an editor, begins at its top.
  useEffect(() => void scrollTo(0, 0), []);
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="sm">
      <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        <Title order={1} size="h2">
          {title}
        </Title>
        {about && <Dimmed>{about}</Dimmed>}
      </div>
      <Group gap="xs">{children}</Group>
    </Group>
  );
}
