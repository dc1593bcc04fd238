import { Anchor, Center, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTitle } from './use-title';

export function NotFoundPage() {
  useTitle('Page not found');
  return (
    <Center mih="60vh">
      <Stack align="center">
        <Title order={1} size="h2">
          Page not found
        </Title>
        <Anchor component={Link} to="/">
          Back to the start
        </Anchor>
      </Stack>
    </Center>
  );
}
