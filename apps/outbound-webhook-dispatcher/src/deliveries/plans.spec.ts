import type { Database } from '@mgw/postgres';
import type { Attempt } from './attempt';
import { DeliveriesStore } from './deliveries.store';
import { sent, startDispatching, type Dispatching } from './dispatch.fixture';
import { LanesStore } from './lanes.store';
import { capacityBeside } from './capacity';

const OPEN = 3_000;
const WORKER = 'worker';

interface Node {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Node[];
}

/** Counts the rows of deliveries and lanes that a plan read, and the rows that its joins compared in vain. */
function rowsRead(node: Node): number {
  const own = ['deliveries', 'lanes'].includes(node['Relation Name'] ?? '')
    ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
    : 0;
  const inVain = node['Rows Removed by Join Filter'] ?? 0;
  return (own + inVain) * node['Actual Loops'] + (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0);
}

/**
 * PostgreSQL believes that almost nothing is open after weeks, and knows nothing of a new table. With both statistics a statement may read
 * rows that it is about, but not all that are open.
 */
describe.each([
  ['new', 0],
  ['weeks old', 20_000],
])("the dispatcher's statements on a %s table", (_, ended) => {
  let dispatching: Dispatching;
  let ids: string[];
  const reads: number[] = [];
  let store: DeliveriesStore;
  let lanes: LanesStore;

  beforeAll(async () => {
    dispatching = await startDispatching();
    const { db } = dispatching.harness;
    const [webhook] = await dispatching.store(['http://127.0.0.1:9/']);
    const insert = (count: number, state: string) =>
      db.query<{ id: string }>(
        `INSERT INTO dispatch.deliveries (webhook_id, business_id, event_id, ordering_key, body, state, waits, attempt, finished_at)
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

    const explain = async (text: string, values: unknown[] = []) => {
      const client = await db.pool.connect();
      const literal = (value: unknown) =>
        client.escapeLiteral(Array.isArray(value) ? `{${value.map((v) => JSON.stringify(v) ?? 'NULL').join()}}` : String(value));
      try {
        // Services prepare statements and plan them once for all values.
        await client.query(`PREPARE explained AS ${text}`);
        await client.query('BEGIN');
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
          `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained ${values.length > 0 ? `(${values.map(literal).join()})` : ''}`,
        );
        reads.push(rowsRead((rows[0] as { 'QUERY PLAN': [{ Plan: Node }] })['QUERY PLAN'][0].Plan));
      } finally {
        await client.query('ROLLBACK');
        await client.query('DEALLOCATE ALL');
        client.release();
      }
      return [];
    };
    const explaining = { query: explain, relaxed: { query: explain } } as unknown as Database;
    store = new DeliveriesStore(explaining);
    lanes = new LanesStore(explaining);
  }, 60_000);
  afterAll(() => dispatching.harness.close());
  beforeEach(() => reads.splice(0));

  it('claim reads the lanes it considers and the first delivery of each', async () => {
    await store.claim(capacityBeside([]), WORKER, '0');
    expect(reads).toEqual([expect.any(Number)]);
    expect(reads[0]).toBeGreaterThan(30);
    expect(reads[0]).toBeLessThan(OPEN / 10);
  });

  it('expand reads little beside a conversation with a thousand waiting deliveries', async () => {
    await store.expand([sent(1, { conversation_id: 1 }), sent(2)], capacityBeside([]), WORKER);
    expect(reads).toEqual([expect.any(Number)]);
    expect(reads[0]).toBeLessThan(OPEN / 10);
  });

  it('finish reads each row by its key', async () => {
    const end = { succeeded: true, statusCode: 200, reason: null, durationMs: 1 };
    const attempts = ids.map((id, i) => ({ id, attempt: 1, webhook_id: '1', ordering_key: `running:${i + 1}` }) as unknown as Attempt);
    await store.finish(attempts.map((attempt) => ({ attempt, end })));
    expect(reads).toEqual([expect.any(Number)]);
    expect(reads[0]).toBeGreaterThanOrEqual(ids.length);
    expect(reads[0]).toBeLessThan(OPEN / 4);
  });

  it('releaseDead takes one step for each worker', async () => {
    await lanes.releaseDead();
    expect(reads).toEqual([expect.any(Number)]);
    expect(reads[0]).toBeLessThan(20);
  });
});
