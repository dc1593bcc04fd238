import type { PoolConfig } from 'pg';

export interface DatabaseOptions {
  url: string;
  /** The service's own; nobody else reads or writes it. */
  schema: string;
  /** Connections at most, beside `RELAXED_CONNECTIONS`. */
  poolSize?: number;
  applicationName?: string;
  /** Longest statement, in milliseconds. */
  statementTimeoutMs?: number;
}

/**
 * Every statement here finds its rows by an index, a few at a time, and is planned once for each connection: for a short one,
 * planning costs as much as running. Left to itself PostgreSQL plans anew whenever values are arrays shorter than it guesses,
 * each statement of a function too. So a place in a list, which may be absent, is compared with `coalesce($1, <beyond the end>)`:
 * `$1 IS NULL OR …` would read the list from its start.
 * A plan that was made while a table was empty must not read all of it when it is full; compiling plans pays for reports only. What is
 * open is rare in the statistics of a table that has run for weeks, however much is open now: see `onRow`.
 * Bitmaps are off because only plain index scans forget entries of rows that have left a partial index, and lists of what is open
 * (outboxes, deliveries) are read far more often than they are vacuumed.
 */
const PLANNING = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']
  .map((name) => `-c ${name}=off`)
  .concat('-c plan_cache_mode=force_generic_plan')
  .join(' ');

/** A date becomes a moment by the session's time zone: months begin in UTC, wherever the database is. */
const TIME_ZONE = '-c timezone=UTC';

/** Longest wait for a connection, in milliseconds. */
const CONNECT_WITHIN_MS = 5_000;
/** How long a connection that nobody uses is kept, in milliseconds: the first message after a quiet minute should not pay for a new one. */
const IDLE_MS = 300_000;
/** Connections for what need not wait for the disk, at most. */
export const RELAXED_CONNECTIONS = 4;

/** @param relaxed connections whose commits do not wait for the disk, and which take a statement before the one before has answered */
export function poolOptions(options: DatabaseOptions, { relaxed = false } = {}): PoolConfig {
  const { statementTimeoutMs = 10_000 } = options;
  return {
    connectionString: options.url,
    application_name: options.applicationName ?? options.schema,
    max: relaxed ? RELAXED_CONNECTIONS : (options.poolSize ?? 8),
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    options: [PLANNING, TIME_ZONE, ...(relaxed ? ['-c synchronous_commit=off'] : [])].join(' '),
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 2_000,
    idle_in_transaction_session_timeout: 15_000,
    keepAlive: true,
    ...(relaxed && { pipeline: true }),
  };
}
