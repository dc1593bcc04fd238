import { startHarness, type Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { service } from './main';

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness(service);
});
afterEach(() => harness.close());

it('guarantees §2: two replicas delete callbacks some days after their splitting, and keep those that are not split', async () => {
  await harness.db.query(`INSERT INTO ingest.callbacks (body_hash, body, businesses, received_at, split_at)
    SELECT sha256(n::text::bytea), 'old'::bytea, '{1}'::integer[], now() - interval '99 days', now() - interval '9 days' FROM generate_series(1, 25) AS n
    UNION ALL SELECT 'y', 'young', '{1}', now() - interval '99 days', now() - interval '7 days'
    UNION ALL SELECT 'u', 'unsplit', '{1}', now() - interval '99 days', NULL`);
  await harness.db.query(`INSERT INTO ingest.dead_letters (consumer, subject, body, reason, attempts, at) VALUES
    ('splitter', 'messages', 'kept', 'r', 1, now() - interval '89 days'), ('splitter', 'messages', 'gone', 'r', 1, now() - interval '91 days')`);
  const env = { RETENTION_BATCH_ROWS: '10', RETENTION_PAUSE_MS: '0' };
  // No service responds to ListConnections, so nothing is split.
  await Promise.all([harness.run(service, env), harness.run(service, env)]);
  const bodies = async (table: string) =>
    (await harness.db.query<{ body: string }>(`SELECT encode(body::bytea, 'escape') AS body FROM ingest.${table} ORDER BY 1`)).map(
      ({ body }) => body,
    );
  await eventually(async () => (await bodies('callbacks')).length === 2);
  expect(await bodies('callbacks')).toEqual(['unsplit', 'young']);
  await eventually(async () => (await bodies('dead_letters')).length === 1);
  expect(await bodies('dead_letters')).toEqual(['kept']);
});
