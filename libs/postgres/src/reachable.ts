import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from 'pg';

const TRY_EVERY_MS = 300;
/** PostgreSQL's own codes for "not now": it starts, it stops, it has no connection left. */
const NOT_NOW = ['57P03', '57P01', '53300'];

/**
 * Connects, and retries while the database cannot be reached. A permanent refusal of PostgreSQL, such as a wrong password, throws at once.
 * @param onWait called once with the reason of the wait
 */
export async function whenReachable<T>(
  connect: () => Promise<T>,
  { withinMs, onWait }: { withinMs: number; onWait?: ((error: unknown) => void) | undefined },
): Promise<T> {
  const until = Date.now() + withinMs;
  for (let waits = false; ; waits = true) {
    try {
      return await connect();
    } catch (error) {
      const refused = error instanceof DatabaseError && !NOT_NOW.includes(error.code ?? '');
      if (refused || Date.now() >= until) throw error;
      if (!waits) onWait?.(error);
      await pause(TRY_EVERY_MS);
    }
  }
}
