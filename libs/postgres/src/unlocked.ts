import { setTimeout as pause } from 'node:timers/promises';

/**
 * Longest wait for the lock of a table, in milliseconds. Every later statement on the table queues behind the wait, so it is shorter than
 * the limit of a person's read (`READ_WITHIN_MS`).
 */
export const TABLE_LOCK_WITHIN_MS = 1_500;
/** Lets the statements that queued behind the previous attempt finish. */
const PAUSE_MS = 1_000;
/** Longest time of the attempts, from the first failure. */
const RETRY_FOR_MS = 8 * 60_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Repeats a step whose failure changes nothing while another session holds a lock that it needs.
 * @param what the step, for the error after eight minutes
 */
export async function whenUnlocked<T>(what: string, step: () => Promise<T>): Promise<T> {
  for (let until: number | undefined; ;) {
    try {
      return await step();
    } catch (error) {
      if (!isLocked(error)) throw error;
      until ??= performance.now() + RETRY_FOR_MS;
      if (performance.now() >= until) {
        const hint = 'End the long transactions that pg_stat_activity lists, then migrate again.';
        throw new Error(`another session holds a lock that ${what} needs. ${hint}`, { cause: error });
      }
      await pause(PAUSE_MS);
    }
  }
}

function isLocked(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: unknown };
  return code === LOCK_NOT_AVAILABLE || (cause instanceof Error && isLocked(cause));
}
