import type { PoolConfig } from 'pg';

export interface DatabaseOptions {
  url: string;
  /** Only this service reads and writes it. */
  schema: string;
  /** Maximum number of connections of the main pool. */
  poolSize?: number;
  /** Maximum number of connections for reads of the dashboard. */
  readPoolSize?: number;
  applicationName?: string;
  /** Longest statement of the main pool, in milliseconds. */
  statementTimeoutMs?: number;
}

/**
 * Every statement finds a few rows by an index and is planned once per connection, because planning a short statement costs as much as
 * running it. By default PostgreSQL replans whenever an array is shorter than it guesses, also within functions. A cursor that may be absent
 * is therefore compared as `coalesce($1, <beyond the end>)`: `$1 IS NULL OR …` would read the list from its start.
 * A plan that was made for an empty table must not read all of a full one, and JIT compilation pays for reports only. Open rows are rare in
 * the statistics of an old table, however many are open now: see `onRow`.
 * Bitmap scans are off because only plain index scans remove entries of rows that left a partial index. Lists of open rows (outboxes,
 * deliveries) are read far more often than they are vacuumed.
 */
const PLANNING = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']
  .map((name) => `-c ${name}=off`)
  .concat('-c plan_cache_mode=force_generic_plan')
  .join(' ');

/** PostgreSQL converts dates to times in the session's time zone, and months begin in UTC. */
const TIME_ZONE = '-c timezone=UTC';

/** Longest wait for a connection, in milliseconds. */
const CONNECT_WITHIN_MS = 5_000;
/** An idle connection stays open this long, in milliseconds; those of reads and upkeep the shorter time. */
const IDLE_MS = 30_000;
const OTHER_IDLE_MS = 5_000;
/** The client waits this much longer than the statement's own limit, in milliseconds. */
const GRACE_MS = 2_000;
/** Longest pause within a transaction, in milliseconds: a suspended process holds its locks no longer than a dead one (decision 791). */
const IDLE_IN_TRANSACTION_MS = 2_000;

/** Maximum number of connections whose commits do not wait for the disk. */
export const NON_DURABLE_CONNECTIONS = 4;
/** Maximum number of connections that delete expired rows and create partitions. */
export const UPKEEP_CONNECTIONS = 1;
/** Default number of connections for reads of the dashboard. */
export const READ_CONNECTIONS = 4;
/** Longest statement of a person's read, in milliseconds. It stays below the request's deadline. */
const READ_WITHIN_MS = 2_000;

/**
 * Each kind of work has its own connections, so that none uses up those of another (guarantees §10, N2):
 * - `main`: requests and events.
 * - `nonDurable`: commits do not wait for the disk, and statements are pipelined.
 * - `reads`: pages and searches of people. Read-only, and stopped after two seconds.
 * - `upkeep`: expired rows and partitions.
 * - `lookups`: reads that open transactions wait for.
 */
type PoolKind = 'main' | 'nonDurable' | 'reads' | 'upkeep' | 'lookups';

interface Limits {
  connections: number;
  statementMs: number;
  /** Longest wait for a lock, in milliseconds. */
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
    idleTimeoutMillis: kind === 'reads' || kind === 'upkeep' ? OTHER_IDLE_MS : IDLE_MS,
    // The first message after a quiet minute needs no new connection.
    min: kind === 'main' ? 1 : 0,
    statement_timeout: statementMs,
    lock_timeout: Math.min(lockMs, statementMs),
    query_timeout: statementMs + GRACE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    ...(kind === 'nonDurable' && { pipeline: true }),
  };
}

function limits({ poolSize = 8, readPoolSize = READ_CONNECTIONS, statementTimeoutMs = 10_000 }: DatabaseOptions): Record<PoolKind, Limits> {
  return {
    main: { connections: poolSize, statementMs: statementTimeoutMs, lockMs: 8_000 },
    nonDurable: {
      connections: NON_DURABLE_CONNECTIONS,
      statementMs: statementTimeoutMs,
      lockMs: 8_000,
      settings: '-c synchronous_commit=off',
    },
    reads: {
      connections: readPoolSize,
      statementMs: READ_WITHIN_MS,
      lockMs: READ_WITHIN_MS,
      settings: '-c default_transaction_read_only=on',
    },
    upkeep: { connections: UPKEEP_CONNECTIONS, statementMs: 30_000, lockMs: 2_000 },
    lookups: { connections: 1, statementMs: READ_WITHIN_MS, lockMs: READ_WITHIN_MS },
  };
}
