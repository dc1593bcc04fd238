import { DatabaseError } from 'pg';
import { GatewayError } from '@mgw/contracts';

/** Classes of data exceptions, violated constraints and exceeded limits, such as an index entry that is too long. */
const ABOUT_VALUES = /^(22|23|54)/;

/** Whether PostgreSQL refused the values of a statement. A retry with the same values fails too. */
export function isAboutValues(error: unknown): boolean {
  return error instanceof DatabaseError && ABOUT_VALUES.test(error.code ?? '');
}

/** Whether PostgreSQL ended a statement because it and other transactions waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '40P01';
}

/** The server's disk, memory or connections are used up (class 53), or it refuses writes, as managed servers then do. */
const NO_ROOM = /^(53|25006)/;

/** @returns the error for a caller if PostgreSQL had no room for a statement, which then changed nothing; null for other errors */
export function asStorageProblem(error: unknown): GatewayError | null {
  if (!(error instanceof DatabaseError) || !NO_ROOM.test(error.code ?? '')) return null;
  return new GatewayError('OVERLOADED', 'The database has no room left, so nothing was stored. Try again later.');
}

/** A lock was not free in time. */
const NO_LOCK = '55P03';
/** PostgreSQL stopped the statement at its time limit, or a lock was not free in time. */
const STOPPED = ['57014', NO_LOCK];
/** Texts of pg: no free connection, and a new connection that did not open, each within its limit. */
const NO_CONNECTION_YET = ['timeout exceeded when trying to connect', 'Connection terminated due to connection timeout'];
/** Texts of pg: no response, or no connection, within its limit. */
const NO_RESPONSE = ['Query read timeout', ...NO_CONNECTION_YET];

/** Whether a statement got no turn, because other transactions held a lock or all connections. Its values have no part in that. */
export function hadNoTurn(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === NO_LOCK;
  return NO_CONNECTION_YET.includes((error as Error).message);
}

/** Whether PostgreSQL, or a connection to it, was too busy for a statement. */
export function isTimeout(error: unknown): boolean {
  if (error instanceof DatabaseError) return STOPPED.includes(error.code ?? '');
  return NO_RESPONSE.includes((error as Error).message);
}

/** PostgreSQL ended the connection, perhaps between a commit and its response. */
const ENDED = ['57P01', '57P02'];
/** The system calls that find the server and connect to it. If one of them failed, PostgreSQL received no statement. */
const CONNECTING = ['getaddrinfo', 'connect'];
/** Texts of pg: no connection yet, or one that had ended. */
const NO_CONNECTION = [
  ...NO_CONNECTION_YET,
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
];
/** PostgreSQL is starting or stopping, and opens no connection. */
const NOT_OPEN = '57P03';

/** Whether PostgreSQL did not receive a statement, because there was no connection. */
function isUnreached(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === NOT_OPEN;
  // A host with several addresses, of which none could be reached.
  if (error instanceof AggregateError) return true;
  const { syscall, message } = error as NodeJS.ErrnoException;
  return CONNECTING.includes(syscall ?? '') || NO_CONNECTION.includes(message);
}

/**
 * @returns the error for a caller, who may repeat the request, if PostgreSQL had no room for a statement or did not receive it; null for
 * other errors. Without a connection the code stays INTERNAL: OVERLOADED would say that earlier statements of the request changed nothing.
 */
export function asCallerError(error: unknown): GatewayError | null {
  if (isUnreached(error)) return new GatewayError('INTERNAL', 'The service is busy. Try again shortly.', { retryable: true });
  return asStorageProblem(error);
}

/**
 * Whether a statement that failed may be committed, now or later: the connection or the time ended before PostgreSQL responded. A
 * GatewayError comes from the gateway's own checks, so no statement is in flight.
 */
export function mayBeCommitted(error: unknown): boolean {
  if (error instanceof GatewayError) return false;
  if (error instanceof DatabaseError) return ENDED.includes(error.code ?? '');
  return !isUnreached(error);
}
