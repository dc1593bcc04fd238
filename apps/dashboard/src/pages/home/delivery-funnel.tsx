import { Group, Progress, Stack, Text } from '@mantine/core';
import { number, percent } from '../../components/format-number';
import { type Totals } from './usage-totals';

export function DeliveryFunnel(totals: Totals) {
  return (
    <Stack gap="sm">
      {(['sent', 'delivered', 'read'] as const).map((name) => (
        <div key={name}>
          <Group justify="space-between">
            <Text size="sm" tt="capitalize">
              {name}
            </Text>
            <Text size="sm" c="dimmed">
              {number(totals[name])} · {percent(totals[name], totals.sent)}
            </Text>
          </Group>
          <Progress value={totals.sent === 0 ? 0 : (totals[name] / totals.sent) * 100} aria-label={name} />
        </div>
      ))}
    </Stack>
  );
}
