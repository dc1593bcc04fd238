import { useQuery } from '@tanstack/react-query';
import { keysQuery, type ApiKey } from '../api/api-keys';
import type { Me } from '../api/session';
import { duration, untilMidnight } from './clock';

export type Business = NonNullable<Me['business']>;

/** The share of the cap from which the bar warns. */
export const NEARLY = 0.8;

/** The keys that may send now; undefined while they load. */
export function useKeys(now: number): ApiKey[] | undefined {
  const { data } = useQuery({ ...keysQuery, refetchInterval: 15_000 });
  return data?.api_keys.filter((key) => key.revoked_at === null && (key.expires_at === null || Date.parse(key.expires_at) > now));
}

export const shareOf = ({ used_today, daily_limit }: ApiKey) => (used_today ?? 0) / daily_limit;

export const resets = ({ timezone }: Business, now: number) => `${duration(untilMidnight(timezone, now))} (00:00 ${timezone})`;
