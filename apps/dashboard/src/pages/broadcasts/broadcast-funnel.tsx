import { Box, Group, Paper, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { number, percent } from '../../components/format-number';
import type { RecipientFilter } from './recipient-filter';

type Step = { filter: RecipientFilter; label: string; count: number; color: string };

/** From all recipients to those who replied, and those who failed, as shares of all. Each step filters the recipients below. */
export function BroadcastFunnel({
  broadcast: { total_recipients: total, sent, delivered, read, replied, failed },
  onPick,
}: {
  broadcast: Schemas['Broadcast'];
  onPick: (filter: RecipientFilter) => void;
}) {
  const steps: Step[] = [
    { filter: 'sent', label: 'Sent', count: sent, color: 'green.8' },
    { filter: 'delivered', label: 'Delivered', count: delivered, color: 'green.7' },
    { filter: 'read', label: 'Read', count: read, color: 'green.6' },
    { filter: 'replied', label: 'Replied within a day', count: replied, color: 'green.5' },
    { filter: 'failed', label: 'Failed', count: failed, color: 'red.7' },
  ];
  return (
    <Paper withBorder p="md">
      <Title order={4} size="h5" mb="xs">
        From sent to replied
      </Title>
      <Stack gap={4}>
        {steps.map(({ filter, label, count, color }) => (
          <UnstyledButton key={filter} onClick={() => onPick(filter)} py={4} title="Show these recipients">
            <Group justify="space-between" wrap="nowrap">
              <Text size="sm">{label}</Text>
              <Text size="sm" fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
                {number(count)}
                <Text span size="sm" c="dimmed" fw={400}>
                  {` · ${percent(count, total)}`}
                </Text>
              </Text>
            </Group>
            <Box h={8} mt={4} bg="var(--mantine-color-default-hover)" style={{ borderRadius: 4, overflow: 'hidden' }}>
              <Box h="100%" bg={color} style={{ borderRadius: 4 }} w={`${total === 0 ? 0 : (count / total) * 100}%`} />
            </Box>
          </UnstyledButton>
        ))}
        <Text size="xs" c="dimmed">
          Shares of all recipients.
        </Text>
        {failed > 0 && (
          <Text size="xs" c="dimmed">
            Failed includes people to whom nothing was sent, such as opted-out contacts. Home, Usage and Templates count messages only;
            their number of sent messages includes those that failed later.
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
