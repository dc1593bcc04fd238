import { setTimeout as pause } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions, type DatabaseOptions } from './options';

/** A number of our own for the advisory lock: migrations of all services of a database run one after the other. */
const MIGRATION_LOCK = 7_214_500_231;

/** How long a database that cannot be reached is waited for, and between two tries, in milliseconds. */
const REACHABLE_WITHIN_MS = 60_000;
const TRY_EVERY_MS = 1_000;
/** PostgreSQL's own codes for "not now": it starts, it stops, it has no connection left. */
const NOT_NOW = ['57P03', '57P01', '53300'];

type Migrations = Pick<DatabaseOptions, 'url' | 'schema'> & { migrations: NonNullable<DatabaseOptions['migrations']> };

/**
 * Makes the schema and brings it to the newest shape. Safe to run from several places at once; running it again changes nothing. A database
 * that cannot be reached is waited for, up to a minute: where a whole stack starts at once, names and servers come up in no certain order.
 * @param onWait is told once why it waits.
 * @returns the names of the migrations that ran
 */
export async function runMigrations(options: Migrations, onWait: (error: unknown) => void = () => undefined): Promise<string[]> {
  const until = Date.now() + REACHABLE_WITHIN_MS;
  for (let waits = false; ; waits = true) {
    try {
      return await migrate(options);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (Date.now() > until) throw error.cause;
      if (!waits) onWait(error.cause);
      await pause(TRY_EVERY_MS);
    }
  }
}

/** No connection yet, and not because PostgreSQL refused it for good. */
class Unreachable extends Error {}

async function reached<T>(connecting: Promise<T>): Promise<T> {
  try {
    return await connecting;
  } catch (error) {
    if (error instanceof DatabaseError && !NOT_NOW.includes(error.code ?? '')) throw error;
    throw new Unreachable('the database cannot be reached', { cause: error });
  }
}

async function migrate(options: Migrations): Promise<string[]> {
  const client = new Client({ connectionString: options.url, connectionTimeoutMillis: 10_000 });
  await reached(client.connect());
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    // Where roles are set up the schema is there, and its owner may not make another: even IF NOT EXISTS would be refused.
    const { rows } = await client.query<{ there: boolean }>('SELECT to_regnamespace(quote_ident($1)) IS NOT NULL AS there', [
      options.schema,
    ]);
    if (!rows[0]?.there) await client.query(`CREATE SCHEMA ${client.escapeIdentifier(options.schema)}`);
    const dataSource = new DataSource(dataSourceOptions({ ...options, poolSize: 1, statementTimeoutMs: 600_000 }));
    await reached(dataSource.initialize());
    const done = await dataSource.runMigrations({ transaction: 'each' }).finally(() => dataSource.destroy());
    return done.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
