import type { Pool } from 'pg';
import { Connections, type Tx } from './connections';
import { LargeChanges, type LargeChangeOptions } from './large-changes';
import { poolOptions, type DatabaseOptions } from './options';
import { asOpeningError, whenReachable } from './reachable';
import { Reads } from './reads';

export type { Tx } from './connections';
export type { DatabaseOptions } from './options';

const OPEN_WITHIN_MS = 20_000;

/** Runs SQL on a service's schema. Only migrations use TypeORM, which would slow down the running service. */
export class Database implements Tx {
  /**
   * Commits do not wait for the disk. Use it only for work that is repeated if the last half second is lost, such as marks of published
   * events and ends of deliveries.
   */
  readonly nonDurable: Connections;
  /** Deletes expired rows and creates partitions, on a connection that requests and events never wait for. */
  readonly upkeep: Connections;
  /** Reads that open transactions wait for: those may hold all other connections. */
  readonly lookups: Connections;
  private readonly people: Reads;
  private readonly largeChanges: LargeChanges;

  private constructor(
    private readonly main: Connections,
    readonly schema: string,
    options: DatabaseOptions,
  ) {
    this.nonDurable = new Connections(poolOptions(options, 'nonDurable'));
    this.upkeep = new Connections(poolOptions(options, 'upkeep'));
    this.lookups = new Connections(poolOptions(options, 'lookups'));
    this.people = new Reads(poolOptions(options, 'reads'));
    this.largeChanges = new LargeChanges(main, poolOptions(options).max);
  }

  /** Connects. Waits up to 20 s for the database, because it starts together with the services. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const main = new Connections(poolOptions(options));
    const opening = whenReachable(() => main.pool.connect(), { withinMs: OPEN_WITHIN_MS });
    const connection = await opening.catch((error: unknown) => Promise.reject(asOpeningError(error)));
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
   * @param durable false: like `nonDurable`
   * @param withinMs closes the connection after this time, which undoes the transaction
   * @param mayPause true: it waits for more than PostgreSQL, such as NATS or a password's hash, so it may pause for 15 s instead of 2 (decision 791)
   * @throws DeadlineExceeded
   */
  transaction<T>(
    work: (tx: Tx) => Promise<T>,
    { durable = true, ...options }: { durable?: boolean; withinMs?: number; mayPause?: boolean } = {},
  ): Promise<T> {
    return (durable ? this.main : this.nonDurable).transaction(work, options);
  }

  /**
   * Changes that take seconds if the business has very much: one of each business at a time, on a part of the main pool.
   * @throws GatewayError RATE_LIMITED, or that of `busy`, if it has no turn in time
   */
  largeChange<T>(businessId: number, work: (tx: Tx) => Promise<T>, options?: LargeChangeOptions): Promise<T> {
    return this.largeChanges.run(businessId, work, options);
  }

  /**
   * Reads of the dashboard, on separate read-only connections. PostgreSQL stops each statement after two seconds.
   * @param holder the business that reads, or the service itself; each has a share of the connections
   */
  reads(holder: number | 'service'): Tx {
    return this.people.forHolder(String(holder));
  }

  /** Resolves if the database responds now. */
  async ping(): Promise<boolean> {
    await this.query('SELECT 1');
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([this.people, this.lookups, this.upkeep, this.nonDurable].map((pool) => pool.close()));
    await this.main.close();
  }
}
