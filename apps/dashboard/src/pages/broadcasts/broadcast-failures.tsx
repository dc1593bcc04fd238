import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { peopleCounted } from '../../components/format-number';
import { shownReason } from '../../components/shown-status';
import { TYPED } from '../../components/typed-text';

/** The most frequent reasons. The API lists at most 20, and the rest is one line. */
export function BroadcastFailures({
  failures,
  failed,
  onPick,
}: Pick<Schemas['Broadcast'], 'failures' | 'failed'> & { onPick: (reason: string) => void }) {
  const others = failed - failures.reduce((sum, { count }) => sum + count, 0);
  return (
    <Paper withBorder p="md">
      <Title order={4} size="h5" mb="xs">
        Why messages failed
      </Title>
      <Stack gap="xs">
        {failures.map(({ reason, count }) => (
          <Group key={reason} justify="space-between" wrap="nowrap" align="flex-start">
            <Text size="sm" {...TYPED}>
              {shownReason(reason)}
            </Text>
            <Anchor component="button" type="button" size="sm" onClick={() => onPick(reason)} style={{ whiteSpace: 'nowrap' }}>
              {peopleCounted(count)}
            </Anchor>
          </Group>
        ))}
        {others > 0 && (
          <Text size="sm" c="dimmed">
            {peopleCounted(others)} for other reasons, which the download names.
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
