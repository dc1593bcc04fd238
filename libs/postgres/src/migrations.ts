import { Client } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { poolOptions, type DatabaseOptions } from './options';
import { whenReachable } from './reachable';

/** A number of our own for the advisory lock: migrations of all services of a database run one after the other. */
const MIGRATION_LOCK = 7_214_500_231;

/** How long a database that cannot be reached is waited for, in milliseconds. */
const REACHABLE_WITHIN_MS = 60_000;

/**
 * Makes the schema and brings it to the newest shape. Safe to run from several places at once; running it again changes nothing. A database
 * that cannot be reached is waited for, up to a minute: where a whole stack starts at once, names and servers come up in no certain order.
 * @param onWait is told once why it waits.
 * @returns the names of the migrations that ran
 */
export async function runMigrations(
  options: Pick<DatabaseOptions, 'url' | 'schema'> & { migrations: NonNullable<DataSourceOptions['migrations']> },
  onWait?: (error: unknown) => void,
): Promise<string[]> {
  const client = await whenReachable(
    async () => {
      const client = new Client({ connectionString: options.url, connectionTimeoutMillis: 10_000 });
      await client.connect();
      return client;
    },
    { withinMs: REACHABLE_WITHIN_MS, onWait },
  );
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    // Where roles are set up the schema is there, and its owner may not make another: even IF NOT EXISTS would be refused.
    const { rows } = await client.query<{ there: boolean }>('SELECT to_regnamespace(quote_ident($1)) IS NOT NULL AS there', [
      options.schema,
    ]);
    if (!rows[0]?.there) await client.query(`CREATE SCHEMA ${client.escapeIdentifier(options.schema)}`);
    const dataSource = await whenReachable(() => openDataSource(options), { withinMs: REACHABLE_WITHIN_MS });
    const done = await dataSource.runMigrations({ transaction: 'each' }).finally(() => dataSource.destroy());
    return done.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** TypeORM is loaded here and not above: its 300 files are a third of what a service that never migrates would hold in memory. */
async function openDataSource({ url, schema, migrations }: Parameters<typeof runMigrations>[0]) {
  const { DataSource } = await import('typeorm');
  const extra = { ...poolOptions({ url, schema, poolSize: 1, statementTimeoutMs: 600_000 }), lock_timeout: 0 };
  return new DataSource({
    type: 'postgres',
    url,
    schema,
    migrations,
    migrationsTableName: 'migrations',
    logging: false,
    extra,
  }).initialize();
}
