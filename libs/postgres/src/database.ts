import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions, type DatabaseOptions } from './options';

export type { DatabaseOptions } from './options';

/** Statements of one transaction. */
export interface Tx {
  query<T>(text: string, values?: unknown[]): Promise<T[]>;
}

/** A service's schema: TypeORM for entities and ordinary queries, its pool for the few hot statements. */
export class Database implements Tx {
  private constructor(
    readonly dataSource: DataSource,
    readonly schema: string,
  ) {}

  /** Connects; retries for 20 s, because services and database start together. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const end = Date.now() + 20_000;
    for (;;) {
      const dataSource = new DataSource(dataSourceOptions(options));
      try {
        await dataSource.initialize();
        const database = new Database(dataSource, options.schema);
        // An idle connection that breaks is replaced by the next query; without a listener it would end the process.
        database.pool.on('error', () => undefined);
        return database;
      } catch (error) {
        if (Date.now() >= end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    }
  }

  get pool(): Pool {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
  }

  async query<T>(text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.pool.query(text, values)).rows as T[];
  }

  /** A prepared statement, planned once per connection; the name must be unique for the text. */
  async prepared<T>(name: string, text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.pool.query({ name, text, values })).rows as T[];
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error) => void (broken = error);
    client.on('error', onError);
    try {
      await client.query('BEGIN');
      const result = await work({
        query: async <R>(text: string, values: unknown[] = []) => (await client.query(text, values)).rows as R[],
      });
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

  close(): Promise<void> {
    return this.dataSource.isInitialized ? this.dataSource.destroy() : Promise.resolve();
  }
}
