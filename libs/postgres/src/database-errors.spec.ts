import { freePort, testDatabase } from '@mgw/testing';
import { Pool, type PoolConfig } from 'pg';
import { mayBeCommitted } from './index';

describe('whether a statement that failed may be committed (guarantees §1)', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  beforeAll(async () => (database = await testDatabase()));
  afterAll(() => database.drop());

  const failureOf = async (sql: string, options: PoolConfig = {}, use = (pool: Pool) => pool.query(sql) as Promise<unknown>) => {
    const pool = new Pool({ connectionString: database.url, ...options });
    pool.on('error', () => undefined);
    const failure = await use(pool).catch((error: unknown) => error);
    expect(failure).toHaveProperty('message');
    await pool.end();
    return failure;
  };

  it('is false if PostgreSQL refused or never received the statement', async () => {
    expect(mayBeCommitted(await failureOf('SELECT 1 / 0'))).toBe(false);
    const unreachable = `postgresql://nobody@127.0.0.1:${await freePort()}/none`;
    expect(mayBeCommitted(await failureOf('SELECT 1', { connectionString: unreachable }))).toBe(false);
    const allTaken = (pool: Pool) =>
      pool.connect().then((client) =>
        pool
          .query('SELECT 1')
          .catch((error: unknown) => error)
          .finally(() => client.release()),
      );
    expect(mayBeCommitted(await failureOf('SELECT 1', { max: 1, connectionTimeoutMillis: 50 }, allTaken))).toBe(false);
  });

  it('is true if the connection ended or the statement took too long', async () => {
    expect(mayBeCommitted(await failureOf('SELECT pg_terminate_backend(pg_backend_pid())'))).toBe(true);
    expect(mayBeCommitted(await failureOf('SELECT pg_sleep(1)', { query_timeout: 50 }))).toBe(true);
  });
});
