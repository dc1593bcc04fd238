import { testDatabase, type TestDatabase } from '@mgw/testing';
import { Connections } from './connections';
import { Database } from './database';
import { runMigrations } from './migrations';
import { poolOptions } from './options';

describe('a pool of connections', () => {
  let database: TestDatabase;
  let connections: Connections;
  beforeAll(async () => {
    database = await testDatabase();
    connections = new Connections({ connectionString: database.url, max: 2 });
  });
  afterAll(async () => {
    await connections.close();
    await database.drop();
  });

  it('guarantees §8: survives PostgreSQL ending a connection in the moment of its handover to a transaction', async () => {
    let thrown: unknown;
    connections.pool.once('acquire', (client) =>
      queueMicrotask(() => {
        try {
          client.emit('error', new Error('terminating connection due to administrator command'));
        } catch (error) {
          thrown = error;
        }
      }),
    );
    expect(await connections.transaction((tx) => tx.query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    expect(thrown).toBeUndefined();
  });

  it('names the setting if PostgreSQL refuses the first connection', async () => {
    const wrong = { url: database.url.replace(/[^/]*$/, 'no_database'), schema: 'public' };
    const refused = /^DATABASE_URL: database "no_database" does not exist$/;
    await expect(Database.open(wrong)).rejects.toThrow(refused);
    await expect(runMigrations({ ...wrong, migrations: [] })).rejects.toThrow(refused);
  });

  it('decision 791: gets a lock while the process that holds it stands still within its transaction', async () => {
    const pool = new Connections(poolOptions({ url: database.url, schema: 'public' }));
    const lock = 'SELECT pg_advisory_xact_lock(791)';
    let resume = () => {};
    let lockHeld = () => {};
    const isLocked = new Promise<void>((resolve) => (lockHeld = resolve));
    const suspended = pool
      .transaction(async (tx) => {
        await tx.query(lock);
        lockHeld();
        await new Promise<void>((resolve) => (resume = resolve));
        await tx.query('SELECT 1');
      })
      .catch((error: Error) => error);
    await isLocked;
    expect(await pool.transaction((tx) => tx.query(lock))).toHaveLength(1);
    resume();
    expect(await suspended).toBeInstanceOf(Error);
    await pool.close();
  });
});
