import { DatabaseError } from 'pg';

/** PostgreSQL ended the connection, perhaps between a commit and its response. */
const ENDED = ['57P01', '57P02'];
/** The connection failed, so PostgreSQL received no statement. */
const NOT_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];
const NO_CONNECTION = /trying to connect|connection timeout|not queryable/;

/**
 * Whether a statement that failed may be committed, now or later: the connection or the time ended before PostgreSQL responded.
 */
export function mayBeCommitted(error: unknown): boolean {
  if (error instanceof DatabaseError) return ENDED.includes(error.code ?? '');
  const { code, message } = error as NodeJS.ErrnoException;
  return !NOT_CONNECTED.includes(code ?? '') && !NO_CONNECTION.test(message);
}
