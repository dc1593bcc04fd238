import { createServer, Socket, type AddressInfo } from 'node:net';
import { freePort, testDatabase } from '@mgw/testing';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { asCallerError, hadNoTurn, isTimeout, mayBeCommitted } from './index';

describe('a statement that failed', () => {
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

  const refused = () => failureOf('SELECT 1 / 0');
  const unreachable = async () => failureOf('SELECT 1', { connectionString: `postgresql://nobody@127.0.0.1:${await freePort()}/none` });
  /** Connecting fails with this error. */
  const notConnected = (error: Error) => () => {
    const socket = new Socket();
    socket.connect = () => socket.destroy(error);
    return failureOf('SELECT 1', { stream: () => socket });
  };
  const withoutRoute = notConnected(Object.assign(new Error('connect EHOSTUNREACH'), { code: 'EHOSTUNREACH', syscall: 'connect' }));
  const refusedAtEachAddress = notConnected(Object.assign(new AggregateError([], 'x'), { code: 'ECONNREFUSED' }));
  const notReceived = [unreachable, withoutRoute, refusedAtEachAddress];
  const withoutConnection = () =>
    failureOf('SELECT 1', { max: 1, connectionTimeoutMillis: 1_000 }, (pool) =>
      pool.connect().then((client) => pool.query('SELECT 1').finally(() => client.release())),
    );
  /** The server accepts the connection and sends nothing. */
  const notOpened = async () => {
    const server = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const failure = await failureOf('SELECT 1', {
      connectionString: `postgresql://nobody@127.0.0.1:${port}/none`,
      connectionTimeoutMillis: 50,
    });
    server.close();
    return failure;
  };
  const afterEnd = (end: (client: PoolClient) => Promise<unknown>) => () =>
    failureOf('SELECT 1', {}, async (pool) => {
      const client = await pool.connect();
      await end(client);
      return client.query('SELECT 1').finally(() => client.release(true));
    });
  const closed = afterEnd((client) => client.end());
  const broken = afterEnd((client) => {
    client.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    return new Promise((resolve) => client.once('error', resolve));
  });
  const terminated = () => failureOf('SELECT pg_terminate_backend(pg_backend_pid())');
  const unanswered = () => failureOf('SELECT pg_sleep(1)', { query_timeout: 50 });
  const stopped = () => failureOf('SELECT pg_sleep(1)', { statement_timeout: 50 });

  it('may be committed if the connection ended or no response came, and never if PostgreSQL refused or did not receive it (guarantees §1)', async () => {
    for (const failure of [refused, ...notReceived, withoutConnection, notOpened, closed, broken, stopped])
      expect(mayBeCommitted(await failure())).toBe(false);
    for (const failure of [terminated, unanswered]) expect(mayBeCommitted(await failure())).toBe(true);
  });

  it('may be repeated if PostgreSQL did not receive it', async () => {
    for (const failure of [...notReceived, withoutConnection, notOpened, closed, broken])
      expect(asCallerError(await failure())).toMatchObject({ error_code: 'INTERNAL', extras: { retryable: true } });
    for (const failure of [refused, terminated, unanswered, stopped]) expect(asCallerError(await failure())).toBeNull();
  });

  it('took too long if it got no connection or no response in time, or was stopped', async () => {
    for (const failure of [withoutConnection, notOpened, unanswered, stopped]) expect(isTimeout(await failure())).toBe(true);
    for (const failure of [refused, unreachable, terminated]) expect(isTimeout(await failure())).toBe(false);
  });

  it('had no turn if it got no connection in time (decision 760)', async () => {
    for (const failure of [withoutConnection, notOpened]) expect(hadNoTurn(await failure())).toBe(true);
    for (const failure of [refused, terminated, unanswered, stopped]) expect(hadNoTurn(await failure())).toBe(false);
  });
});
