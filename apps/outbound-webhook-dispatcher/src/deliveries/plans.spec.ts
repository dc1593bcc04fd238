import { rowsRead } from '@mgw/harness';
import type { Database } from '@mgw/postgres';
import type { Attempt } from './attempt';
import { DeliveriesStore } from './deliveries.store';
import { sent, startDispatching, type Dispatching } from './dispatch.fixture';
import { LanesStore } from './lanes.store';
import { capacityBeside } from './capacity';

const OPEN = 3_000;
const WORKER = 'worker';

/** @returns the rows of deliveries, lanes and feeds that the statements read, and those that their joins discarded */
async function openRowsRead(db: Database, read: (db: Database) => Promise<unknown>, grow?: string): Promise<number> {
  const { deliveries = 0, lanes = 0, feeds = 0, '': inVain = 0 } = await rowsRead(db, read, grow);
  return deliveries + lanes + feeds + inVain;
}

/**
 * After weeks PostgreSQL's statistics claim that almost nothing is open, and a new table has none. Under both, a statement may read the
 * rows that it works on, but not all open ones.
 */
describe.each([
  ['new', 0],
  ['weeks old', 20_000],
])("the dispatcher's statements on a %s table", (_, ended) => {
  let dispatching: Dispatching;
  let ids: string[];

  beforeAll(async () => {
    dispatching = await startDispatching();
    const { db } = dispatching.harness;
    const [webhook] = await dispatching.store(['http://127.0.0.1:9/']);
    const insert = (count: number, state: string) =>
      db.query<{ id: string }>(
        `INSERT INTO dispatch.deliveries (webhook_id, business_id, event_id, ordering_key, body, state, queued, attempt, finished_at)
         SELECT $1, 1, $2::text || n, $2 || ':' || n, '{}', $2, $2 = 'pending', 1, CASE WHEN $2 = 'succeeded' THEN now() END
         FROM generate_series(1, $3::integer) AS n RETURNING id`,
        [webhook, state, count],
      );
    if (ended > 0) {
      await insert(ended, 'succeeded');
      await db.query('VACUUM (ANALYZE) dispatch.deliveries');
    }
    ids = (await insert(20, 'running')).map(({ id }) => id);
    await insert(OPEN, 'pending');
    // A thousand more wait in the oldest lane.
    await db.query(`UPDATE dispatch.deliveries SET ordering_key = 'pending:1' WHERE state = 'pending' AND id % 3 = 0`);
    await db.query(
      `INSERT INTO dispatch.lanes (webhook_id, ordering_key, business_id, worker, delivery_id, open)
       SELECT webhook_id, ordering_key, 1, CASE WHEN state = 'running' THEN $1 END, CASE WHEN state = 'running' THEN min(id) END, count(*)
       FROM dispatch.deliveries WHERE state IN ('pending', 'running') GROUP BY webhook_id, ordering_key, state`,
      [WORKER],
    );
    await db.query(`INSERT INTO dispatch.workers VALUES ($1, now() + interval '1 hour')`, [WORKER]);
  });
  afterAll(() => dispatching.harness.close());

  it('claim reads the lanes it considers and the first delivery of each', async () => {
    const rows = await openRowsRead(dispatching.harness.db, (db) => new DeliveriesStore(db).claim(capacityBeside([]), WORKER, '0'));
    expect(rows).toBeGreaterThan(30);
    expect(rows).toBeLessThan(OPEN / 10);
  });

  it('expand reads little next to a conversation with a thousand waiting deliveries', async () => {
    const events = [sent(1, { conversation_id: 1 }), sent(2)];
    const rows = await openRowsRead(dispatching.harness.db, (db) => new DeliveriesStore(db).expand(events, capacityBeside([]), WORKER));
    expect(rows).toBeLessThan(OPEN / 10);
  });

  it('finish reads each row by its key', async () => {
    const end = { succeeded: true, statusCode: 200, reason: null, responseBody: null, durationMs: 1 };
    const attempts = ids.map((id, i) => ({ id, attempt: 1, webhook_id: '1', ordering_key: `running:${i + 1}` }) as unknown as Attempt);
    const ends = attempts.map((attempt) => ({ attempt, end }));
    const rows = await openRowsRead(dispatching.harness.db, (db) => new DeliveriesStore(db).finish(ends));
    expect(rows).toBeGreaterThanOrEqual(ids.length);
    expect(rows).toBeLessThan(OPEN / 4);
  });

  it('releaseDead takes one step for each worker', async () => {
    expect(await openRowsRead(dispatching.harness.db, (db) => new LanesStore(db).releaseDead('another'))).toBeLessThan(20);
  });
});

/** A service keeps the plans that it made while nothing waited, until PostgreSQL analyzes the table a minute after receivers began to hang. */
describe("the dispatcher's statements that were planned while nothing waited", () => {
  let dispatching: Dispatching;
  let webhook: number;
  const read = (statement: (db: Database) => Promise<unknown>) =>
    openRowsRead(
      dispatching.harness.db,
      statement,
      `INSERT INTO dispatch.lanes (webhook_id, ordering_key, business_id, open)
       SELECT 1000000 + n % 100, 'waiting:' || n, 1, 1 FROM generate_series(1, ${OPEN}) AS n;
       INSERT INTO dispatch.feeds SELECT 1000000 + n, 1 FROM generate_series(1, ${OPEN}) AS n;
       INSERT INTO dispatch.deliveries (webhook_id, business_id, event_id, ordering_key, body, state)
       SELECT ${webhook}, 1, 'past:' || n, 'past:' || n, '{}', 'succeeded' FROM generate_series(1, ${OPEN}) AS n`,
    );

  beforeAll(async () => {
    dispatching = await startDispatching();
    const { db } = dispatching.harness;
    [webhook = 0] = await dispatching.store(['http://127.0.0.1:9/']);
    await db.query(`INSERT INTO dispatch.workers VALUES ($1, now() + interval '1 hour')`, [WORKER]);
    for (const table of ['lanes', 'deliveries', 'feeds']) await db.query(`VACUUM (ANALYZE) dispatch.${table}`);
  });
  afterAll(() => dispatching.harness.close());

  it('decision 686: expand reads nothing of other webhooks and businesses', async () => {
    const events = [sent(1, { conversation_id: 1 }), sent(2)];
    expect(await read((db) => new DeliveriesStore(db).expand(events, capacityBeside([]), WORKER))).toBeLessThan(OPEN / 10);
  });

  it('finish reads no lane of another webhook', async () => {
    const attempt = { id: '1', attempt: 1, webhook_id: String(webhook), ordering_key: 'running:1' } as unknown as Attempt;
    const end = { succeeded: true, statusCode: 200, reason: null, responseBody: null, durationMs: 1 };
    expect(await read((db) => new DeliveriesStore(db).finish([{ attempt, end }]))).toBeLessThan(OPEN / 10);
  });

  it('claim reads a few lanes of each webhook', async () => {
    expect(await read((db) => new DeliveriesStore(db).claim(capacityBeside([]), WORKER, '0'))).toBeLessThan(OPEN);
  });

  it('releaseDead reads no lane that waits', async () => {
    expect(await read((db) => new LanesStore(db).releaseDead('another'))).toBeLessThan(20);
  });
});
