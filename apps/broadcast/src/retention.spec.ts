import { startHarness, type Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { service } from './main';

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness(service);
});
afterEach(() => harness.close());

it('deletes broadcasts and their recipients RETENTION_BROADCASTS_DAYS after they finished, and keeps unfinished ones', async () => {
  await harness.db.query(`INSERT INTO broadcast.broadcasts
    (id, business_id, name, template_name, language, plan, timezone, status, total, created_at, scheduled_at, finished_at)
    SELECT id, 1, name, 't', 'en', 'Growth', 'UTC', status, 15, now() - interval '500 days', scheduled, finished FROM (VALUES
      (1, 'old', 'completed', NULL, now() - interval '401 days'), (2, 'old', 'cancelled', NULL, now() - interval '401 days'),
      (3, 'young', 'completed', NULL, now() - interval '399 days'), (4, 'waiting', 'scheduled', now() + interval '1 day', NULL)
    ) AS b (id, name, status, scheduled, finished)`);
  await harness.db.query(`INSERT INTO broadcast.recipients (broadcast_id, nth, phone, body_params, header_params)
    SELECT b, nth, '919876543210', '{}', '{}' FROM generate_series(1, 4) AS b, generate_series(1, 15) AS nth`);
  await harness.db.query(`INSERT INTO broadcast.reports (business_id, message_id, reason, at) VALUES
    (1, 'kept', 'r', now() - interval '29 days'), (1, 'gone', 'r', now() - interval '31 days')`);
  const env = { RETENTION_BATCH_ROWS: '10', RETENTION_PAUSE_MS: '0' };
  await harness.run(service, env);
  const ids = async (table: string, column: string) =>
    (await harness.db.query<{ id: string }>(`SELECT DISTINCT ${column} AS id FROM broadcast.${table} ORDER BY 1`)).map(({ id }) => id);
  await eventually(async () => {
    expect(await ids('broadcasts', 'name')).toEqual(['waiting', 'young']);
    expect(await ids('recipients', 'broadcast_id')).toEqual(['3', '4']);
    expect(await ids('reports', 'message_id')).toEqual(['kept']);
    return true;
  });
});
