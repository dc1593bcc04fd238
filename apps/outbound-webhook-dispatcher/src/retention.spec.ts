import { startHarness, type Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { service } from './main';
import { DispatcherConfig } from './outbound-webhook-dispatcher.config';

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness(service);
});
afterEach(() => harness.close());

it('guarantees §4, D1: two replicas delete deliveries a number of days after their end and keep open ones', async () => {
  await harness.db.query(
    `INSERT INTO dispatch.webhooks (id, business_id, name, url, events) VALUES (1, 1, 'w', 'https://example.com', '{}')`,
  );
  await harness.db.query(`INSERT INTO dispatch.deliveries
      (webhook_id, business_id, event, event_id, ordering_key, body, state, attempt, created_at, finished_at)
    SELECT 1, 1, 'message.sent', 'old' || n, 'k', '{}', 'succeeded', 1, now() - interval '60 days', now() - interval '11 days'
    FROM generate_series(1, 25) AS n
    UNION ALL SELECT 1, 1, 'message.sent', 'young', 'k', '{}', 'failed', 1, now() - interval '60 days', now() - interval '9 days'
    UNION ALL SELECT 1, 1, 'message.sent', 'open', 'k', '{}', 'running', 1, now() - interval '60 days', NULL`);
  await harness.db.query(`INSERT INTO dispatch.inbox (consumer, event_id, handled_at) VALUES
    ('c', 'kept', now() - interval '95 hours'), ('c', 'expired', now() - interval '97 hours')`);
  await harness.db.query(
    `INSERT INTO dispatch.webhooks (id, business_id, name, url, events) VALUES (2, 1, 'w', 'https://example.com', '{}')`,
  );
  const [expired, kept] = ['expired', 'kept'].map((secret) => harness.sealer.seal(secret, 'webhook.secret:1'));
  await harness.db.query(`INSERT INTO dispatch.old_secrets (webhook_id, secret_sealed, valid_until) VALUES
    (1, '${expired}', now()), (2, '${kept}', now() + interval '1 hour')`);
  await harness.db.query(`INSERT INTO dispatch.webhook_hours (webhook_id, hour, succeeded, failed) VALUES
    (1, now() - interval '49 hours', 1, 0), (2, now() - interval '47 hours', 1, 0)`);
  await harness.db.query(`INSERT INTO dispatch.feed_events (business_id, seq, event_id, event, body, created_at) VALUES
    (1, 1, 'e1', 'message.sent', '{}', now() - interval '73 hours'), (1, 2, 'e2', 'message.sent', '{}', now() - interval '71 hours')`);
  await harness.db.query(`INSERT INTO dispatch.feed_types VALUES (1, 'expired', now()), (1, 'kept', now() + interval '1 hour')`);
  const env = { RETENTION_DELIVERIES_DAYS: '10', RETENTION_EVENTS_DAYS: '3', RETENTION_BATCH_ROWS: '10', RETENTION_PAUSE_MS: '0' };
  await Promise.all([harness.run(service, env), harness.run(service, env)]);
  const left = async (table: string) =>
    (await harness.db.query<{ event_id: string }>(`SELECT event_id FROM dispatch.${table} ORDER BY 1`)).map(({ event_id }) => event_id);
  await eventually(async () => (await left('deliveries')).length === 2);
  expect(await left('deliveries')).toEqual(['open', 'young']);
  await eventually(async () => (await left('inbox')).length === 1);
  expect(await left('inbox')).toEqual(['kept']);
  const secrets = () => harness.db.query('SELECT secret_sealed FROM dispatch.old_secrets');
  await eventually(async () => (await secrets()).length === 1);
  expect(await secrets()).toEqual([{ secret_sealed: kept }]);
  await eventually(async () => (await harness.db.query('SELECT FROM dispatch.webhook_hours')).length === 1);
  await eventually(async () => (await left('feed_events')).join() === 'e2');
  await eventually(async () => (await harness.db.query('SELECT FROM dispatch.feed_types')).length === 1);
});

it('refuses to start with a period that is too short', () => {
  const load = () =>
    DispatcherConfig.load({
      DATABASE_URL: 'postgresql://localhost/x',
      NATS_URL: 'nats://localhost',
      SEALING_KEYS: 'k',
      RETENTION_DELIVERIES_DAYS: '1',
      RETENTION_OUTBOX_HOURS: '71',
    });
  expect(load).toThrow(
    /RETENTION_OUTBOX_HOURS must be a whole number from 72[\s\S]*RETENTION_DELIVERIES_DAYS must be a whole number from 7/,
  );
});
