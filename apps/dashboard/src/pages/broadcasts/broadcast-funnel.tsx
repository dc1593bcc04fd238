import { Box, Group, Paper, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import type { Schemas } from '../../api/client';
import type { Part } from '../../components/bar';
import { number, percent } from '../../components/format-number';
import { partColor } from '../../components/parts-legend';
import type { RecipientFilter } from './recipient-filter';

type Step = Part & { filter: RecipientFilter; count: number };

/** From all recipients to those who replied, and those who failed, as shares of all. Each step filters the recipients below. */
export function BroadcastFunnel({
  broadcast: { total_recipients: total, sent, delivered, read, replied, failed },
  onPick,
}: {
  broadcast: Schemas['Broadcast'];
  onPick: (filter: RecipientFilter) => void;
}) {
  const steps: Step[] = [
    { filter: 'sent', name: 'Sent', count: sent, color: 'green-8', dark: 'green-6' },
    { filter: 'delivered', name: 'Delivered', count: delivered, color: 'green-7', dark: 'green-5' },
    { filter: 'read', name: 'Read', count: read, color: 'green-6', dark: 'green-4' },
    { filter: 'replied', name: 'Replied within a day', count: replied, color: 'green-5', dark: 'green-3' },
    { filter: 'failed', name: 'Failed', count: failed, color: 'red-7', dark: 'red-6' },
  ];
  return (
    <Paper withBorder p="md">
      <Title order={4} size="h5" mb="xs">
        From sent to replied
      </Title>
      <Stack gap={4}>
        {steps.map(({ filter, count, ...part }) => (
          <UnstyledButton key={filter} onClick={() => onPick(filter)} py={4} title="Show these recipients">
            <Group justify="space-between" wrap="nowrap">
              <Text size="sm">{part.name}</Text>
              <Text size="sm" fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
                {number(count)}
                <Text span size="sm" c="dimmed" fw={400}>
                  {` · ${percent(count, total)}`}
                </Text>
              </Text>
            </Group>
            <Box h={8} mt={4} bg="var(--mantine-color-default-hover)" style={{ borderRadius: 4, overflow: 'hidden' }}>
              <Box h="100%" style={{ borderRadius: 4, background: partColor(part) }} w={`${total === 0 ? 0 : (count / total) * 100}%`} />
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
