import { setTimeout as pause } from 'node:timers/promises';

/** Repeats `check` until it neither throws nor returns false, undefined or null, and returns its value. Throws the last error at the deadline. */
export async function eventually<T>(
  check: () => Promise<T> | T,
  { timeoutMs = 60_000, everyMs = 25 } = {},
): Promise<Exclude<T, false | null | undefined>> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    let failure: unknown = new Error(`not true within ${timeoutMs} ms`);
    try {
      const result = await check();
      if (result !== false && result !== undefined && result !== null) return result as Exclude<T, false | null | undefined>;
    } catch (error) {
      failure = error;
    }
    if (Date.now() >= end) throw failure;
    await pause(everyMs);
  }
}
