import type { DataSourceOptions } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';

type EntityList = NonNullable<DataSourceOptions['entities']>;
type MigrationList = NonNullable<DataSourceOptions['migrations']>;

export interface DatabaseOptions {
  url: string;
  /** The service's own; nobody else reads or writes it. */
  schema: string;
  entities?: EntityList;
  migrations?: MigrationList;
  /** Connections at most. */
  poolSize?: number;
  applicationName?: string;
  /** Longest statement, in milliseconds. */
  statementTimeoutMs?: number;
}

/**
 * Every statement here finds its rows by an index, a few at a time, and is planned once for each connection. A plan that was
 * made while a table was empty must not read all of it when it is full; compiling plans pays for reports only.
 */
const PLANNING = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'jit'].map((name) => `-c ${name}=off`).join(' ');

export function dataSourceOptions(options: DatabaseOptions): PostgresDataSourceOptions {
  return {
    type: 'postgres',
    url: options.url,
    schema: options.schema,
    applicationName: options.applicationName ?? options.schema,
    entities: options.entities ?? [],
    migrations: options.migrations ?? [],
    migrationsTableName: 'migrations',
    poolSize: options.poolSize ?? 8,
    connectTimeoutMS: 5_000,
    synchronize: false,
    logging: false,
    extra: {
      options: PLANNING,
      statement_timeout: options.statementTimeoutMs ?? 10_000,
      query_timeout: (options.statementTimeoutMs ?? 10_000) + 2_000,
      idle_in_transaction_session_timeout: 15_000,
      keepAlive: true,
    },
  };
}
