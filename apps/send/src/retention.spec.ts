import { FindSends, GetThread, newIntentId, type ResponseOf, type RequestOf } from '@mgw/contracts';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from './send.fixture';

const DAY_MS = 86_400_000;
const daysBack = (days: number) => new Date(Date.now() - days * DAY_MS);
const LONG_AGO = daysBack(500);
type Query = Sending['harness']['db'];

async function intent(db: Query, at: Date, state: string, change: { messageId?: string; conversationId?: number } = {}): Promise<string> {
  const id = newIntentId(at.getTime());
  const { messageId = null, conversationId = 1 } = change;
  await db.query(
    `INSERT INTO send.intents (id, business_id, api_key_id, state, recipient, type, sent_by, text, message_id, created_at)
     VALUES ($1, 1, 1, $2, '919876543210', 'text', 'api', 'Hi', $3, $4)`,
    [id, state, messageId, at],
  );
  if (messageId !== null)
    await db.query(
      'INSERT INTO send.messages (business_id, message_id, intent_id, conversation_id, accepted_at) VALUES (1, $1, $2, $3, $4)',
      [messageId, id, conversationId, at],
    );
  return id;
}
const inbound = (db: Query, messageId: string, at: Date, conversationId = 1) =>
  db.query(
    `INSERT INTO send.inbound_messages (business_id, message_id, conversation_id, type, text, sent_at, received_at)
     VALUES (1, $1, $2, 'text', 'Hello', $3, $3)`,
    [messageId, conversationId, at],
  );
const ids = async (db: Query, what: string) => (await db.query<{ id: string }>(`SELECT ${what} ORDER BY 1`)).map(({ id }) => id);

