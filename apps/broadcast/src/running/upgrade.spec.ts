import { GetBroadcast } from '@mgw/contracts';
import { startHarness, statusEvent, type Harness } from '@mgw/harness';
import { runMigrations } from '@mgw/postgres';
import { eventually } from '@mgw/testing';
import { service } from '../../test/broadcasts.fixture';
import { Reports1764200000002 } from '../migrations/1764200000002-reports';
import { migrations } from '../migrations/migrations';

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness({ schema: 'broadcast', migrations: migrations.slice(0, migrations.indexOf(Reports1764200000002)) });
});
afterEach(() => harness.close());

it('decision 26: what was read before an upgrade has not failed after it', async () => {
  await harness.db.query(`INSERT INTO broadcast.broadcasts
    (id, business_id, name, template_name, language, plan, timezone, status, total, sent, finished_at)
    VALUES (1, 1, 'b', 't', 'en', 'Growth', 'UTC', 'completed', 2, 2, now())`);
  await harness.db.query(`INSERT INTO broadcast.recipients (broadcast_id, nth, phone, body_params, header_params, state, message_id)
    VALUES (1, 1, '919876543210', '{}', '{}', 'sent', 'read'), (1, 2, '919876543211', '{}', '{}', 'sent', 'unread')`);
  await harness.db.query(`INSERT INTO broadcast.failures (message_id, reason) VALUES ('read', NULL), ('of nobody', 'r')`);
  await runMigrations({ url: harness.env['DATABASE_URL'] as string, schema: 'broadcast', migrations });
  await harness.run(service);
  await harness.tell(statusEvent('read', 'failed'), statusEvent('unread', 'failed'));
  const { broadcast } = await eventually(async () => {
    const answer = await harness.rpc.call(GetBroadcast, { business_id: 1, id: 1 });
    return answer.broadcast.failed > 0 && answer;
  });
  expect(broadcast).toMatchObject({ sent: 1, failed: 1 });
});
