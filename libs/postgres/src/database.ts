import type { Pool } from 'pg';
import { Connections, type Tx } from './connections';
import { poolOptions, type DatabaseOptions } from './options';
import { whenReachable } from './reachable';
import { Reads } from './reads';

export type { Tx } from './connections';
export type { DatabaseOptions } from './options';

const OPEN_WITHIN_MS = 20_000;

/** A service's schema, by statements of its own: TypeORM is for its migrations, and stays out of what serves. */
export class Database implements Tx {
  /**
   * Commits do not wait for the disk: only for work that is done again when the last half second is lost, such as marks of what was
   * published and claims of work.
   */
  readonly relaxed: Connections;
  /** Deletes expired rows and makes partitions, on a connection that requests and events never wait for. */
  readonly upkeep: Connections;
  private readonly people: Reads;

  private constructor(
    private readonly main: Connections,
    readonly schema: string,
    options: DatabaseOptions,
  ) {
    this.relaxed = new Connections(poolOptions(options, 'relaxed'));
    this.upkeep = new Connections(poolOptions(options, 'upkeep'));
    this.people = new Reads(poolOptions(options, 'reads'));
  }

  /** Connects; waits 20 s for a database that cannot be reached, because services and database start together. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const main = new Connections(poolOptions(options));
    const connection = await whenReachable(() => main.pool.connect(), { withinMs: OPEN_WITHIN_MS });
    connection.release();
    return new Database(main, options.schema, options);
  }

  get pool(): Pool {
    return this.main.pool;
  }

  query<T>(text: string, values: unknown[] = []): Promise<T[]> {
    return this.main.query<T>(text, values);
  }

  /**
   * @param durable false: as `relaxed`
   * @param withinMs then the connection is closed, which undoes the transaction, whatever the work is waiting for
   * @throws DeadlineExceeded
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, { durable = true, withinMs }: { durable?: boolean; withinMs?: number } = {}): Promise<T> {
    return (durable ? this.main : this.relaxed).transaction(work, { withinMs });
  }

  /**
   * Reads for people: separate read-only connections, and PostgreSQL stops each statement after two seconds.
   * @param holder who reads: a business, or the service itself. Each has a share of the connections.
   */
  reads(holder: number | 'service'): Tx {
    return this.people.of(String(holder));
  }

  /** Whether the database answers now. */
  async ping(): Promise<boolean> {
    await this.query('SELECT 1');
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([this.people, this.upkeep, this.relaxed].map((pool) => pool.close()));
    await this.main.close();
  }
}
