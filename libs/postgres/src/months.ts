import type { Connections, Tx } from './connections';

/**
 * A table that is partitioned by month, in UTC, into `<table>_2026_11` and so on. `<table>_rest` keeps rows without a month, so that no row is
 * refused or lost.
 */
export interface MonthlyTable {
  /** `<schema>.<table>` */
  table: string;
  /** A date or timestamptz, part of the primary key. */
  column: string;
  /** Fillfactor of the partitions; less than 100 leaves room for rows that change. */
  fillfactor?: number;
}

/** Months that have a partition before they begin. */
const AHEAD = 2;
/** Longest wait for a lock on the table: everything else waits behind it. */
const LOCK_WITHIN = '2s';

/** SQL of the start of the month that was this many days ago. All rows of earlier months are older. */
export function startOfMonth(daysBack: number): string {
  return `(date_trunc('month', (now() - interval '${daysBack} days') AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')`;
}

/** Expired rows in the default partition. */
export function expiredDefaultRows({ table, column }: MonthlyTable, days: number): { table: string; where: string } {
  return { table: `${table}_rest`, where: `${column} < ${startOfMonth(days)}` };
}

/** For migrations: creates the partitions of this month and the next two. */
export function firstMonths(...tables: MonthlyTable[]): (tx: Tx) => Promise<void> {
  return async (tx) => {
    for (const month of await monthsAhead(tx)) for (const monthly of tables) await createMonth(tx, monthly, month);
  };
}

/** Creates the missing partitions of this month and the next two. @returns their names */
export async function createMonths(db: Pick<Connections, 'query' | 'transaction'>, monthly: MonthlyTable): Promise<string[]> {
  const existing = new Set(await partitionsOf(db, monthly.table));
  const missing = (await monthsAhead(db)).filter((month) => !existing.has(partition(monthly.table, month)));
  for (const month of missing) await exclusively(db, monthly.table, (tx) => createMonth(tx, monthly, month));
  return missing.map((month) => partition(monthly.table, month));
}

/** Drops months whose rows are all older than this many days. @returns the names of their partitions */
export async function dropMonths(db: Pick<Connections, 'query' | 'transaction'>, { table }: MonthlyTable, days: number): Promise<string[]> {
  const [oldest] = await db.query<{ kept: string }>(`SELECT to_char(${startOfMonth(days)} AT TIME ZONE 'UTC', 'YYYY-MM') AS kept`);
  const expired = (await partitionsOf(db, table)).filter((name) => name < partition(table, oldest?.kept ?? '')).sort();
  for (const name of expired) await exclusively(db, table, async (tx) => void (await tx.query(`DROP TABLE IF EXISTS ${name}`)));
  return expired;
}

/** @returns `<schema>.<table>_<year>_<month>`, without the default partition */
async function partitionsOf(tx: Tx, table: string): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    `SELECT n.nspname || '.' || c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     JOIN pg_namespace n ON n.oid = c.relnamespace WHERE i.inhparent = $1::regclass AND c.relname ~ '_[0-9]{4}_[0-9]{2}$'`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** @returns `2026-11` and so on */
async function monthsAhead(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ month: string }>(
    `SELECT to_char(date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n), 'YYYY-MM') AS month
     FROM generate_series(0, ${AHEAD}) AS n`,
  );
  return rows.map(({ month }) => month);
}

/** Attaching does not block users of other months. Rows of the month leave the default partition first; otherwise attaching fails. */
export async function createMonth(tx: Tx, { table, column, fillfactor = 100 }: MonthlyTable, month: string): Promise<void> {
  const name = partition(table, month);
  const [year, nth] = month.split('-').map(Number) as [number, number];
  const [from, to] = [nth, nth + 1].map((n) => `'${new Date(Date.UTC(year, n - 1)).toISOString()}'`);
  await tx.query(`LOCK TABLE ${table}_rest IN ACCESS EXCLUSIVE MODE`);
  if ((await partitionsOf(tx, table)).includes(name)) return;
  await tx.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) WITH (fillfactor = ${fillfactor})`);
  await tx.query(
    `WITH moved AS (DELETE FROM ${table}_rest WHERE ${column} >= ${from} AND ${column} < ${to} RETURNING *) INSERT INTO ${name} SELECT * FROM moved`,
  );
  await tx.query(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`);
}

function partition(table: string, month: string): string {
  return `${table}_${month.replace('-', '_')}`;
}

/** Lets one replica at a time change a table's partitions. */
async function exclusively(
  db: Pick<Connections, 'query' | 'transaction'>,
  table: string,
  change: (tx: Tx) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(`SET LOCAL lock_timeout = '${LOCK_WITHIN}'`);
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('months:' || $1, 0))`, [table]);
    await change(tx);
  });
}
