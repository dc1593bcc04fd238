import { setTimeout as pause } from 'node:timers/promises';

/** The longer a check has waited, the rarer it runs: many run a request through all services. */
const PART_OF_WAIT = 8;
const AT_MOST_MS = 200;

/**
 * Repeats `check` until it neither throws nor returns false, undefined or null, and returns its value. Throws the last error at the deadline.
 * @param everyMs milliseconds between two checks; by default 25, and more after the first
 */
export async function eventually<T>(
  check: () => Promise<T> | T,
  { timeoutMs = 60_000, everyMs }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, false | null | undefined>> {
  const begun = Date.now();
  const end = begun + timeoutMs;
  for (;;) {
    let failure: unknown = new Error(`not true within ${timeoutMs} ms`);
    try {
      const result = await check();
      if (result !== false && result !== undefined && result !== null) return result as Exclude<T, false | null | undefined>;
    } catch (error) {
      failure = error;
    }
    if (Date.now() >= end) throw failure;
    await pause(everyMs ?? Math.min(AT_MOST_MS, Math.max(25, (Date.now() - begun) / PART_OF_WAIT)));
  }
}
