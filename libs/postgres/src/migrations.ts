import { Client } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { applyFunctions, functionFilesIn } from './functions';
import { poolOptions, type DatabaseOptions } from './options';
import { asOpeningError, whenReachable } from './reachable';
import { TABLE_LOCK_WITHIN_MS, whenUnlocked } from './unlocked';

/** Key of the advisory lock that makes the services of one database migrate one after the other. */
const MIGRATION_LOCK = 7_214_500_231;

/** Longest wait for the database, in milliseconds. */
const REACHABLE_WITHIN_MS = 60_000;

/** Longest statement of a migration, in milliseconds: as long as the chart's Job. */
const STATEMENT_WITHIN_MS = 600_000;

/** A schema: each migration changes its tables once; functions are replaced whenever their file changes. */
export interface SchemaOptions extends Pick<DatabaseOptions, 'url' | 'schema'> {
  migrations: NonNullable<DataSourceOptions['migrations']>;
  /** The folder of the service's sources, whose `*.sql` files hold its functions. */
  sources?: string;
}

/**
 * Creates the schema, runs its new migrations and applies its changed functions. Several processes may call it at once, and a repeated call
 * changes nothing. It waits up to a minute for the database, because the servers of a stack start in any order. While other sessions hold
 * locks that a migration needs, it retries for about eight minutes.
 * @param onWait receives the first failure to connect
 * @returns the names of the applied migrations and function files
 */
export async function runMigrations(options: SchemaOptions, onWait?: (error: unknown) => void): Promise<string[]> {
  const client = await whenReachable(
    async () => {
      const client = new Client({ connectionString: options.url, connectionTimeoutMillis: 10_000 });
      await client.connect();
      return client;
    },
    { withinMs: REACHABLE_WITHIN_MS, onWait },
  ).catch((error: unknown) => Promise.reject(asOpeningError(error)));
  try {
    // A role may have limits of its own, and other services may migrate for minutes.
    await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    // With prepared roles the schema exists and its owner may not create one: PostgreSQL refuses even IF NOT EXISTS.
    const { rows } = await client.query<{ exists: boolean }>('SELECT to_regnamespace(quote_ident($1)) IS NOT NULL AS exists', [
      options.schema,
    ]);
    if (!rows[0]?.exists) await client.query(`CREATE SCHEMA ${client.escapeIdentifier(options.schema)}`);
    const done = await applyMigrations(options);
    if (options.sources === undefined) return done;
    const files = functionFilesIn(options.sources);
    const functions = await whenUnlocked(`a function file of ${options.schema}`, () => applyFunctions(client, options.schema, files));
    return [...done, ...functions];
  } finally {
    await client.end();
  }
}

/** @returns the names of the migrations that ran */
async function applyMigrations(options: SchemaOptions): Promise<string[]> {
  const dataSource = await whenReachable(() => openDataSource(options), { withinMs: REACHABLE_WITHIN_MS });
  try {
    const { MigrationExecutor } = await import('typeorm');
    // Read before the first attempt, because an attempt that fails may have committed some of them.
    let pending: string[] | undefined;
    // Each migration is one transaction, so a retry begins with the one that failed.
    await whenUnlocked(`the migration of ${options.schema}`, async () => {
      pending ??= (await new MigrationExecutor(dataSource).getPendingMigrations()).map(({ name }) => name);
      await dataSource.runMigrations({ transaction: 'each' });
    });
    return pending ?? [];
  } finally {
    await dataSource.destroy();
  }
}

/** Imports TypeORM only here: its 300 files would take a third of the memory of a running service. */
async function openDataSource({ url, schema, migrations }: SchemaOptions) {
  const { DataSource } = await import('typeorm');
  const dataSource = await new DataSource({
    type: 'postgres',
    url,
    schema,
    migrations,
    migrationsTableName: 'migrations',
    logging: false,
    extra: poolOptions({ url, schema, poolSize: 1, statementTimeoutMs: STATEMENT_WITHIN_MS }),
  }).initialize();
  // A PgBouncer ignores the limits that a connection requests at its start.
  await dataSource.query(`SET statement_timeout = ${STATEMENT_WITHIN_MS}; SET lock_timeout = ${TABLE_LOCK_WITHIN_MS}`);
  return dataSource;
}
