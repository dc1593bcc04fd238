import { GatewayError } from '@mgw/contracts';
import { DatabaseError } from 'pg';

/** The server's disk, memory or connections are used up (class 53), or it refuses writes, as managed servers then do. */
const NO_ROOM = /^(53|25006)/;

/** @returns the error for a caller if PostgreSQL had no room for a statement, which then changed nothing; null for other errors */
export function asStorageProblem(error: unknown): GatewayError | null {
  if (!(error instanceof DatabaseError) || !NO_ROOM.test(error.code ?? '')) return null;
  return new GatewayError('OVERLOADED', 'The database has no room left, so nothing was stored. Try again later.');
}
