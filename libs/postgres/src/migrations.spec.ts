import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { testDatabase } from '@mgw/testing';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runMigrations } from './index';

class Notes1 implements MigrationInterface {
  readonly name = 'Notes1763000000001';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE shop.notes (id integer PRIMARY KEY)');
  }
  async down(): Promise<void> {}
}
class Wrong2 implements MigrationInterface {
  readonly name = 'Wrong1763000000002';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE shop.notes (id integer)');
  }
  async down(): Promise<void> {}
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
      socket.pipe(server).pipe(socket);
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

  it('fail at once if PostgreSQL refuses a statement', async () => {
    await openProxy(0);
    const waited = jest.fn();
    await expect(runMigrations({ url, schema: 'shop', migrations: [Notes1, Wrong2] }, waited)).rejects.toThrow(/already exists/);
    expect(waited).not.toHaveBeenCalled();
  });
});
