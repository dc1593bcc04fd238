import type { Connections, Tx } from './connections';

/**
 * A table that is partitioned by month, in UTC. Its partitions are named `<table>_2026_11`; what belongs to none of them is kept in
 * `<table>_rest`, so that nothing is refused or lost.
 */
export interface MonthlyTable {
  /** `<schema>.<table>` */
  table: string;
  /** A date or timestamptz, part of the primary key. */
  column: string;
  /** The fillfactor of partitions; less than 100 leaves room for updated rows. */
  fillfactor?: number;
}

/** Partitions that are there before their month begins. */
const AHEAD = 2;
/** Making and dropping waits for readers at most so long, because everybody else waits behind it. */
const LOCK_WITHIN = '2s';

/** The start of the month that lay so many days back, as SQL: what is older is in months that are over age as a whole. */
export function startOfMonth(daysBack: number): string {
  return `(date_trunc('month', (now() - interval '${daysBack} days') AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')`;
}

/** Expired rows in the default partition. */
export function restOver({ table, column }: MonthlyTable, days: number): { table: string; where: string } {
  return { table: `${table}_rest`, where: `${column} < ${startOfMonth(days)}` };
}

/** For migrations: makes the partitions of this month and those ahead. */
export function firstMonths(...tables: MonthlyTable[]): (tx: Tx) => Promise<void> {
  return async (tx) => {
    for (const month of await monthsAhead(tx)) for (const monthly of tables) await makeMonth(tx, monthly, month);
  };
}

/** Makes the partitions of this month and those ahead where they are missing. @returns their names */
export async function makeMonths(db: Pick<Connections, 'query' | 'transaction'>, monthly: MonthlyTable): Promise<string[]> {
  const there = new Set(await partitionsOf(db, monthly.table));
  const missing = (await monthsAhead(db)).filter((month) => !there.has(partition(monthly.table, month)));
  for (const month of missing) await alone(db, monthly.table, (tx) => makeMonth(tx, monthly, month));
  return missing.map((month) => partition(monthly.table, month));
}

/** Drops the months all of which is older than so many days. @returns the names of their partitions */
export async function dropMonths(db: Pick<Connections, 'query' | 'transaction'>, { table }: MonthlyTable, days: number): Promise<string[]> {
  const [oldest] = await db.query<{ kept: string }>(`SELECT to_char(${startOfMonth(days)} AT TIME ZONE 'UTC', 'YYYY-MM') AS kept`);
  const over = (await partitionsOf(db, table)).filter((name) => name < partition(table, oldest?.kept ?? '')).sort();
  for (const name of over) await alone(db, table, async (tx) => void (await tx.query(`DROP TABLE IF EXISTS ${name}`)));
  return over;
}

/** @returns `<schema>.<table>_<year>_<month>`, without the rest */
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

/** Attaching a partition blocks no user of other months. Rows of the month in the default partition must move into it first. */
export async function makeMonth(tx: Tx, { table, column, fillfactor = 100 }: MonthlyTable, month: string): Promise<void> {
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

/** One replica at a time changes a table. */
async function alone(db: Pick<Connections, 'query' | 'transaction'>, table: string, change: (tx: Tx) => Promise<void>): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(`SET LOCAL lock_timeout = '${LOCK_WITHIN}'`);
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('months:' || $1, 0))`, [table]);
    await change(tx);
  });
}
