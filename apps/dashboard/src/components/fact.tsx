import { Stack, Text } from '@mantine/core';
import { Dimmed } from './dimmed';

export function Fact({ name, value }: { name: string; value: string | null }) {
  return (
    <Stack gap={0}>
      <Dimmed size="xs">{name}</Dimmed>
      <Text size="sm">{value ?? 'Not known'}</Text>
    </Stack>
  );
}
