import type { Database } from '@mgw/postgres';
import { DeliveriesStore, type Attempt } from './deliveries.store';
import { startDispatching, type Dispatching } from './dispatch.fixture';

const OPEN = 3_000;
const NO_CEILINGS = { room: 64, busy: new Map<string, number>(), perWebhook: 64, full: { businesses: [], hosts: [] } };

interface Node {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Node[];
}

/** Rows of deliveries that a plan has read, and rows that it has compared in vain. */
function rowsRead(node: Node): number {
  const own = node['Relation Name'] === 'deliveries' ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) : 0;
  const inVain = node['Rows Removed by Join Filter'] ?? 0;
  return (own + inVain) * node['Actual Loops'] + (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0);
}

/**
 * A table that has run for weeks tells PostgreSQL that next to nothing is open, a new one tells it nothing: in both, what one
 * statement reads may depend on what it is about, not on how much is open (performance: no figure worse beside a million messages).
 */
describe.each([
  ['new', 0],
  ['weeks old', 20_000],
])('the statements of a dispatcher on a table that is %s', (_, ended) => {
  let dispatching: Dispatching;
  let ids: string[];
  const reads: number[] = [];
  let store: DeliveriesStore;

  beforeAll(async () => {
    dispatching = await startDispatching();
    const { db } = dispatching.harness;
    const [webhook] = await dispatching.store(['http://127.0.0.1:9/']);
    const insert = (count: number, state: string) =>
      db.query<{ id: string }>(
        `INSERT INTO dispatch.deliveries (webhook_id, business_id, event_id, ordering_key, body, state, attempt, lease_until, finished_at)
         SELECT $1, 1, $2::text || n, 'conversation:' || n, '{}', $2::text, 1, CASE WHEN $2 = 'running' THEN now() + interval '1 hour' END,
                CASE WHEN $2 = 'succeeded' THEN now() END
         FROM generate_series(1, $3::integer) AS n RETURNING id`,
        [webhook, state, count],
      );
    if (ended > 0) {
      await insert(ended, 'succeeded');
      await db.query('VACUUM (ANALYZE) dispatch.deliveries');
    }
    ids = (await insert(20, 'running')).map(({ id }) => id);
    await insert(OPEN, 'pending');

    const explain = async (text: string, values: unknown[]) => {
      const client = await db.pool.connect();
      const literal = (value: unknown) =>
        client.escapeLiteral(Array.isArray(value) ? `{${value.map((v) => v ?? 'NULL').join()}}` : String(value));
      try {
        // As the services run it: prepared, and planned once whatever the values.
        await client.query(`PREPARE explained AS ${text}`);
        await client.query('BEGIN');
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
          `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained (${values.map(literal).join()})`,
        );
        reads.push(rowsRead((rows[0] as { 'QUERY PLAN': [{ Plan: Node }] })['QUERY PLAN'][0].Plan));
      } finally {
        await client.query('ROLLBACK');
        await client.query('DEALLOCATE ALL');
        client.release();
      }
      return [];
    };
    store = new DeliveriesStore({ relaxed: { query: explain } } as unknown as Database);
  }, 60_000);
  afterAll(() => dispatching.harness.close());
  beforeEach(() => reads.splice(0));

  it('take: the first of each webhook, then each by its key', async () => {
    await store.take(NO_CEILINGS);
    expect(reads).toEqual([expect.any(Number)]);
    expect(reads[0]).toBeGreaterThan(100);
    expect(reads[0]).toBeLessThan(OPEN / 4);
  });

  it('finish: each by its key', async () => {
    const end = { succeeded: true, statusCode: 200, reason: null, durationMs: 1 };
    await store.finish(ids.map((id) => ({ attempt: { id, attempt: 1, webhook_id: '1' } as unknown as Attempt, end })));
    expect(reads).toEqual([expect.any(Number)]);
    expect(reads[0]).toBeGreaterThanOrEqual(ids.length);
    expect(reads[0]).toBeLessThan(OPEN / 4);
  });
});
