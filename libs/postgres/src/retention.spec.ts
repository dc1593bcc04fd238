import { testDatabase } from '@mgw/testing';
import { Database, dropMonths, createMonths, migration, pruneBatch, expiredDefaultRows, runMigrations, type MonthlyTable } from './index';
import { createMonth } from './months';

const NOTES: MonthlyTable = { table: 'shop.notes', column: 'at' };
const Notes1 = migration(
  'Notes1763000000001',
  `CREATE TABLE shop.notes (id integer, at timestamptz NOT NULL, text text NOT NULL DEFAULT '', PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
   CREATE TABLE shop.notes_rest PARTITION OF shop.notes DEFAULT;
   CREATE INDEX notes_text ON shop.notes (text);`,
);

describe('rows that expire', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let db: Database;
  beforeEach(async () => {
    database = await testDatabase();
    await runMigrations({ url: database.url, schema: 'shop', migrations: [Notes1] });
    db = await Database.open({ url: database.url, schema: 'shop' });
  });
  afterEach(async () => {
    await db.close();
    await database.drop();
  });

  const write = (ids: number[], at: string) =>
    db.query('INSERT INTO shop.notes (id, at) SELECT id, $2::timestamptz FROM unnest($1::integer[]) AS id', [ids, at]);
  const ids = async (table = 'shop.notes') => (await db.query<{ id: number }>(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }) => id);
  const make = (...months: string[]) =>
    db.transaction(async (tx) => {
      for (const month of months) await createMonth(tx, NOTES, month);
    });
  const partitions = async () =>
    (
      await db.query<{ name: string }>(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'shop.notes'::regclass ORDER BY 1`,
      )
    ).map(({ name }) => name);
  /** The names of this month and the two after it. */
  const ahead = () =>
    [0, 1, 2].map((n) => {
      const now = new Date();
      return `shop.notes_${new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + n)).toISOString().slice(0, 7).replace('-', '_')}`;
    });
  const old = { table: 'shop.notes_rest', where: `at < now() - interval '10 days'` };

  it('are deleted in bounded batches, and younger rows stay', async () => {
    await write([1, 2, 3, 4, 5], '2020-01-01');
    await write([6], new Date().toISOString());
    const batches = [await pruneBatch(db, old, 2), await pruneBatch(db, old, 2), await pruneBatch(db, old, 2)];
    expect(batches).toEqual([2, 2, 1]);
    expect(await ids()).toEqual([6]);
  });

  it('stay while a transaction has locked them', async () => {
    await write([1, 2], '2020-01-01');
    await db.transaction(async (tx) => {
      await tx.query('SELECT FROM shop.notes WHERE id = 1 FOR UPDATE');
      expect(await pruneBatch(db, old, 10)).toBe(1);
    });
    expect(await ids()).toEqual([1]);
  });

  it('are left to the replica that already deletes from the table', async () => {
    await write([1], '2020-01-01');
    await db.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('retention:shop.notes_rest', 0))`);
      expect(await pruneBatch(db, old, 10)).toBeNull();
    });
    expect(await ids()).toEqual([1]);
  });

  it('a month gets the rows, defaults and indexes of its table', async () => {
    await write([1], '2020-01-31T23:59:59.999Z');
    await write([2], '2020-02-01T00:00:00Z');
    await make('2020-01', '2020-02');
    await createMonths(db, NOTES);
    expect(await partitions()).toEqual(['shop.notes_2020_01', 'shop.notes_2020_02', ...ahead(), 'shop.notes_rest']);
    expect([await ids('shop.notes_2020_01'), await ids('shop.notes_2020_02')]).toEqual([[1], [2]]);
    const indexes = await db.query(`SELECT FROM pg_indexes WHERE schemaname = 'shop' AND tablename = 'notes_2020_01'`);
    expect(indexes).toHaveLength(2);
  });

  it('a row without a month is kept, and moves when its month is created', async () => {
    await createMonths(db, NOTES);
    await db.query(`DROP TABLE ${ahead()[1]}`);
    const inNextMonth = `${ahead()[1]?.slice(-7).replace('_', '-')}-03T00:00:00Z`;
    await write([1], inNextMonth);
    await write([2], '2020-01-01');
    expect(await ids('shop.notes_rest')).toEqual([1, 2]);
    const made = (await Promise.all([createMonths(db, NOTES), createMonths(db, NOTES)])).flat();
    expect(new Set(made)).toEqual(new Set([ahead()[1]]));
    expect([await ids('shop.notes_rest'), await ids(ahead()[1])]).toEqual([[2], [1]]);
    expect(await createMonths(db, NOTES)).toEqual([]);
  });

  it('two replicas drop months when all their rows expired, and delete single rows elsewhere', async () => {
    const monthsBack = (n: number) => {
      const now = new Date();
      return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n, 15)).toISOString();
    };
    await write([1], monthsBack(5));
    await write([2], monthsBack(3));
    await write([3], monthsBack(0));
    await make(...[5, 3, 1, 0].map((n) => monthsBack(n).slice(0, 7)));
    await write([4], '2015-01-01');
    await write([5], monthsBack(1));
    const dropped = (await Promise.all([dropMonths(db, NOTES, 100), dropMonths(db, NOTES, 100)])).flat();
    expect(new Set(dropped)).toEqual(new Set([`shop.notes_${monthsBack(5).slice(0, 7).replace('-', '_')}`]));
    expect(await ids()).toEqual([2, 3, 4, 5]);
    await pruneBatch(db, expiredDefaultRows(NOTES, 100), 10);
    expect(await ids()).toEqual([2, 3, 5]);
  });
});
