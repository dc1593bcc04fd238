import { testDatabase, eventually } from '@mgw/testing';
import { Database } from './index';

/** Guarantees §10, N2: reads of the dashboard use no resources of requests and events. */
describe('connections for reads of the dashboard', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let db: Database;
  let locker: Database;

  beforeEach(async () => {
    database = await testDatabase();
    const open = (applicationName: string) => Database.open({ url: database.url, schema: 'public', poolSize: 2, applicationName });
    [db, locker] = [await open('read'), await open('lock')];
    await locker.query('CREATE TABLE notes (id integer)');
  });
  afterEach(async () => {
    await Promise.all([db.close(), locker.close()]);
    await database.drop();
  });

  /** Holds the table against every reader while `work` runs. */
  const whileLocked = (work: () => Promise<unknown>) =>
    locker.transaction(
      async (tx) => {
        await tx.query('LOCK TABLE notes IN ACCESS EXCLUSIVE MODE');
        await work();
      },
      { mayPause: true },
    );
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'ok',
      (error: { error_code?: string }) => error.error_code,
    );
  const readsUnderWay = async () =>
    Number(
      (
        await locker.query<{ n: string }>(
          `SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'read' AND wait_event_type = 'Lock'`,
        )
      )[0]?.n,
    );

  it('stop a read that waits for a lock or runs too long with QUERY_TIMEOUT, and reuse the connection', async () => {
    await whileLocked(async () => expect(await codeOf(db.reads(1).query('SELECT * FROM notes'))).toBe('QUERY_TIMEOUT'));
    expect(await codeOf(db.reads(1).query('SELECT pg_sleep(60)'))).toBe('QUERY_TIMEOUT');
    expect(await db.reads(1).query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await readsUnderWay()).toBe(0);
  });

  it('limit a business to its share: others read, and requests and events keep their connections', async () => {
    const ended: string[] = [];
    await whileLocked(async () => {
      const stuck = Array.from({ length: 1_000 }, () =>
        codeOf(db.reads(1).query('SELECT * FROM notes')).then((code) => ended.push(String(code))),
      );
      await eventually(async () => (await readsUnderWay()) > 0);
      expect(await readsUnderWay()).toBe(1);
      expect(await codeOf(db.reads(2).query('SELECT 1'))).toBe('ok');
      expect(await Promise.all([db.query('SELECT 1'), db.query('SELECT 1')])).toHaveLength(2);
      await Promise.all(stuck);
    });
    expect(new Set(ended)).toEqual(new Set(['QUERY_TIMEOUT']));
    expect(await codeOf(db.reads(1).query('SELECT * FROM notes'))).toBe('ok');
  });

  it('refuse writes', async () => {
    await expect(db.reads(1).query('INSERT INTO notes VALUES (1)')).rejects.toThrow(/read-only/);
  });
});
