import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from 'pg';

const TRY_EVERY_MS = 300;
/** PostgreSQL is starting, is stopping, or has no connection left. */
const NOT_NOW = ['57P03', '57P01', '53300'];

/**
 * Connects, or does what a start needs, and retries while the database cannot be reached. A permanent refusal, such as of a password, fails at once.
 * @param onWait receives the first failure
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

/** Names the setting in the failure of a first connection. */
export function asOpeningError(error: unknown): Error {
  const { message, code = '' } = error as NodeJS.ErrnoException;
  // A host with several addresses, of which none could be reached, fails without a message.
  return new Error(`DATABASE_URL: ${message || code}`, { cause: error });
}
