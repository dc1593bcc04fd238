import { rowsRead, startHarness } from '@mgw/harness';
import { service } from '../main';
import { RepliesStore } from './replies.store';

it('guarantees §10, N2: a page of automatic replies reads only the rows that it shows, even for a business with few', async () => {
  const harness = await startHarness(service);
  await harness.db.query(
    `INSERT INTO auto_reply.replies (business_id, inbound_message_id, conversation_id, customer, question, received_at, state, ended_at)
     SELECT CASE WHEN n <= 10 THEN 1 ELSE 2 END, 'wamid.' || n, n, '919876543210', 'Hi', now(), 'replied', now() FROM generate_series(1, 20000) AS n`,
  );
  await harness.db.query('VACUUM ANALYZE');
  for (const business of [1, 2]) {
    const rows = await rowsRead(harness.db, (db) => new RepliesStore(db).list(business, 20, null));
    expect(rows['replies']).toBeLessThanOrEqual(22);
  }
  await harness.close();
});
