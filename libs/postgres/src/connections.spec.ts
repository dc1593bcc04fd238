import { testDatabase, type TestDatabase } from '@mgw/testing';
import { Connections } from './connections';

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
});
