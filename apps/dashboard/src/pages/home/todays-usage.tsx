import { Group, RingProgress, Text } from '@mantine/core';
import { number } from '../../components/format-number';
import { type Usage } from './usage-totals';

/** @param keys their usage is null if it could not be loaded */
export function TodaysUsage({ keys, timezone }: { keys: Usage['keys']; timezone: string | undefined }) {
  const used = keys.reduce<number | null>((sum, { used_today }) => (sum === null || used_today === null ? null : sum + used_today), 0);
  const cap = keys.reduce((sum, key) => sum + key.daily_limit, 0);
  const share = used === null || cap === 0 ? 0 : Math.min(1, used / cap);
  return (
    <Group wrap="nowrap">
      <RingProgress
        size={84}
        thickness={9}
        roundCaps
        role="img"
        aria-label={used === null ? 'Usage is not available' : `${used} of ${cap} used`}
        sections={[{ value: share * 100, color: share > 0.8 ? 'orange' : 'green' }]}
      />
      <div>
        <Text size="xl" fw={650}>
          {used === null ? '?' : number(used)} / {number(cap)}
        </Text>
        <Text size="sm" c="dimmed">
          of the daily limits of your keys; they start again at midnight, {timezone}
        </Text>
      </div>
    </Group>
  );
}
