import { ListInboundMessages, type RequestOf } from '@mgw/contracts';
import { rowsRead } from '@mgw/harness';
import { startSending, type Sending } from '../send.fixture';
import { InboundLogStore } from './inbound-log.store';

const PHONE = '919876543210';

describe('decision 363: the log of received messages', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
    const { db } = sending.harness;
    await db.query(
      `INSERT INTO send.conversations (id, business_id, phone, last_inbound_at, merged_into)
       SELECT n, 1, (919800000000 + n)::text, now(), NULL FROM generate_series(11, 5010) n
       UNION ALL VALUES (1, 1, $1, now(), NULL), (2, 1, NULL, now(), 1), (3, 2, $1, now(), NULL)`,
      [PHONE],
    );
    await db.query(
      `INSERT INTO send.conversation_aliases (business_id, alias, conversation_id)
       SELECT business_id, phone, id FROM send.conversations WHERE phone IS NOT NULL`,
    );
    await db.query(
      `INSERT INTO send.inbound_messages (business_id, message_id, conversation_id, type, text, sent_at)
       SELECT 1, 'wamid.other' || n, 11 + n % 5000, 'text', 'x', now() - n * interval '1 second' FROM generate_series(1, 20000) n
       UNION ALL SELECT business, 'wamid.' || name, conversation, 'text', 'x', now() - age * interval '1 second'
       FROM (VALUES (1, 'kept', 1, 100), (1, 'merged', 2, 50), (2, 'foreign', 3, 10)) m (business, name, conversation, age)`,
    );
  });
  afterAll(() => sending.harness.close());

  const ofPerson: RequestOf<typeof ListInboundMessages> = { business_id: 1, limit: 50, cursor: null, phone: PHONE };

  it('lists the messages of a phone number, including those of a merged conversation', async () => {
    const list = async (request: Partial<typeof ofPerson>) =>
      (await sending.harness.rpc.call(ListInboundMessages, { ...ofPerson, ...request })).messages.map(({ message_id }) => message_id);
    expect(await list({})).toEqual(['wamid.merged', 'wamid.kept']);
    expect(await list({ business_id: 2 })).toEqual(['wamid.foreign']);
    expect(await list({ phone: '919876543299' })).toEqual([]);
    expect(await list({ phone: null, limit: 2 })).toEqual(['wamid.other1', 'wamid.other2']);
  });

  it('decision 735: reads the messages of the person only', async () => {
    const rows = await rowsRead(sending.harness.db, (db) => new InboundLogStore(db).list(ofPerson));
    expect(rows['inbound_messages']).toBeLessThan(100);
    expect(rows['conversations']).toBeLessThan(20);
  });

  it('reads a page of the messages of the business', async () => {
    const rows = await rowsRead(sending.harness.db, (db) => new InboundLogStore(db).list({ ...ofPerson, phone: null }));
    expect(rows['inbound_messages']).toBeLessThan(100);
  });
});
