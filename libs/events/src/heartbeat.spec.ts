import { createLogger } from '@mgw/telemetry';
import { eventually } from '@mgw/testing';
import { isWorkerAlive, WorkerHeartbeat } from './index';
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

  it('keeps it alive under one id, and a clean stop frees its claims at once', async () => {
    const worker = await heartbeat();
    const { id = '' } = worker;
    const first = await shop.db.query<{ alive_until: Date }>('SELECT alive_until FROM shop.workers');
    await eventually(async () => (await shop.count(`workers WHERE alive_until > '${first[0]?.alive_until.toISOString()}'`)) === 1);
    expect([worker.id, await isAlive(id), await isAlive('another'), await isAlive(null)]).toEqual([id, true, false, false]);
    await worker.stop();
    expect([worker.id, await isAlive(id)]).toEqual([undefined, false]);
  });

  it('ends by its own clock, and goes on under a new id', async () => {
    const worker = await heartbeat();
    const { id } = worker;
    const changes: (string | undefined)[] = [];
    worker.onChange(() => changes.push(worker.id));
    const now = performance.now.bind(performance);
    // A process that stood still learns it from the clock, before any timer runs.
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 2_000);
    expect(worker.id).toBeUndefined();
    await eventually(() => worker.id !== undefined);
    expect(worker.id).not.toBe(id);
    expect(changes).toEqual([undefined, worker.id]);
  });

  it('never revives a worker whose claims were free', async () => {
    const worker = await heartbeat();
    const { id } = worker;
    await shop.db.query('UPDATE shop.workers SET alive_until = clock_timestamp()');
    await eventually(() => worker.id !== undefined && worker.id !== id);
    expect(await shop.count('workers WHERE alive_until > clock_timestamp()')).toBe(1);
  });
});
