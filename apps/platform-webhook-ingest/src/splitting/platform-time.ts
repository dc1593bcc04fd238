/**
 * No clock is further ahead. Monthly tables have a partition for every time within it, and never delete rows of a later one (decision 707).
 */
const MAX_DAYS_AHEAD = 30;

/** @param seconds since 1970, as text or number @throws Error for anything else and for a time too far ahead */
export function platformTime(seconds: unknown): string {
  const value = typeof seconds === 'string' || typeof seconds === 'number' ? Number(seconds) : NaN;
  if (!Number.isInteger(value) || value <= 0) throw new Error('the timestamp is invalid');
  if (value * 1_000 > Date.now() + MAX_DAYS_AHEAD * 86_400_000) throw new Error(`the timestamp is more than ${MAX_DAYS_AHEAD} days ahead`);
  return new Date(value * 1_000).toISOString();
}
