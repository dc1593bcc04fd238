import { eventually, testDatabase } from '@mgw/testing';
import { Database } from './index';

describe('decision 797: large changes of businesses', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let db: Database;
  let locker: Database;

  beforeEach(async () => {
    database = await testDatabase();
    db = await Database.open({ url: database.url, schema: 'public', poolSize: 8, applicationName: 'change' });
    locker = await Database.open({ url: database.url, schema: 'public', poolSize: 2 });
    await locker.query('CREATE TABLE notes (id integer)');
  });
  afterEach(async () => {
    await Promise.all([db.close(), locker.close()]);
    await database.drop();
  });

  const add = (businessId: number, id: number) =>
    db
      .largeChange(businessId, (tx) => tx.query(`INSERT INTO ${id < 100 ? 'notes' : 'others'} VALUES ($1)`, [id]))
      .then(
        () => 'ok',
        ({ error_code }: { error_code?: string }) => error_code,
      );
  const underWay = async () => {
    const sql = `SELECT FROM pg_stat_activity WHERE application_name = 'change' AND wait_event_type = 'Lock'`;
    return (await locker.query(sql)).length;
  };

  it('run one by one, and leave the others their turn and the main pool most connections', async () => {
    await locker.query('CREATE TABLE others (id integer)');
    const { ends } = await locker.transaction(
      async (tx) => {
        await tx.query('LOCK TABLE notes IN ACCESS EXCLUSIVE MODE');
        const stuck = Array.from({ length: 10 }, (_, id) => add(1, id));
        await eventually(async () => (await underWay()) > 0);
        expect(await add(2, 100)).toBe('ok');
        expect(await Promise.all(Array.from({ length: 6 }, () => db.query('SELECT FROM others')))).toHaveLength(6);
        expect(await underWay()).toBe(1);
        expect(await Promise.race(stuck)).toBe('RATE_LIMITED');
        return { ends: stuck };
      },
      { mayPause: true },
    );
    expect((await Promise.all(ends))[0]).toBe('ok');
    expect(await add(1, 11)).toBe('ok');
  });

  it('run on a pool of one connection, and end with their error', async () => {
    const small = await Database.open({ url: database.url, schema: 'public', poolSize: 1 });
    await expect(small.largeChange(1, (tx) => tx.query('SELECT 1 / 0'))).rejects.toThrow('division by zero');
    expect(await Promise.all([1, 1, 2].map((id) => small.largeChange(id, (tx) => tx.query('SELECT 1 AS one'))))).toHaveLength(3);
    await small.close();
  });
});
