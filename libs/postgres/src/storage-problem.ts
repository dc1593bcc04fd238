import { GatewayError } from '@mgw/contracts';
import { DatabaseError } from 'pg';

/** The disk, the memory or the connections of the server are used up (class 53), or it takes no writes for now, as managed ones do then. */
const NO_ROOM = /^(53|25006)/;

/** @returns what a caller gets when PostgreSQL had no room for a statement, so that it changed nothing; null for other errors */
export function asStorageProblem(error: unknown): GatewayError | null {
  if (!(error instanceof DatabaseError) || !NO_ROOM.test(error.code ?? '')) return null;
  return new GatewayError('OVERLOADED', 'The database has no room left, so nothing was stored. Try again later.');
}
