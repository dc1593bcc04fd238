/** @param seconds since 1970, as text or number @throws Error for anything else */
export function platformTime(seconds: unknown): string {
  const value = typeof seconds === 'string' || typeof seconds === 'number' ? Number(seconds) : NaN;
  if (!Number.isInteger(value) || value <= 0 || value > 99_999_999_999) throw new Error('the timestamp is invalid');
  return new Date(value * 1_000).toISOString();
}
