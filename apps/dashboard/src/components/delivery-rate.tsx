import { Group, Text, Tooltip } from '@mantine/core';
import { useZone } from '../api/use-zone';
import { useNow } from './clock';
import { clockTime } from './clock-time';
import { number } from './format-number';
import type { Schemas } from '../api/client';
import { Dimmed } from './dimmed';

const HOUR_MS = 3_600_000;
const HOURS = 24;
const HEIGHT = 24;
/** An hour without deliveries shows its base line. */
const FROM_BELOW = { display: 'flex', flexDirection: 'column', justifyContent: 'flex-end' } as const;

/** The success rate of the last 24 hours, and a bar for each hour. */
export function DeliveryRate({ webhook }: { webhook: Schemas['Webhooks']['webhooks'][number] }) {
  const zone = useZone();
  const now = useNow();
  const counts = webhook.last_24_hours ?? [];
  const succeeded = counts.reduce((sum, hour) => sum + hour.succeeded, 0);
  const failed = counts.reduce((sum, hour) => sum + hour.failed, 0);
  const all = succeeded + failed;
  if (all === 0) return <Dimmed>No events in the last 24 hours; tests and redeliveries do not count</Dimmed>;
  const byHour = new Map(counts.map((hour) => [Date.parse(hour.hour), hour]));
  const thisHour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const bars = Array.from({ length: HOURS }, (_, i) => {
    const at = thisHour - (HOURS - 1 - i) * HOUR_MS;
    return { at, succeeded: 0, failed: 0, ...byHour.get(at) };
  });
  const most = Math.max(...bars.map((bar) => bar.succeeded + bar.failed));
  // A single delivery stays visible among thousands.
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, Math.round((count / most) * HEIGHT)));
  return (
    <Group gap="sm" mt={4}>
      <Group gap={2} wrap="nowrap" align="flex-end" h={HEIGHT} role="img" aria-label="Deliveries by hour; the numbers follow">
        {bars.map((bar) => (
          <Tooltip
            key={bar.at}
            label={`${clockTime(new Date(bar.at).toISOString(), zone)}: ${bar.succeeded} succeeded, ${bar.failed} failed`}
          >
            <div style={{ width: 5, height: HEIGHT, ...FROM_BELOW, borderBottom: '1px solid var(--mantine-color-default-border)' }}>
              <div style={{ height: heightOf(bar.failed), background: 'var(--mantine-color-red-6)' }} />
              <div style={{ height: heightOf(bar.succeeded), background: 'var(--mantine-color-green-6)' }} />
            </div>
          </Tooltip>
        ))}
      </Group>
      <Text size="sm">
        {failed === 0 ? 100 : Math.min(99, Math.round((succeeded / all) * 100))} % of {number(all)} in 24 hours succeeded
      </Text>
    </Group>
  );
}
