import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { DeadlineExceeded, within } from '@mgw/deadlines';
import { isDeadlock } from './database-errors';

const OIDS = { text: 25, bytea: 17 };
const HEAD_BYTES = 20;

/** A parameter that a statement casts to `text[]` or `bytea[]`. */
interface ListParameter {
  /** From 0. */
  index: number;
  type: keyof typeof OIDS;
}

function listsOf(text: string): ListParameter[] {
  const named = [...text.matchAll(/\$(\d+)::(text|bytea)\[\]/g)].map(
    ([, number, type]) => [Number(number) - 1, type as ListParameter['type']] as const,
  );
  return [...new Map(named)].map(([index, type]) => ({ index, type }));
}

/**
 * Encodes a list in PostgreSQL's binary format. A literal would escape each quotation mark of a JSON text, and would double the size of
 * bytes.
 * @returns the value itself if it is not a list of this type
 */
function asBinary(value: unknown, type: ListParameter['type']): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  let size = HEAD_BYTES;
  for (const one of value as unknown[]) {
    if (one === null) size += 4;
    else if (type === 'text' && typeof one === 'string') size += 4 + Buffer.byteLength(one);
    else if (type === 'bytea' && Buffer.isBuffer(one)) size += 4 + one.length;
    else return value;
  }
  const bytes = Buffer.allocUnsafe(size);
  // The header: dimensions, whether there are nulls, type, length, first index.
  let at = 0;
  for (const word of [1, value.includes(null) ? 1 : 0, OIDS[type], value.length, 1]) at = bytes.writeInt32BE(word, at);
  for (const one of value as (string | Buffer | null)[]) {
    const length = one === null ? -1 : typeof one === 'string' ? bytes.write(one, at + 4) : one.copy(bytes, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(length, 0);
  }
  return bytes;
}

/** Runs statements: in one transaction, or each alone on a `Database`. */
export interface Tx {
  query<T>(text: string, values?: unknown[]): Promise<T[]>;
}

/** How long work waits for a busy connection before the pool opens another one, in milliseconds. */
const OPEN_AFTER_MS = 10;
/** How often a pool whose connections are all idle closes one of several, in milliseconds. */
const CLOSE_EVERY_MS = 10_000;
/** Pause before a statement is repeated after a deadlock, in milliseconds. Without it, it may take a lock back that the other waits for. */
const AFTER_DEADLOCK_MS = 100;

/** Longest pause of a transaction that waits for more than PostgreSQL, in milliseconds. */
const LONG_PAUSE_MS = 15_000;

/**
 * A pool of connections, and statements on it. Background work of one process often falls into the same millisecond, so the pool opens a
 * further connection only for work that has waited, and closes it when it is idle (decision 503).
 */
export class Connections implements Tx {
  readonly pool: Pool;
  /** Whether BEGIN goes out together with the first statement. */
  private readonly pipelines: boolean;
  private opening: NodeJS.Timeout | undefined;
  private closing: NodeJS.Timeout | undefined;

  constructor(private readonly options: PoolConfig & { max: number }) {
    this.pipelines = options.pipeline ?? false;
    this.pool = new Pool({ ...options, max: 1 });
    // The next query replaces an idle connection that breaks. Without a listener the error would end the process.
    this.pool.on('error', () => undefined);
    // The pool's own listener leaves a connection before its next user can listen. An error in between is one of that user's statements.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    this.pool.on('remove', () => {
      this.pool.options.max = Math.max(1, this.pool.totalCount);
      this.openSoon();
    });
  }

  /** Repeats the statement once after a deadlock, which undid it (decision 731). */
  query<T>(text: string, values: unknown[] = []): Promise<T[]> {
    const rows = run<T>(this.pool, text, values).catch(async (error: unknown) => {
      if (!isDeadlock(error)) throw error;
      await pause(AFTER_DEADLOCK_MS);
      return run<T>(this.pool, text, values);
    });
    this.openSoon();
    return rows;
  }

  private openSoon(): void {
    const { waitingCount, idleCount, totalCount } = this.pool;
    if (waitingCount > idleCount && totalCount < this.options.max) this.opening ??= setTimeout(() => this.open(), OPEN_AFTER_MS);
  }

  private open(): void {
    this.opening = undefined;
    const { options, totalCount, waitingCount, ending } = this.pool;
    const most = Math.min(this.options.max, totalCount + waitingCount);
    if (waitingCount === 0 || ending || most <= totalCount) return;
    options.max = most;
    this.closing ??= setInterval(() => this.closeIdle(), CLOSE_EVERY_MS).unref();
    // The pool opens connections for new work, and passes them on to work that waits.
    for (let i = totalCount; i < most; i++)
      void this.pool.connect().then(
        (client) => client.release(),
        () => undefined,
      );
  }

  private closeIdle(): void {
    const { totalCount, idleCount, ending } = this.pool;
    if (totalCount <= 1 || ending) {
      clearInterval(this.closing);
      this.closing = undefined;
    } else if (idleCount === totalCount) {
      void this.pool.connect().then(
        (client) => client.release(true),
        () => undefined,
      );
    }
  }

  /**
   * @param withinMs closes the connection after this time, which undoes the transaction
   * @param mayPause true: it may pause for longer than others, because it waits for more than PostgreSQL
   */
  async transaction<T>(
    work: (tx: Tx) => Promise<T>,
    { withinMs, mayPause = false }: { withinMs?: number | undefined; mayPause?: boolean } = {},
  ): Promise<T> {
    const connecting = this.pool.connect();
    this.openSoon();
    const client = await connecting;
    let broken: Error | undefined;
    const onError = (error: Error) => void (broken = error);
    client.on('error', onError);
    try {
      const began = client.query(mayPause ? `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${LONG_PAUSE_MS}` : 'BEGIN');
      // Retryable work pipelines BEGIN with its first statement; if BEGIN fails, COMMIT fails too.
      if (this.pipelines) began.catch(() => undefined);
      else await began;
      const tx: Tx = { query: (text, values = []) => run(client, text, values) };
      const result = await (withinMs === undefined ? work(tx) : within(withinMs, () => work(tx)));
      await began;
      await client.query('COMMIT');
      return result;
    } catch (error) {
      // A rollback would wait for the running statement; closing the connection does not.
      if (error instanceof DeadlineExceeded) broken = error;
      else await client.query('ROLLBACK').catch((failure: Error) => void (broken = failure));
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    if (!this.pool.ending) await this.pool.end();
  }
}

/** The name under which a statement is prepared, and its list parameters. */
interface Statement {
  name: string;
  lists: ListParameter[];
}
const statements = new Map<string, Statement>();
/** A single statement that PostgreSQL plans. Migrations send several at once, which cannot be prepared. */
const PLANNED = /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b[^;]*$/;

/** Prepares statements: each connection plans them once, because planning a short one costs more than running it. */
async function run<T>(connection: Pool | PoolClient, text: string, values: unknown[]): Promise<T[]> {
  if (values.length === 0 && !PLANNED.test(text)) return (await connection.query(text)).rows as T[];
  let statement = statements.get(text);
  if (statement === undefined) {
    statement = { name: createHash('sha256').update(text).digest('base64url'), lists: listsOf(text) };
    statements.set(text, statement);
  }
  const { name, lists } = statement;
  const encoded = lists.length === 0 ? values : [...values];
  for (const { index, type } of lists) encoded[index] = asBinary(encoded[index], type);
  return (await connection.query({ name, text, values: encoded })).rows as T[];
}
