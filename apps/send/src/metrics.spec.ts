import { newIntentId } from '@mgw/contracts';
import { metricsRead, startHarness, type Harness } from '@mgw/harness';
import { metricsController } from '@mgw/service';
import { service } from './main';
import { METRICS } from './metrics';

const MANY = 50_000;

/** guarantees §10, N2: metrics are read every few seconds, so each reads a bounded number of rows. */
describe('metrics of a service with a long backlog and a long history', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness(service);
    const { db } = harness;
    await db.query(`INSERT INTO send.outbox (event_id, subject, ordering_key, body, created_at)
      SELECT 'e' || n, 's', 'k', '{}', now() - interval '1 hour' FROM generate_series(1, ${MANY}) AS n`);
    await db.query(`INSERT INTO send.messages (business_id, message_id, intent_id, conversation_id, accepted_at)
      SELECT 1, 'wamid.' || n, gen_random_uuid(), 1, now() - interval '1 hour' FROM generate_series(1, ${MANY}) AS n`);
    // Intent ids of an hour ago, in the format of newIntentId.
    await db.query(`INSERT INTO send.intents (id, business_id, state, recipient, type, sent_by, text, created_at)
      SELECT (lpad(to_hex((extract(epoch FROM now() - interval '1 hour') * 1000)::bigint), 12, '0') || lpad(to_hex(n), 20, '0'))::uuid,
             1, CASE WHEN n <= 20000 THEN 'unknown' ELSE 'accepted' END, '919876543210', 'text', 'api', '', now() - interval '1 hour'
      FROM generate_series(1, ${MANY}) AS n`);
    await db.query('VACUUM ANALYZE');
  }, 120_000);
  afterAll(() => harness.close());

  it('counts to 10,000 at most and reads no table completely', async () => {
    await harness.db.query(
      `INSERT INTO send.intents (id, business_id, state, recipient, type, sent_by, text, created_at)
       SELECT unnest($1::uuid[]), 1, 'accepted', '919876543210', 'text', 'api', '', now()`,
      [[newIntentId(), newIntentId()]],
    );
    const { metrics, rows } = await metricsRead(harness.db, metricsController('send', 'send', METRICS));
    expect(metrics).toMatchObject({
      outbox_waiting: 10_000,
      dead_letters: 0,
      sends_last_minute: 2,
      sends_under_way: 0,
      sends_unresolved: 10_000,
    });
    expect(metrics['outbox_oldest_seconds']).toBeGreaterThanOrEqual(3_600);
    expect(rows['outbox']).toBeLessThanOrEqual(10_001);
    expect(rows['messages'] ?? 0).toBe(0);
    expect(rows['intents']).toBeLessThan(MANY);
  });
});
