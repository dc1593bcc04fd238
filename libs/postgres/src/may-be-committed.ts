import { DatabaseError } from 'pg';

/** It ended the connection, which may happen between a commit and its answer. */
const ENDED = ['57P01', '57P02'];
/** No statement was given to it. */
const NOT_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];
const NO_CONNECTION = /trying to connect|connection timeout|not queryable/;

/**
 * Whether a statement that failed may be committed all the same, or still become so: the connection or the time ended before PostgreSQL
 * said what became of it.
 */
export function mayBeCommitted(error: unknown): boolean {
  if (error instanceof DatabaseError) return ENDED.includes(error.code ?? '');
  const { code, message } = error as NodeJS.ErrnoException;
  return !NOT_CONNECTED.includes(code ?? '') && !NO_CONNECTION.test(message);
}
