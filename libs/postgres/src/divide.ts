import type { QueryRunner } from 'typeorm';
import type { Tx } from './connections';
import { makeMonth, monthsAhead, type MonthlyTable } from './months';

/**
 * For migrations: divides a table into months, with all its rows and indexes.
 * @param key columns of its primary key, the one that divides among them
 */
export async function divideByMonth(runner: QueryRunner, monthly: MonthlyTable, key: string): Promise<void> {
  const { table, column } = monthly;
  const tx: Tx = { query: (text, values) => runner.query(text, values) };
  await rebuild(tx, table, key, `PARTITION BY RANGE (${column})`, async (before) => {
    await tx.query(`CREATE TABLE ${table}_rest PARTITION OF ${table} DEFAULT`);
    const held = await tx.query<{ month: string }>(
      `SELECT DISTINCT to_char(date_trunc('month', ${column}::timestamptz AT TIME ZONE 'UTC'), 'YYYY-MM') AS month FROM ${before}`,
    );
    for (const month of new Set([...held.map(({ month }) => month), ...(await monthsAhead(tx))])) await makeMonth(tx, monthly, month);
  });
}

/** The way back. */
export async function uniteMonths(runner: QueryRunner, { table }: MonthlyTable, key: string): Promise<void> {
  await rebuild({ query: (text, values) => runner.query(text, values) }, table, key, '', () => Promise.resolve());
}

async function rebuild(tx: Tx, table: string, key: string, how: string, prepare: (before: string) => Promise<void>): Promise<void> {
  const before = `${table}_before`;
  const indexes = await tx.query<{ definition: string }>(
    'SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index WHERE indrelid = $1::regclass AND NOT indisprimary',
    [table],
  );
  await tx.query(`ALTER TABLE ${table} RENAME TO ${before.split('.')[1]}`);
  await tx.query(`CREATE TABLE ${table} (LIKE ${before} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) ${how}`);
  await prepare(before);
  await tx.query(`INSERT INTO ${table} SELECT * FROM ${before}`);
  await tx.query(`DROP TABLE ${before}`);
  await tx.query(`ALTER TABLE ${table} ADD PRIMARY KEY (${key})`);
  // Of a partitioned table the definition says ONLY, which would leave the partitions without.
  for (const { definition } of indexes) await tx.query(definition.replace(' ON ONLY ', ' ON '));
}
