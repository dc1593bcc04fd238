import { metricsRead, rowsRead } from '@mgw/harness';
import { metricsController } from '@mgw/service';
import { METRICS } from '../metrics';
import { startDispatching, type Dispatching } from './dispatch.fixture';
import { DeliveryLogStore } from './delivery-log.store';

const MANY = 30_000;

/** Guarantees §10, N2: pages and metrics read a bounded number of rows, whatever the volume of the webhooks. */
describe('the delivery log and the metrics with many deliveries', () => {
  let dispatching: Dispatching;
  let quiet: number;
  let busy: number;

  beforeAll(async () => {
    dispatching = await startDispatching();
    const { db } = dispatching.harness;
    [quiet, busy] = (await dispatching.store(['http://127.0.0.1:9/', 'http://127.0.0.1:9/'])) as [number, number];
    const insert = (webhook: number, count: number, state: string, queued: boolean) =>
      db.query(
        `INSERT INTO dispatch.deliveries (webhook_id, business_id, event, event_id, ordering_key, body, state, queued, created_at, finished_at)
         SELECT $1, 1, 'message.sent', $2::text || n, 'conversation:' || n, '{}', $2::text, $3, now() - interval '1 hour', CASE WHEN NOT $3 THEN now() END
         FROM generate_series(1, $4::integer) AS n`,
        [webhook, state, queued, count],
      );
    await insert(quiet, 20, 'succeeded', false);
    await insert(busy, MANY, 'succeeded', false);
    await insert(busy, 3, 'failed', false);
    await insert(busy, MANY, 'pending', true);
    await db.query(`INSERT INTO dispatch.lanes (webhook_id, ordering_key, business_id, open)
      SELECT webhook_id, ordering_key, business_id, 1 FROM dispatch.deliveries WHERE queued`);
    await db.query('INSERT INTO dispatch.feeds (business_id, last_seq) VALUES (1, 1)');
    await db.query(
      `INSERT INTO dispatch.backlog (business_id, event_id, event, ordering_key, body, created_at)
       SELECT 1, n, 'message.sent', 'conversation:' || n, '{}', now() - interval '2 hours' FROM generate_series(1, $1::integer) AS n`,
      [MANY],
    );
    await db.query('VACUUM ANALYZE');
  }, 120_000);
  afterAll(() => dispatching.harness.close());

  const list = async (webhook_id: number, state: 'failed' | 'succeeded' | 'skipped' | null, filter: object = {}) => {
    let found: number | undefined;
    const rows = await rowsRead(dispatching.harness.db, async (db) => {
      const page = await new DeliveryLogStore(db).list({ business_id: 1, webhook_id, limit: 20, cursor: null, state, ...filter });
      found = page?.deliveries.length;
    });
    return { found, rows: rows['deliveries'] ?? 0 };
  };

  it("reads a quiet webhook's own rows twice, and few rows of a busy one without a filter", async () => {
    expect(await list(quiet, null)).toEqual({ found: 20, rows: 40 });
    const { found, rows } = await list(busy, null);
    expect(found).toBe(20);
    expect(rows).toBeLessThanOrEqual(600);
  });

  it('examines a bounded number of rows for a rare state', async () => {
    const { found, rows } = await list(busy, 'failed');
    expect(found).toBe(3);
    expect(rows).toBeLessThanOrEqual(52_000);
    expect((await list(busy, 'skipped')).rows).toBeLessThanOrEqual(52_000);
  });

  it('decision 285: finds a period without reading what is newer or older, and filters by event', async () => {
    const { db } = dispatching.harness;
    const [{ at } = { at: '' }] = await db.query<{ at: string }>(
      `UPDATE dispatch.deliveries SET created_at = now() - interval '5 hours', event = 'ai.replied'
       WHERE id = (SELECT min(id) + 50 FROM dispatch.deliveries WHERE webhook_id = $1) RETURNING created_at AS at`,
      [busy],
    );
    const time = (ms: number) => new Date(new Date(at).getTime() + ms).toISOString();
    const hour = 3_600_000;
    const { found, rows } = await list(busy, null, { from: time(0), to: time(hour) });
    expect([found, rows < 200]).toEqual([1, true]);
    expect((await list(busy, null, { from: time(1), to: time(hour) })).found).toBe(0);
    expect((await list(busy, null, { from: time(-hour), to: time(-1) })).found).toBe(0);
    expect((await list(busy, null, { to: time(0), event: 'ai.replied' })).found).toBe(1);
    expect((await list(busy, null, { to: time(0), event: 'message.sent' })).found).toBe(0);
    expect((await list(quiet, null, { from: time(hour), event: 'message.sent' })).found).toBe(20);
  });

  it('finds the deliveries of events by their ids', async () => {
    const rows = await rowsRead(dispatching.harness.db, (db) => new DeliveryLogStore(db).byEvents(1, ['succeeded7', 'succeeded8']));
    expect(rows['deliveries']).toBeLessThanOrEqual(8);
  });

  it('bounds what the metrics count', async () => {
    const { metrics, rows } = await metricsRead(
      dispatching.harness.db,
      metricsController('outbound-webhook-dispatcher', 'dispatch', METRICS),
    );
    expect(metrics['events_in_backlog']).toBe(10_000);
    expect(rows['backlog']).toBeLessThanOrEqual(10_001);
    expect(metrics['deliveries_waiting']).toBe(10_000);
    expect(metrics['deliveries_oldest_seconds']).toBeGreaterThanOrEqual(7_200);
    expect(rows['deliveries']).toBeLessThanOrEqual(10);
    expect(rows['lanes']).toBeLessThanOrEqual(10_100);
  });
});