describe('retention of the send service (guarantees §1, decision 24)', () => {
  let sending: Sending;
  let db: Query;
  beforeEach(async () => {
    sending = await startSending();
    db = sending.harness.db;
  });
  afterEach(() => sending.harness.close());

  it('deletes expired sends and messages in batches by two replicas, and keeps every open send', async () => {
    await Promise.all(Array.from({ length: 25 }, (_, i) => intent(db, LONG_AGO, 'accepted', { messageId: `wamid.old${i}` })));
    const refused = await intent(db, LONG_AGO, 'refused');
    const open = [await intent(db, new Date(), 'unknown'), await intent(db, new Date(), 'calling')];
    // Give an open send an expired id, so that only its state protects it.
    await db.query(`UPDATE send.intents SET id = $2 WHERE id = $1`, [open[0], newIntentId(LONG_AGO.getTime())]);
    const young = await intent(db, daysBack(390), 'accepted', { messageId: 'wamid.young' });
    await inbound(db, 'wamid.in.old', LONG_AGO);
    await inbound(db, 'wamid.in.young', daysBack(390));
    await inbound(db, 'wamid.in.edited', daysBack(9));
    await db.query(
      `INSERT INTO send.message_changes (business_id, message_id, changed_at, text, edited_at, deleted_at)
       VALUES (1, 'wamid.in.old', $1, 'Hi', $1, NULL), (1, 'wamid.in.young', $2, 'Hi', $2, NULL), (1, 'wamid.in.edited', $3, 'Hi', $3, $3),
         (1, 'wamid.erased', $3, 'Hi', $3, NULL), (1, 'wamid.edited-and-revoked', $3, 'Hi', $3, $3), (1, 'wamid.revoked', $3, NULL, NULL, $3),
         (1, 'wamid.on-its-way', $4, 'Hi', $4, $4)`,
      [LONG_AGO, daysBack(390), daysBack(9), daysBack(7)],
    );
    const keys = [new Date(), daysBack(0.9), daysBack(1.2)];
    for (const [i, at] of keys.entries())
      await db.query(`INSERT INTO send.idempotency_keys VALUES (1, 1, 'k' || $1::text, 'f', $2, $3)`, [i, young, at]);
    await db.query(`INSERT INTO send.outbox (event_id, subject, ordering_key, body, created_at, published_at) VALUES
      ('waiting', 'public.message.sent', 'k', '{}', now() - interval '99 days', NULL),
      ('recent', 'public.message.sent', 'k', '{}', now() - interval '99 days', now() - interval '71 hours'),
      ('expired', 'public.message.sent', 'k', '{}', now() - interval '99 days', now() - interval '73 hours')`);
    const env = { RETENTION_BATCH_ROWS: '10', RETENTION_PAUSE_MS: '0' };
    await db.transaction(
      async (tx) => {
        // Hold the relay's lock, so that unpublished events stay unpublished.
        await tx.query(`SELECT pg_advisory_xact_lock(hashtext('send.outbox'))`);
        await Promise.all([sending.run(env), sending.run(env)]);
        await eventually(async () => (await ids(db, 'event_id AS id FROM send.outbox')).length === 2);
        expect(await ids(db, 'event_id AS id FROM send.outbox')).toEqual(['recent', 'waiting']);
      },
      { mayPause: true },
    );
    await eventually(async () => (await ids(db, 'id FROM send.intents')).length === 3);
    await eventually(async () => (await ids(db, 'key AS id FROM send.idempotency_keys')).length === 2);
    await eventually(async () => (await ids(db, 'message_id AS id FROM send.inbound_messages')).length === 2);
    await eventually(async () => (await ids(db, 'message_id AS id FROM send.message_changes')).length === 5);
    await eventually(async () => (await ids(db, 'message_id AS id FROM send.messages')).length === 1);
    const edited = ['wamid.in.edited', 'wamid.in.young', 'wamid.on-its-way'];
    await eventually(async () => (await ids(db, 'message_id AS id FROM send.message_changes WHERE edited_at IS NOT NULL')).length === 3);
    expect(await ids(db, 'message_id AS id FROM send.message_changes WHERE text IS NOT NULL')).toEqual(edited);
    const revoked = ['wamid.edited-and-revoked', 'wamid.in.edited', 'wamid.on-its-way', 'wamid.revoked'];
    expect(await ids(db, 'message_id AS id FROM send.message_changes WHERE deleted_at IS NOT NULL')).toEqual(revoked);
    expect(await ids(db, `state AS id FROM send.intents`)).toEqual(['accepted', 'calling', 'unknown']);
    expect(await ids(db, 'id FROM send.intents')).not.toContain(refused);
    expect(await ids(db, 'message_id AS id FROM send.messages')).toEqual(['wamid.young']);
    expect(await ids(db, 'message_id AS id FROM send.inbound_messages')).toEqual(['wamid.in.edited', 'wamid.in.young']);
    expect(await ids(db, 'key AS id FROM send.idempotency_keys')).toEqual(['k0', 'k1']);
  });

  it('pages through a thread over all months and finds each of its messages', async () => {
    await sending.run();
    await sending.harness.publish(inboundEvent({ message_id: 'wamid.in', sent_at: new Date().toISOString() }));
    const [conversation] = await eventually(async () => {
      const found = await db.query<{ id: string }>('SELECT id FROM send.conversations');
      return found.length > 0 && found;
    });
    const conversationId = Number(conversation?.id);
    const months = [160, 130, 95, 65, 33];
    for (const days of months) {
      await intent(db, daysBack(days), 'accepted', { messageId: `wamid.out${days}`, conversationId });
      await inbound(db, `wamid.in${days}`, daysBack(days - 1), conversationId);
    }
    const pages: string[][] = [];
    for (let cursor: string | null = null, i = 0; i < 9; i++) {
      const request: RequestOf<typeof GetThread> = { business_id: 1, conversation_id: conversationId, limit: 4, cursor };
      const thread: ResponseOf<typeof GetThread> = await sending.harness.rpc.call(GetThread, request);
      pages.push(thread.messages.map(({ message_id }) => message_id));
      if (thread.next_cursor === null) break;
      cursor = thread.next_cursor;
    }
    const oldestFirst = [...months.flatMap((days) => [`wamid.out${days}`, `wamid.in${days}`]), 'wamid.in'];
    const newestFirst = [...oldestFirst].reverse();
    expect(pages).toEqual([newestFirst.slice(0, 4), newestFirst.slice(4, 8), newestFirst.slice(8)]);
    const message_ids = months.map((days) => `wamid.out${days}`);
    const { sends } = await sending.harness.rpc.call(FindSends, { business_id: 1, message_ids });
    expect(sends.map((send) => [send?.message_id, send?.state])).toEqual(message_ids.map((id) => [id, 'accepted']));
  });

  it("stores a customer's repeated message once, also concurrently and with a time in another month (platform §0.6)", async () => {
    await Promise.all([sending.run(), sending.run()]);
    const times = ['2026-01-31T23:59:59.000Z', '2026-02-01T00:00:00.000Z'];
    const messages = Array.from({ length: 40 }, (_, i) => `wamid.repeated${i}`);
    await sending.harness.publish(...messages.flatMap((message_id) => times.map((sent_at) => inboundEvent({ message_id, sent_at }))));
    const handled = async () => {
      const { num_pending, num_ack_pending } = await (
        await sending.harness.nc.jetstreamManager()
      ).consumers.info('PLATFORM', 'send-messages');
      return num_pending + num_ack_pending === 0;
    };
    await eventually(handled);
    expect(await ids(db, 'message_id AS id FROM send.inbound_messages')).toEqual([...messages].sort());
  });
});
