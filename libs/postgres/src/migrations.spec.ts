import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { eventually, testDatabase } from '@mgw/testing';
import { Client } from 'pg';
import { migration, runMigrations } from './index';

const Notes1 = migration('Notes1763000000001', 'CREATE TABLE shop.notes (id integer PRIMARY KEY)');
const Wrong2 = migration('Wrong1763000000002', 'CREATE TABLE shop.notes (id integer)');
const Text2 = migration('Text1763000000002', 'ALTER TABLE shop.notes ADD text text');
const Tags1 = migration('Tags1763000000001', 'CREATE TABLE shop.tags (id integer)');
const Slow2 = migration('Slow1763000000002', 'SELECT pg_sleep(0.4)');

/** The first message of a connection without the limits that it requests, which PgBouncer ignores. */
function withoutLimits(start: Buffer): Buffer {
  const words = start.subarray(8).toString().split('\0');
  const kept = words.flatMap((name, at) => (at % 2 === 1 || name.endsWith('_timeout') ? [] : [`${name}\0${words[at + 1] ?? ''}\0`]));
  const body = Buffer.from(kept.filter((one) => one !== '\0\0').join('') + '\0');
  const head = Buffer.from(start.subarray(0, 8));
  head.writeInt32BE(head.length + body.length);
  return Buffer.concat([head, body]);
}

describe('migrations while a whole stack starts', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let proxy: ReturnType<typeof createServer>;
  let attempts: number;
  let url: string;
  const through = new Set<Socket>();

  /** Opens a proxy to the database that resets the first `resets` connections. */
  const openProxy = async (resets: number) => {
    attempts = 0;
    const target = new URL(database.url);
    proxy = createServer((socket) => {
      attempts += 1;
      through.add(socket.on('error', () => undefined));
      if (attempts <= resets) return void socket.destroy();
      const server = connect(Number(target.port), target.hostname).on('error', () => undefined);
      socket.once('data', (start: Buffer) => {
        server.write(withoutLimits(start));
        socket.pipe(server);
      });
      server.pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = new URL(database.url);
    address.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    url = address.href;
  };

  beforeEach(async () => {
    database = await testDatabase();
  });
  afterEach(async () => {
    for (const socket of through) socket.destroy();
    proxy.close();
    await database.drop();
  });

  it('wait for the database and report the first failure once', async () => {
    await openProxy(2);
    const failures: unknown[] = [];
    expect(await runMigrations({ url, schema: 'shop', migrations: [Notes1] }, (error) => failures.push(error))).toEqual([
      'Notes1763000000001',
    ]);
    expect(failures).toEqual([expect.any(Error)]);
    expect(attempts).toBeGreaterThan(2);
  });

  it('have their own limits if a PgBouncer ignores those of a connection and the role has others', async () => {
    const other = new Client({ connectionString: database.url });
    await other.connect();
    await other.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET statement_timeout = '200ms'`);
    await other.query('SELECT pg_advisory_lock(7214500231)');
    await openProxy(0);
    const migrated = runMigrations({ url, schema: 'shop', migrations: [Notes1, Slow2] });
    await other.query('SELECT pg_sleep(0.4)');
    await other.end();
    expect(await migrated).toEqual(['Notes1763000000001', 'Slow1763000000002']);
  });

  it('fail at once if PostgreSQL refuses a statement', async () => {
    await openProxy(0);
    const waited = jest.fn();
    await expect(runMigrations({ url, schema: 'shop', migrations: [Notes1, Wrong2] }, waited)).rejects.toThrow(/already exists/);
    expect(waited).not.toHaveBeenCalled();
  });
});

describe('migrations while another session holds a lock', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let reader: Client;
  let user: Client;
  beforeEach(async () => {
    database = await testDatabase();
    await migrate([Notes1]);
    [reader, user] = [new Client({ connectionString: database.url }), new Client({ connectionString: database.url })];
    await Promise.all([reader.connect(), user.connect()]);
    await reader.query('BEGIN');
    await reader.query('SELECT FROM shop.notes');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([reader.end(), user.end()]);
    await database.drop();
  });

  const migrate = (migrations: ReturnType<typeof migration>[]) => runMigrations({ url: database.url, schema: 'shop', migrations });
  const waits = async () =>
    (await user.query(`SELECT FROM pg_locks WHERE relation = 'shop.notes'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`))
      .rowCount === 1;

  it('retry until the lock is free, and do not block other statements on the table', async () => {
    const migrated = migrate([Notes1, Tags1, Text2]);
    await user.query(`SET lock_timeout = '5s'`);
    for (let attempt = 0; attempt < 2; attempt++) {
      await eventually(waits, { everyMs: 10 });
      await user.query('INSERT INTO shop.notes (id) VALUES ($1)', [attempt]);
    }
    await reader.query('COMMIT');
    // The first attempt committed one of them.
    expect(await migrated).toEqual(['Tags1763000000001', 'Text1763000000002']);
    expect((await user.query('SELECT id, text FROM shop.notes ORDER BY id')).rows).toEqual([
      { id: 0, text: null },
      { id: 1, text: null },
    ]);
  });

  it('fail with a clear error if the lock is not free within minutes', async () => {
    const now = performance.now.bind(performance);
    let minutes = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000 * (minutes += 5));
    await expect(migrate([Notes1, Text2])).rejects.toThrow(/^another session holds a lock that the migration of shop needs/);
    await reader.query('COMMIT');
    expect(await migrate([Notes1, Text2])).toEqual(['Text1763000000002']);
  });
});
