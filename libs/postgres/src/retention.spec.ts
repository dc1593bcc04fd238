import { testDatabase } from '@mgw/testing';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  Database,
  divideByMonth,
  dropMonths,
  makeMonths,
  pruneBatch,
  restOver,
  runMigrations,
  uniteMonths,
  type MonthlyTable,
} from './index';

const NOTES: MonthlyTable = { table: 'shop.notes', column: 'at' };

class Notes1 implements MigrationInterface {
  readonly name = 'Notes1763000000001';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE shop.notes (id integer PRIMARY KEY, at timestamptz NOT NULL, text text NOT NULL DEFAULT '')`);
    await runner.query('CREATE INDEX notes_text ON shop.notes (text)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE shop.notes');
  }
}
class Months2 implements MigrationInterface {
  readonly name = 'Months1763000000002';
  up(runner: QueryRunner): Promise<void> {
    return divideByMonth(runner, NOTES, 'id, at');
  }
  down(runner: QueryRunner): Promise<void> {
    return uniteMonths(runner, NOTES, 'id');
  }
}

describe('what is over age', () => {
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
  const divide = () => runMigrations({ url: database.url, schema: 'shop', migrations: [Notes1, Months2] });
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
  const old = { table: 'shop.notes', where: `at < now() - interval '10 days'` };

  it('goes in bounded batches, and what is young stays', async () => {
    await write([1, 2, 3, 4, 5], '2020-01-01');
    await write([6], new Date().toISOString());
    const batches = [await pruneBatch(db, old, 2), await pruneBatch(db, old, 2), await pruneBatch(db, old, 2)];
    expect(batches).toEqual([2, 2, 1]);
    expect(await ids()).toEqual([6]);
  });

  it('is passed over while somebody works on it', async () => {
    await write([1, 2], '2020-01-01');
    await db.transaction(async (tx) => {
      await tx.query('SELECT FROM shop.notes WHERE id = 1 FOR UPDATE');
      expect(await pruneBatch(db, old, 10)).toBe(1);
    });
    expect(await ids()).toEqual([1]);
  });

  it('is left to the replica that is at it', async () => {
    await write([1], '2020-01-01');
    await db.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('retention:shop.notes', 0))`);
      expect(await pruneBatch(db, old, 10)).toBeNull();
    });
    expect(await ids()).toEqual([1]);
  });

  it('a table is divided into months with its rows, defaults and indexes, and put together again', async () => {
    await write([1], '2020-01-31T23:59:59.999Z');
    await write([2], '2020-02-01T00:00:00Z');
    await divide();
    expect(await partitions()).toEqual(['shop.notes_2020_01', 'shop.notes_2020_02', ...ahead(), 'shop.notes_rest']);
    expect([await ids('shop.notes_2020_01'), await ids('shop.notes_2020_02')]).toEqual([[1], [2]]);
    const indexes = async (table: string) =>
      (await db.query(`SELECT FROM pg_indexes WHERE schemaname = 'shop' AND tablename = $1`, [table])).length;
    expect(await indexes('notes_2020_01')).toBe(2);
    await new Months2().down(db as never);
    expect([await ids(), await indexes('notes')]).toEqual([[1, 2], 2]);
    await expect(write([1], '2021-01-01')).rejects.toThrow(/duplicate key/);
  });

  it('what belongs to no month is kept, and moves in when its month is made', async () => {
    await divide();
    await db.query(`DROP TABLE ${ahead()[1]}`);
    const inNextMonth = `${ahead()[1]?.slice(-7).replace('_', '-')}-03T00:00:00Z`;
    await write([1], inNextMonth);
    await write([2], '2020-01-01');
    expect(await ids('shop.notes_rest')).toEqual([1, 2]);
    const made = (await Promise.all([makeMonths(db, NOTES), makeMonths(db, NOTES)])).flat();
    expect(new Set(made)).toEqual(new Set([ahead()[1]]));
    expect([await ids('shop.notes_rest'), await ids(ahead()[1])]).toEqual([[2], [1]]);
    expect(await makeMonths(db, NOTES)).toEqual([]);
  });

  it('months are dropped when all of them is over age, by two replicas at once; the rest row by row', async () => {
    const monthsBack = (n: number) => {
      const now = new Date();
      return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n, 15)).toISOString();
    };
    await write([1], monthsBack(5));
    await write([2], monthsBack(3));
    await write([3], monthsBack(0));
    await divide();
    await write([4], '2015-01-01');
    await write([5], monthsBack(1));
    const dropped = (await Promise.all([dropMonths(db, NOTES, 100), dropMonths(db, NOTES, 100)])).flat();
    expect(new Set(dropped)).toEqual(new Set([`shop.notes_${monthsBack(5).slice(0, 7).replace('-', '_')}`]));
    expect(await ids()).toEqual([2, 3, 4, 5]);
    await pruneBatch(db, restOver(NOTES, 100), 10);
    expect(await ids()).toEqual([2, 3, 5]);
  });
});
