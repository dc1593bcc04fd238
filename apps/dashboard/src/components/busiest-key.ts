import { useQuery } from '@tanstack/react-query';
import { keysQuery, type ApiKey } from '../api/api-keys';
import type { Me } from '../api/session';
import { duration, untilMidnight } from './clock';

export type Business = NonNullable<Me['business']>;

/** The share of the cap from which the bar warns. */
export const NEARLY = 0.8;

export const hasExpired = ({ expires_at }: ApiKey, now: number) => expires_at !== null && Date.parse(expires_at) <= now;

/** The keys that may send now; undefined while they load, null if they cannot be loaded. */
export function useKeys(now: number): ApiKey[] | undefined | null {
  const { data, isError } = useQuery({ ...keysQuery, refetchInterval: 15_000 });
  if (!data && isError) return null;
  return data?.api_keys.filter((key) => key.revoked_at === null && !hasExpired(key, now));
}

/** From 0 to 1. A plan without API sends has a cap of 0, of which nothing is used. */
export const shareOf = ({ used_today, daily_limit }: ApiKey) => (daily_limit === 0 ? 0 : (used_today ?? 0) / daily_limit);

/** The time until the cap resets. While a change of time zone is pending, the gateway's response has it. */
export function resets({ timezone, timezone_now, timezone_from, cap_resets_at }: Business, now: number): string {
  if (timezone_from === undefined || cap_resets_at === undefined || Date.parse(timezone_from) <= now)
    return `${duration(untilMidnight(timezone, now))} (00:00 ${timezone})`;
  const resetsWith = cap_resets_at === timezone_from ? (timezone_now ?? timezone) : timezone;
  return `${duration(Date.parse(cap_resets_at) - now)} (00:00 ${resetsWith})`;
}
