import { startHarness, type Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { service } from './main';

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness(service);
});
afterEach(() => harness.close());

it('deletes questions RETENTION_REPLIES_DAYS after they ended, and keeps pending ones', async () => {
  await harness.db.query(`INSERT INTO auto_reply.replies
      (business_id, inbound_message_id, conversation_id, customer, question, received_at, created_at, state, due_at, ended_at)
    SELECT 1, id, 1, '919876543210', 'Hi', now() - interval '99 days', now() - interval '99 days', state, now() + interval '1 day', ended FROM (VALUES
      ('old', 'replied', now() - interval '91 days'), ('young', 'skipped', now() - interval '89 days'), ('open', 'pending', NULL)
    ) AS r (id, state, ended)`);
  await harness.run(service);
  const left = async () =>
    (await harness.db.query<{ id: string }>('SELECT inbound_message_id AS id FROM auto_reply.replies ORDER BY 1')).map(({ id }) => id);
  await eventually(async () => (await left()).length === 2);
  expect(await left()).toEqual(['open', 'young']);
});
