import type { PoolConfig } from 'pg';

export interface DatabaseOptions {
  url: string;
  /** The service's own; nobody else reads or writes it. */
  schema: string;
  /** Connections of the main pool at most. */
  poolSize?: number;
  /** Connections for people's reads at most. */
  readPoolSize?: number;
  applicationName?: string;
  /** Longest statement of the main pool, in milliseconds. */
  statementTimeoutMs?: number;
}

/**
 * Every statement finds a few rows by an index, and PostgreSQL plans it once per connection, because planning a short statement costs as
 * much as running it. By default PostgreSQL plans again if arrays are shorter than it guesses, also in functions.
 * A cursor, which may be absent, is compared with `coalesce($1, <beyond the end>)`: `$1 IS NULL OR …` would read the list from its start.
 * A plan that was made for an empty table must not read all of it when it is full; JIT compilation pays for reports only. The statistics
 * of a table that has run for weeks say that open work is rare, even when much is open: see `onRow`.
 * Bitmap scans are off: only plain index scans skip index entries of rows that left a partial index, and services read lists of open work
 * (outboxes, deliveries) far more often than VACUUM cleans them.
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
/** A client stops waiting for PostgreSQL's answer so long after the statement's own limit, in milliseconds. */
const GRACE_MS = 2_000;
/** A transaction that does nothing keeps its locks and its connection at most so long, in milliseconds. */
const IDLE_IN_TRANSACTION_MS = 15_000;

/** Connections whose commits do not wait for the disk, at most. */
export const RELAXED_CONNECTIONS = 4;
/** Connections that delete expired rows and make partitions, at most. */
export const UPKEEP_CONNECTIONS = 1;
/** Connections for people's reads, unless the service's settings say otherwise. */
export const READ_CONNECTIONS = 4;
/** Longest statement of a person's read, in milliseconds: below the deadline of its request. */
export const READ_WITHIN_MS = 2_000;

/**
 * Each kind of work has connections of its own, so that none takes those of another (guarantees §10, N2):
 * - `main`: requests and events.
 * - `relaxed`: commits do not wait for the disk, and a statement may be sent before the one before it has answered.
 * - `reads`: what people look at. Read-only, and stopped after two seconds.
 * - `upkeep`: expired rows and partitions.
 */
export type PoolKind = 'main' | 'relaxed' | 'reads' | 'upkeep';

interface Limits {
  connections: number;
  statementMs: number;
  /** Longest wait for a lock that somebody else holds. */
  lockMs: number;
  settings?: string;
}

export function poolOptions(options: DatabaseOptions, kind: PoolKind = 'main'): PoolConfig & { max: number } {
  const { connections, statementMs, lockMs, settings = '' } = limits(options)[kind];
  return {
    connectionString: options.url,
    application_name: options.applicationName ?? options.schema,
    max: connections,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    options: `${PLANNING} ${TIME_ZONE} ${settings}`,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: statementMs,
    lock_timeout: Math.min(lockMs, statementMs),
    query_timeout: statementMs + GRACE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    ...(kind === 'relaxed' && { pipeline: true }),
  };
}

function limits({ poolSize = 8, readPoolSize = READ_CONNECTIONS, statementTimeoutMs = 10_000 }: DatabaseOptions): Record<PoolKind, Limits> {
  return {
    main: { connections: poolSize, statementMs: statementTimeoutMs, lockMs: 8_000 },
    relaxed: { connections: RELAXED_CONNECTIONS, statementMs: statementTimeoutMs, lockMs: 8_000, settings: '-c synchronous_commit=off' },
    reads: {
      connections: readPoolSize,
      statementMs: READ_WITHIN_MS,
      lockMs: READ_WITHIN_MS,
      settings: '-c default_transaction_read_only=on',
    },
    upkeep: { connections: UPKEEP_CONNECTIONS, statementMs: 30_000, lockMs: 2_000 },
  };
}
