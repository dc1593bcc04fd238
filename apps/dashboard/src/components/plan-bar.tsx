import { Group, Progress, Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { counted, number } from './format-number';
import { useNow } from './clock';
import { type Business, useKeys, shareOf, NEARLY, resets } from './busiest-key';
import { Dimmed } from './dimmed';

/** Today's use of the daily cap, for the key that has used the largest share of its own. */
export function PlanBar({ business }: { business: Business }) {
  const now = useNow();
  const keys = useKeys(now);
  if (business.plan === 'Starter') return <Text size="xs">The Starter plan does not send through the API.</Text>;
  if (keys === null) return null;
  if (keys === undefined) return <Skeleton height={70} />;
  const [fullest, ...others] = keys.sort((a, b) => shareOf(b) - shareOf(a));
  if (fullest === undefined) return <Text size="xs">No API key is in use.</Text>;
  const { name, used_today, daily_limit } = fullest;
  const share = shareOf(fullest);
  const used = used_today === null ? '?' : number(used_today);
  return (
    <>
      <Group gap={4} wrap="nowrap">
        {share >= NEARLY && <IconAlertTriangle size={16} aria-label="Nearly used up" style={{ flexShrink: 0 }} />}
        <Text size="xs" fw={600}>
          {used} of {counted(daily_limit, 'API send')} today
        </Text>
      </Group>
      <Progress
        value={Math.min(1, share) * 100}
        color={share >= 1 ? 'red' : share >= NEARLY ? 'orange' : 'green'}
        my={4}
        aria-label="Used of today’s cap"
      />
      {others.length > 0 && (
        <Text size="xs" lineClamp={2}>
          {name}, the most used of {keys.length} keys
        </Text>
      )}
      <Dimmed size="xs">resets in {resets(business, now)}</Dimmed>
    </>
  );
}
