import { useEffect, useReducer } from 'react';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The current time in milliseconds at each render, which happens four times a minute at least unless `everyMs` sets another interval. */
export function useNow(everyMs: number = MINUTE_MS / 4): number {
  const [, render] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(render, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return Date.now();
}

/**
 * Milliseconds until midnight, to the second. Days of 23 and 25 hours count correctly.
 * @param timezone an IANA name
 */
export function untilMidnight(timezone: string, now: number): number {
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, dateStyle: 'short' });
  const today = format.format(now);
  let [before, after] = [now, now + 1.1 * DAY_MS];
  while (after - before > 1_000) {
    const middle = (before + after) / 2;
    if (format.format(middle) === today) before = middle;
    else after = middle;
  }
  return after - now;
}

/** Formats as `5 h 48 min`, rounded up to the minute, and from two days on as `3 days`. */
export function duration(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days`;
  const minutes = Math.ceil(Math.floor(ms / 1_000) / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
