import { MarkConversationRead, SetSendSettings } from '@mgw/contracts';
import { rowsRead } from '@mgw/harness';
import { startSending, type Sending } from '../send.fixture';
import { ReceiptStore } from './receipt.store';

describe('decision 331: marking the newest message of an opened conversation', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
    const { db, rpc } = sending.harness;
    await rpc.call(SetSendSettings, { business_id: 1, mark_read_on_open: true });
    await db.query(
      `INSERT INTO send.conversations (id, business_id, merged_into) SELECT n, 1 + n % 2, CASE n WHEN 4 THEN 2 END FROM generate_series(1, 5000) n`,
    );
    await db.query(
      `INSERT INTO send.inbound_messages (business_id, message_id, conversation_id, type, text, sent_at) VALUES
         (1, 'wamid.kept', 2, 'text', 'x', now() - interval '1 hour'), (1, 'wamid.merged', 4, 'text', 'x', now()),
         (1, 'wamid.other', 6, 'text', 'x', now())`,
    );
  });
  afterAll(() => sending.harness.close());

  it('decision 735: reads the conversations of the person only', async () => {
    const rows = await rowsRead(sending.harness.db, (db) => new ReceiptStore(db).findUnread(1, 2));
    expect(rows['conversations']).toBeLessThan(10);
  });

  it('marks a message of a merged conversation, once', async () => {
    sending.platform.respond((_, response) => void response.end(JSON.stringify({ success: true })));
    const open = () => sending.harness.rpc.call(MarkConversationRead, { business_id: 1, conversation_id: 2 });
    await open();
    await open();
    expect(sending.platform.calls()).toMatchObject([{ status: 'read', message_id: 'wamid.merged' }]);
  });
});
