import { createHash } from 'node:crypto';
import { Pool, type PoolClient } from 'pg';
import { asBinary, listsOf, type ListParameter } from './list-parameters';
import { poolOptions, type DatabaseOptions } from './options';
import { whenReachable } from './reachable';

export type { DatabaseOptions } from './options';

const OPEN_WITHIN_MS = 20_000;

/** Statements of one transaction. */
export interface Tx {
  query<T>(text: string, values?: unknown[]): Promise<T[]>;
}

/** A service's schema, by statements of its own: TypeORM is for its migrations, and stays out of what serves. */
export class Database implements Tx {
  /**
   * Statements whose commit does not wait for the disk: only for what may be lost with the database's last half second and is
   * then simply done again, such as marks of what was told and claims of work.
   */
  readonly relaxed: Tx;
  private readonly relaxedPool: Pool;

  private constructor(
    readonly pool: Pool,
    readonly schema: string,
    options: DatabaseOptions,
  ) {
    const relaxedPool = new Pool(poolOptions(options, { relaxed: true }));
    this.relaxedPool = relaxedPool;
    this.relaxed = { query: (text, values = []) => run(relaxedPool, text, values) };
    // An idle connection that breaks is replaced by the next query; without a listener it would end the process.
    for (const each of [pool, relaxedPool]) each.on('error', () => undefined);
  }

  /** Connects; waits 20 s for a database that cannot be reached, because services and database start together. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const pool = new Pool(poolOptions(options));
    const connection = await whenReachable(() => pool.connect(), { withinMs: OPEN_WITHIN_MS });
    connection.release();
    return new Database(pool, options.schema, options);
  }

  query<T>(text: string, values: unknown[] = []): Promise<T[]> {
    return run<T>(this.pool, text, values);
  }

  /** @param durable false: as `relaxed` */
  async transaction<T>(work: (tx: Tx) => Promise<T>, { durable = true } = {}): Promise<T> {
    const client = await (durable ? this.pool : this.relaxedPool).connect();
    let broken: Error | undefined;
    const onError = (error: Error) => void (broken = error);
    client.on('error', onError);
    try {
      const begun = client.query('BEGIN');
      // What may be done again goes out with its first statement. Should the beginning fail, so does the end.
      if (durable) await begun;
      else begun.catch(() => undefined);
      const result = await work({ query: (text, values = []) => run(client, text, values) });
      await begun;
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => void (broken = failure));
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  /** Whether the database answers now. */
  async ping(): Promise<boolean> {
    await this.query('SELECT 1');
    return true;
  }

  async close(): Promise<void> {
    for (const pool of [this.relaxedPool, this.pool]) if (!pool.ending) await pool.end();
  }
}

/** What is known of a statement once its text is: the name that it is prepared under, and which of its values are lists. */
interface Statement {
  name: string;
  lists: ListParameter[];
}
const statements = new Map<string, Statement>();

/** Statements with values are prepared: planned once for each connection, which for short ones costs more than running them. */
async function run<T>(connection: Pool | PoolClient, text: string, values: unknown[]): Promise<T[]> {
  if (values.length === 0) return (await connection.query(text)).rows as T[];
  let statement = statements.get(text);
  if (statement === undefined) {
    statement = { name: createHash('sha256').update(text).digest('base64url'), lists: listsOf(text) };
    statements.set(text, statement);
  }
  const { name, lists } = statement;
  const given = lists.length === 0 ? values : [...values];
  for (const { place, of } of lists) given[place] = asBinary(given[place], of);
  return (await connection.query({ name, text, values: given })).rows as T[];
}
