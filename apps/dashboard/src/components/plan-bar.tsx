import { Alert, Group, Progress, Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { keysQuery, type ApiKey } from '../api/keys';
import type { Me } from '../api/session';
import { number } from './figures';
import { duration, untilMidnight, useNow } from './clock';

type Business = NonNullable<Me['business']>;
/** Used so far, a cap is told of with a warning. */
const NEARLY = 0.8;

/** The keys that may send now; nothing before they are known. */
function useKeys(now: number): ApiKey[] | undefined {
  const { data } = useQuery({ ...keysQuery, refetchInterval: 15_000 });
  return data?.api_keys.filter((key) => key.revoked_at === null && (key.expires_at === null || Date.parse(key.expires_at) > now));
}

const shareOf = ({ used_today, daily_limit }: ApiKey) => (used_today ?? 0) / daily_limit;
const resets = ({ timezone }: Business, now: number) => `${duration(untilMidnight(timezone, now))} (00:00 ${timezone})`;

/** Today's use of the daily cap. Each key has one of its own: shown is the key that is nearest to the end of its. */
export function PlanBar({ business }: { business: Business }) {
  const now = useNow();
  const keys = useKeys(now);
  if (business.plan === 'Starter') return <Text size="xs">The Starter plan does not send through the API.</Text>;
  if (keys === undefined) return <Skeleton height={36} />;
  const [fullest, ...others] = keys.sort((a, b) => shareOf(b) - shareOf(a));
  if (fullest === undefined) return <Text size="xs">No API key is in use.</Text>;
  const { name, used_today, daily_limit } = fullest;
  const share = shareOf(fullest);
  const used = used_today === null ? '?' : number(used_today);
  return (
    <>
      <Group gap={4} wrap="nowrap">
        {share >= NEARLY && <IconAlertTriangle size={16} aria-label="Nearly used up" style={{ flexShrink: 0 }} />}
        <Text size="sm" fw={600}>
          {used} / {number(daily_limit)} today
        </Text>
      </Group>
      <Progress
        value={Math.min(1, share) * 100}
        color={share >= 1 ? 'red' : share >= NEARLY ? 'orange' : 'green'}
        my={4}
        aria-label="Used of today’s cap"
      />
      {others.length > 0 && (
        <Text size="xs" truncate>
          Key {name}, the fullest of {keys.length}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        resets in {resets(business, now)}
      </Text>
    </>
  );
}

/** What is refused, and until when, once a key has used up its cap. */
export function CapBanner({ business }: { business: Business }) {
  const now = useNow();
  const full = useKeys(now)?.filter((key) => shareOf(key) >= 1) ?? [];
  if (business.plan === 'Starter' || full.length === 0) return null;
  const names = new Intl.ListFormat('en').format(full.map(({ name }) => name));
  return (
    <Alert color="red" mb="md" icon={<IconAlertTriangle />} title={`Today’s cap is used up: ${names}`} style={{ overflowWrap: 'anywhere' }}>
      Sends with {full.length === 1 ? 'this key' : 'these keys'} are refused with DAILY_LIMIT_REACHED for {resets(business, now)}. Replies
      in the inbox and broadcasts go on.
    </Alert>
  );
}
