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

describe('migrations of a stack that starts all at once (experience: operators)', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let door: ReturnType<typeof createServer>;
  let knocks: number;
  let url: string;
  const through = new Set<Socket>();

  /** A way to the database that resets the first `resets` connections. */
  const openDoor = async (resets: number) => {
    knocks = 0;
    const there = new URL(database.url);
    door = createServer((socket) => {
      knocks += 1;
      through.add(socket.on('error', () => undefined));
      if (knocks <= resets) return void socket.destroy();
      const server = connect(Number(there.port), there.hostname).on('error', () => undefined);
      socket.pipe(server).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(door, 'listening');
    const here = new URL(database.url);
    here.host = `127.0.0.1:${(door.address() as AddressInfo).port}`;
    url = here.href;
  };

  beforeEach(async () => {
    database = await testDatabase();
  });
  afterEach(async () => {
    for (const socket of through) socket.destroy();
    door.close();
    await database.drop();
  });

  it('wait for the database, and say once why', async () => {
    await openDoor(2);
    const said: unknown[] = [];
    expect(await runMigrations({ url, schema: 'shop', migrations: [Notes1] }, (error) => said.push(error))).toEqual(['Notes1763000000001']);
    expect(said).toEqual([expect.any(Error)]);
    expect(knocks).toBeGreaterThan(2);
  });

  it('end at once with what PostgreSQL refused', async () => {
    await openDoor(0);
    const waited = jest.fn();
    await expect(runMigrations({ url, schema: 'shop', migrations: [Notes1, Wrong2] }, waited)).rejects.toThrow(/already exists/);
    expect(waited).not.toHaveBeenCalled();
  });
});
