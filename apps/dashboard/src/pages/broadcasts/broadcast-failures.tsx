import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { peopleCounted } from '../../components/format-number';

export function BroadcastFailures({ failures, onPick }: Pick<Schemas['Broadcast'], 'failures'> & { onPick: (reason: string) => void }) {
  return (
    <Paper withBorder p="md">
      <Title order={4} size="h5" mb="xs">
        Why messages failed
      </Title>
      <Stack gap="xs">
        {failures.map(({ reason, count }) => (
          <Group key={reason} justify="space-between" wrap="nowrap" align="flex-start">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {reason}
            </Text>
            <Anchor component="button" type="button" size="sm" onClick={() => onPick(reason)} style={{ whiteSpace: 'nowrap' }}>
              {peopleCounted(count)}
            </Anchor>
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}
