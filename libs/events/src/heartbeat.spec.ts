import type { Tx } from '@mgw/postgres';
import { createLogger } from '@mgw/telemetry';
import { eventually, startServers } from '@mgw/testing';
import { Client } from 'pg';
import { deadWorkers, isWorkerAlive, WorkerHeartbeat } from './index';
import { openShop, type Shop } from './shop.fixture';

describe("a worker's heartbeat (guarantees §10, N6)", () => {
  let shop: Shop;
  beforeEach(async () => (shop = await openShop()));
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await shop.close();
  });

  const workers: WorkerHeartbeat[] = [];

  const logger = createLogger('events', 'silent');
  const heartbeat = async () => {
    const worker = new WorkerHeartbeat({ db: shop.db, schema: 'shop', logger });
    workers.push(worker);
    worker.start();
    await eventually(() => worker.id !== undefined);
    return worker;
  };
  const isAlive = async (id: string | null) =>
    (await shop.db.query<{ alive: boolean }>(`SELECT ${isWorkerAlive('shop', 'c.id')} AS alive FROM (SELECT $1::text AS id) c`, [id]))[0]
      ?.alive;

  it('keeps it alive under one id, and a clean stop releases its claims at once', async () => {
    const worker = await heartbeat();
    const { id = '' } = worker;
    const first = await shop.db.query<{ alive_until: Date }>('SELECT alive_until FROM shop.workers');
    await eventually(async () => (await shop.count(`workers WHERE alive_until > '${first[0]?.alive_until.toISOString()}'`)) === 1);
    expect([worker.id, await isAlive(id), await isAlive('another'), await isAlive(null)]).toEqual([id, true, false, false]);
    await worker.stop();
    expect([worker.id, await isAlive(id)]).toEqual([undefined, false]);
  });

  it('keeps it alive until the last of its holders stops', async () => {
    const worker = await heartbeat();
    const { id = '' } = worker;
    worker.start();
    await worker.stop();
    expect([worker.id, await isAlive(id), await shop.count('workers')]).toEqual([id, true, 1]);
    await worker.stop();
    expect([worker.id, await shop.count('workers')]).toEqual([undefined, 0]);
  });

  it('expires by its own clock, and continues under a new id', async () => {
    const worker = await heartbeat();
    const { id } = worker;
    const changes: (string | undefined)[] = [];
    worker.onChange(() => changes.push(worker.id));
    const now = performance.now.bind(performance);
    // After a suspension the clock shows the expiry before any timer fires.
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 2_000);
    expect(worker.id).toBeUndefined();
    await eventually(() => worker.id !== undefined);
    expect(worker.id).not.toBe(id);
    expect(changes).toEqual([undefined, worker.id]);
  });

  it('is dead when its time is up or its row is gone, and neither while its renewal is being committed nor after a crash of PostgreSQL', async () => {
    await shop.db.query(`INSERT INTO shop.workers VALUES ('alive', now() + interval '1 hour'), ('dead', now())`);
    const holders = `SELECT unnest('{alive,dead,gone}'::text[]) AS worker`;
    const dead = async (tx: Tx = shop.db) =>
      (await tx.query<{ worker: string }>(`WITH ${deadWorkers('shop', holders)} SELECT worker FROM dead ORDER BY worker`)).map(
        ({ worker }) => worker,
      );
    expect(await dead()).toEqual(['dead', 'gone']);
    // A crash may have lost renewals that their workers count on.
    await shop.db.query('CREATE VIEW shop.pg_stat_bgwriter AS SELECT clock_timestamp() AS stats_reset');
    await shop.db.transaction(async (tx) => {
      await tx.query('SET LOCAL search_path TO shop, pg_catalog');
      expect(await dead(tx)).toEqual([]);
    });
    await shop.db.transaction(async (tx) => {
      await tx.query(`UPDATE shop.workers SET alive_until = now() + interval '1 hour' WHERE worker_id = 'dead'`);
      expect(await dead()).toEqual(['gone']);
    });
    expect(await dead()).toEqual(['gone']);
  });

  it('knows a crash by the statistics, which PostgreSQL resets when one of its backends was killed', async () => {
    const { servers, stop } = await startServers('postgres');
    /** The process of a connection, and whether the statistics are newer than `since`. */
    const ask = async (since: Date) => {
      const client = new Client({ connectionString: servers.postgres.url });
      client.on('error', () => undefined);
      await client.connect();
      const { rows } = await client.query<{ pid: number; reset: boolean }>(
        'SELECT pg_backend_pid() AS pid, stats_reset > $1 AS reset FROM pg_stat_bgwriter',
        [since],
      );
      return { ...rows[0], end: () => client.end() };
    };
    try {
      const { pid = 0, reset } = await ask(new Date());
      expect(reset).toBe(false);
      const before = new Date();
      process.kill(pid, 'SIGKILL');
      await eventually(async () => {
        const { reset: isReset, end } = await ask(before);
        await end();
        return isReset;
      });
    } finally {
      await stop();
    }
  });

  it('never revives a worker whose claims were free', async () => {
    const worker = await heartbeat();
    const { id } = worker;
    await shop.db.query('UPDATE shop.workers SET alive_until = clock_timestamp()');
    await eventually(() => worker.id !== undefined && worker.id !== id);
    expect(await shop.count('workers WHERE alive_until > clock_timestamp()')).toBe(1);
  });
});
