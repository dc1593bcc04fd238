import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions, type DatabaseOptions } from './options';

/** A number of our own for the advisory lock: migrations of all services of a database run one after the other. */
const MIGRATION_LOCK = 7_214_500_231;

/** Makes the schema and brings it to the newest shape. Safe to run from several places at once; running it again changes nothing. */
export async function runMigrations(
  options: Pick<DatabaseOptions, 'url' | 'schema'> & { migrations: NonNullable<DatabaseOptions['migrations']> },
): Promise<string[]> {
  const client = new Client({ connectionString: options.url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    // Where roles are set up the schema is there, and its owner may not make another: even IF NOT EXISTS would be refused.
    const { rows } = await client.query<{ there: boolean }>('SELECT to_regnamespace(quote_ident($1)) IS NOT NULL AS there', [
      options.schema,
    ]);
    if (!rows[0]?.there) await client.query(`CREATE SCHEMA ${client.escapeIdentifier(options.schema)}`);
    const dataSource = new DataSource(dataSourceOptions({ ...options, poolSize: 1, statementTimeoutMs: 600_000 }));
    await dataSource.initialize();
    const done = await dataSource.runMigrations({ transaction: 'each' }).finally(() => dataSource.destroy());
    return done.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
