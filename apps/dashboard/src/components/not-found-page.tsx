import { Anchor, Center, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTitle } from './use-title';

export function NotFoundPage() {
  useTitle('No such page');
  return (
    <Center mih="60vh">
      <Stack align="center">
        <Title order={1} size="h2">
          There is no such page
        </Title>
        <Anchor component={Link} to="/">
          Back to the start
        </Anchor>
      </Stack>
    </Center>
  );
}
