import {
  AddNote,
  CreateLabel,
  DeleteLabel,
  GetThread,
  ListConversations,
  ListLabels,
  MAX_INBOX_LIST,
  MAX_LABELS,
  SendText,
  UnassignConversations,
  UpdateConversation,
  UpdateLabel,
  type GatewayError,
  type RequestOf,
} from '@mgw/contracts';
import { inboundEvent, rowsRead } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { numberOf, startSending, type Sending } from '../send.fixture';
import { ConversationChangesStore } from './conversation-changes.store';
import { ThreadStore } from './thread.store';

const [ASHA, BEN, ZOE] = ['919876543211', '919876543212', '919876543213'] as const;
const ME = 7;
const AT = expect.stringMatching(/Z$/) as string;

describe('agents at work (decision 392)', () => {
  let sending: Sending;
  let received = 0;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
    for (const phone of [ASHA, BEN, ZOE]) await write(phone, { text: `Hello from ${phone}` });
    await sending.template({}, { to: '919876543299' });
  });
  afterAll(() => sending.harness.close());

  const write = async (phone: string, message: Parameters<typeof inboundEvent>[0] = {}) => {
    received += 1;
    const sent_at = new Date(Date.now() + received * 1_000 - 60_000).toISOString();
    await sending.harness.publish(
      inboundEvent({ message_id: `wamid.in.${received}`, sent_at, from: { phone, user_id: null, name: '' }, ...message }),
    );
    await eventually(async () => (await sending.harness.published('message.received')).length === received);
  };
  const list = (filter: Partial<RequestOf<typeof ListConversations>> = {}) =>
    sending.harness.rpc.call(ListConversations, { business_id: 1, limit: 50, cursor: null, search: null, user_id: ME, ...filter });
  const phones = async (filter: Partial<RequestOf<typeof ListConversations>> = {}) =>
    (await list(filter)).conversations.map(({ customer_phone }) => customer_phone);
  const find = async (phone: string) => {
    const [found] = (await list({ search: phone })).conversations;
    if (!found) throw new Error(`no conversation with ${phone}`);
    return found;
  };
  const change = async (phone: string, values: Partial<RequestOf<typeof UpdateConversation>>) =>
    sending.harness.rpc.call(UpdateConversation, { business_id: 1, conversation_id: (await find(phone)).id, ...values });
  const reply = (phone: string) =>
    sending.harness.rpc.call(SendText, {
      sender: {
        business_id: 1,
        sent_by: 'agent',
        user_id: ME,
        api_key_id: null,
        plan: 'Growth',
        daily_limit: null,
        timezone: 'UTC',
        idempotency: null,
      },
      to: phone,
      text: 'Yes',
    });

  it('lists who waits first, and people who never wrote only in a search', async () => {
    expect(await phones()).toEqual([ZOE, BEN, ASHA]);
    expect(await phones({ search: '919876543299' })).toEqual(['919876543299']);
    expect(await find(ZOE)).toMatchObject({ unread_count: 1, waiting_since: expect.any(String) as string, status: 'open' });
    expect((await find(ZOE)).last_message).toMatchObject({ direction: 'in', sent_by: null });
    await reply(ZOE);
    expect(await find(ZOE)).toMatchObject({ unread_count: 0, waiting_since: null, last_message: { sent_by: 'agent', user_id: ME } });
    expect(await phones()).toEqual([BEN, ASHA, ZOE]);
    await write(ZOE, { type: 'reaction', text: null, details: { reaction: { message_id: 'wamid.in.3', emoji: '🙏' } } });
    expect(await find(ZOE)).toMatchObject({ unread_count: 0, waiting_since: null });
    expect((await list()).counts).toEqual({ mine: 0, unassigned: 3, open: 3, closed: 0, unread: 2, waiting: 2 });
  });

  it('lets a message wait that came while a reply was on its way', async () => {
    sending.platform.hang(numberOf(1));
    const replying = reply(BEN);
    await eventually(() => sending.platform.hanging().length > 0);
    await write(BEN);
    sending.platform.release();
    await replying;
    expect(await find(BEN)).toMatchObject({ unread_count: 2, waiting_since: expect.any(String) as string });
  });

  it('assigns, closes and reopens; a customer’s message reopens too', async () => {
    await change(ASHA, { assigned_to: ME, read: true });
    await change(BEN, { status: 'closed' });
    expect(await phones({ view: 'mine' })).toEqual([ASHA]);
    expect(await phones({ view: 'mine', user_id: 8 })).toEqual([]);
    expect(await phones({ view: 'unassigned' })).toEqual([ZOE]);
    expect(await phones({ view: 'open' })).toEqual([ASHA, ZOE]);
    expect(await phones({ view: 'closed' })).toEqual([BEN]);
    expect(await phones({ view: 'closed', search: BEN })).toEqual([BEN]);
    expect((await list()).counts).toEqual({ mine: 1, unassigned: 1, open: 2, closed: 1, unread: 0, waiting: 1 });
    expect(await find(ASHA)).toMatchObject({ assigned_to: ME, unread_count: 0, waiting_since: expect.any(String) as string });
    await write(BEN);
    expect(await find(BEN)).toMatchObject({ status: 'open', unread_count: 1 });
    expect(await phones({ unread: true })).toEqual([BEN]);
    await change(ASHA, { assigned_to: null });
    expect(await phones({ view: 'mine' })).toEqual([]);
    await change(ASHA, { assigned_to: ME });
    await change(ZOE, { assigned_to: 8 });
    await sending.harness.rpc.call(UnassignConversations, { business_id: 1, user_id: ME });
    expect([(await find(ASHA)).assigned_to, (await find(ZOE)).assigned_to]).toEqual([null, 8]);
    await change(ZOE, { assigned_to: null });
  });

  it('decision 714: closes nothing over a message that came after the page was loaded', async () => {
    const shown = await find(ZOE);
    const since = { nothing_received_since: shown.last_received_at ?? '' };
    await write(ZOE);
    const closing = change(ZOE, { status: 'closed', labels: ['Done'], ...since });
    expect(await closing.catch(({ error_code, message }: GatewayError) => [error_code, message])).toEqual([
      'CONFLICT',
      'The customer wrote meanwhile.',
    ]);
    expect(await find(ZOE)).toMatchObject({ status: 'open', labels: [], unread_count: 1, waiting_since: AT });
    const foreign = { business_id: 2, conversation_id: shown.id, status: 'closed' as const, ...since };
    const unknown = sending.harness.rpc.call(UpdateConversation, foreign);
    expect(await unknown.catch((error: GatewayError) => error.error_code)).toBe('NOT_FOUND');
    await change(ZOE, { status: 'closed', nothing_received_since: (await find(ZOE)).last_received_at ?? '' });
    expect(await find(ZOE)).toMatchObject({ status: 'closed', unread_count: 0, waiting_since: null });
    await change(ZOE, { status: 'open' });
  });

  it('continues a view after its first page', async () => {
    const found: string[] = [];
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const { conversations, next_cursor } = await list({ limit: 1, cursor, view: 'open' });
      found.push(...conversations.map(({ customer_phone }) => customer_phone));
      cursor = next_cursor;
    }
    expect(found).toEqual([BEN, ASHA, ZOE]);
  });

  it('continues behind any cursor', async () => {
    const far = Buffer.from(JSON.stringify(['999999999999', '2026-01-01 00:00:00+00', '1'])).toString('base64url');
    expect((await list({ cursor: far })).conversations).toHaveLength(3);
  });

  it('labels conversations; a new name makes a label, and a deleted one leaves its conversations', async () => {
    await change(ASHA, { labels: ['VIP', 'Order 1007'] });
    expect((await find(ASHA)).labels).toEqual(['Order 1007', 'VIP']);
    expect(await phones({ label: 'VIP' })).toEqual([ASHA]);
    expect(await phones({ label: 'vip' })).toEqual([]);
    await change(ASHA, { labels: ['VIP'] });
    const call = sending.harness.rpc.call.bind(sending.harness.rpc);
    const { labels } = await call(ListLabels, { business_id: 1 });
    const [order, vip] = labels;
    expect(labels).toEqual([expect.objectContaining({ name: 'Order 1007' }), expect.objectContaining({ name: 'VIP', color: 'gray' })]);
    const refused = (error: GatewayError) => error.error_code;
    expect(await call(CreateLabel, { business_id: 1, name: 'VIP', color: 'red' }).catch(refused)).toBe('CONFLICT');
    expect(await call(UpdateLabel, { business_id: 1, id: order?.id ?? 0, name: 'VIP' }).catch(refused)).toBe('CONFLICT');
    expect(await call(UpdateLabel, { business_id: 2, id: vip?.id ?? 0, color: 'red' }).catch(refused)).toBe('NOT_FOUND');
    await call(UpdateLabel, { business_id: 1, id: vip?.id ?? 0, color: 'red' });
    expect((await call(ListLabels, { business_id: 2 })).labels).toEqual([]);
    await call(DeleteLabel, { business_id: 1, id: vip?.id ?? 0 });
    expect((await find(ASHA)).labels).toEqual([]);
  });

  it('decision 794: adds and removes only what the caller changed in the labels that it showed', async () => {
    const call = sending.harness.rpc.call.bind(sending.harness.rpc);
    const shown = { labels_before: ['Late', 'Gold'] };
    await change(ASHA, { labels: ['Late', 'Gold'] });
    await change(ASHA, { labels: ['Late', 'Gold', 'Refund'], ...shown });
    const gold = (await call(ListLabels, { business_id: 1 })).labels.find(({ name }) => name === 'Gold');
    await call(UpdateLabel, { business_id: 1, id: gold?.id ?? 0, name: 'Platinum' });
    await change(ASHA, { labels: ['Gold', 'New'], ...shown });
    expect((await find(ASHA)).labels).toEqual(['New', 'Platinum', 'Refund']);
    expect((await call(ListLabels, { business_id: 1 })).labels.map(({ name }) => name)).not.toContain('Gold');
    const many = Array.from({ length: MAX_LABELS }, (_, n) => `Many ${n}`);
    const refused = ({ error_code }: GatewayError) => error_code;
    expect(await change(ASHA, { labels: many, labels_before: [] }).catch(refused)).toBe('CONFLICT');
    await change(ASHA, { labels: [], labels_before: ['New', 'Gone', 'Platinum', 'Refund'] });
    expect((await find(ASHA)).labels).toEqual([]);
    await sending.harness.db.query('DELETE FROM send.labels WHERE business_id = 1');
  });

  it('decision 800: removes labels of a conversation that has more than 20 after a merge, and adds none', async () => {
    const many = Array.from({ length: MAX_LABELS + 3 }, (_, n) => `Many ${String(n).padStart(2, '0')}`);
    await change(ASHA, { labels: many.slice(0, MAX_LABELS) });
    await sending.harness.db.query(
      `WITH more AS (INSERT INTO send.labels (business_id, name, color) SELECT 1, unnest($1::text[]), 'gray' RETURNING id)
       INSERT INTO send.conversation_labels (conversation_id, label_id) SELECT $2, id FROM more`,
      [many.slice(MAX_LABELS), (await find(ASHA)).id],
    );
    const refused = ({ error_code }: GatewayError) => error_code;
    expect(await change(ASHA, { labels: [...many, 'New'], labels_before: many }).catch(refused)).toBe('CONFLICT');
    await change(ASHA, { labels: many.slice(1), labels_before: many });
    expect((await find(ASHA)).labels).toEqual(many.slice(1));
    expect(await change(ASHA, { labels: [...many.slice(2), 'New'] }).catch(refused)).toBe('CONFLICT');
    await change(ASHA, { labels: many.slice(2) });
    expect((await find(ASHA)).labels).toEqual(many.slice(2));
    await change(ASHA, { labels: [] });
    await sending.harness.db.query('DELETE FROM send.labels WHERE business_id = 1');
  });

  it('makes missing labels until the business has 200', async () => {
    await sending.harness.db.query(
      `INSERT INTO send.labels (business_id, name, color) SELECT 1, 'Batch ' || n, 'gray' FROM generate_series(1, $1) AS n`,
      [MAX_INBOX_LIST - 1 - (await sending.harness.rpc.call(ListLabels, { business_id: 1 })).labels.length],
    );
    const refused = ({ error_code }: GatewayError) => error_code;
    expect(await change(ASHA, { labels: ['Batch 1', 'New', 'Newer'] }).catch(refused)).toBe('CONFLICT');
    await change(ASHA, { labels: ['Batch 1', 'Batch 2', 'New'] });
    expect((await find(ASHA)).labels).toEqual(['Batch 1', 'Batch 2', 'New']);
    expect(await change(ASHA, { labels: ['Newer'] }).catch(refused)).toBe('CONFLICT');
    await change(ASHA, { labels: ['Batch 3'] });
    expect((await find(ASHA)).labels).toEqual(['Batch 3']);
    await sending.harness.db.query(`DELETE FROM send.labels WHERE name LIKE 'Batch %'`);
  });

  it('shows notes in the thread to people only, and never as the last message', async () => {
    const { id: conversation_id } = await find(ASHA);
    const call = sending.harness.rpc.call.bind(sending.harness.rpc);
    const { id } = await call(AddNote, { business_id: 1, conversation_id, user_id: ME, text: 'Gift wrap' });
    const thread = { business_id: 1, conversation_id, limit: 1, cursor: null };
    const { messages, next_cursor } = await call(GetThread, { ...thread, notes: true });
    expect(messages).toMatchObject([{ message_id: `note:${id}`, type: 'note', text: 'Gift wrap', user_id: ME, sent_by: null }]);
    expect((await call(GetThread, { ...thread, notes: true, cursor: next_cursor })).messages).toMatchObject([
      { type: 'text', direction: 'in' },
    ]);
    expect((await call(GetThread, thread)).messages).toMatchObject([{ type: 'text' }]);
    expect((await find(ASHA)).last_message).toMatchObject({ type: 'text' });
    const foreign = call(AddNote, { business_id: 2, conversation_id, user_id: ME, text: 'x' });
    expect(await foreign.catch((error: GatewayError) => error.error_code)).toBe('NOT_FOUND');
  });

  it('decision 776: adds a note once however often its request is repeated, also at the same time', async () => {
    const { id: conversation_id } = await find(ASHA);
    const add = (text: string, fingerprint: string) =>
      sending.harness.rpc.call(AddNote, {
        business_id: 1,
        conversation_id,
        user_id: ME,
        text,
        idempotency: { key: 'note-1', fingerprint },
      });
    const answers = await Promise.all(Array.from({ length: 5 }, () => add('Call him', 'a')));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => replayed)).toHaveLength(4);
    expect(await add('Call her', 'b').catch((error: GatewayError) => error.error_code)).toBe('IDEMPOTENCY_MISMATCH');
    const rows = await sending.harness.db.query(`SELECT text FROM send.notes WHERE creation_key = 'note-1'`);
    expect(rows).toEqual([{ text: 'Call him' }]);
    await sending.harness.db.query(`DELETE FROM send.notes WHERE creation_key = 'note-1'`);
  });

  it('decision 665: lists the newest notes of the whole conversation with the first page, by an index', async () => {
    const { id: conversation_id } = await find(BEN);
    const call = sending.harness.rpc.call.bind(sending.harness.rpc);
    for (const text of ['1', '2', '3', '4', '5', '6']) await call(AddNote, { business_id: 1, conversation_id, user_id: ME, text });
    await reply(BEN);
    const thread = { business_id: 1, conversation_id, limit: 1, cursor: null, notes: true };
    const first = await call(GetThread, thread);
    expect(first.messages).toMatchObject([{ type: 'text', sent_by: 'agent' }]);
    expect(first.newest_notes?.map(({ text }) => text)).toEqual(['6', '5', '4', '3', '2']);
    expect(first.newest_notes?.[0]).toEqual({ message_id: expect.stringMatching(/^note:/) as string, text: '6', user_id: ME, at: AT });
    const { newest_notes: ofWhole } = await call(GetThread, { ...thread, limit: 100 });
    expect(ofWhole).toEqual(first.newest_notes);
    expect(await call(GetThread, { ...thread, cursor: first.next_cursor })).not.toHaveProperty('newest_notes');
    expect(await call(GetThread, { ...thread, notes: false })).not.toHaveProperty('newest_notes');
    await sending.harness.db.query(
      `INSERT INTO send.notes (business_id, conversation_id, user_id, text, created_at)
       SELECT 1, $1::bigint + (n % 2) * 1000000, 7, 'old', now() - n * interval '1 hour' FROM generate_series(1, 4000) AS n`,
      [conversation_id],
    );
    await sending.harness.db.query('ANALYZE send.notes');
    const rows = await rowsRead(sending.harness.db, (db) => new ThreadStore(db).page(thread, conversation_id));
    expect(rows['notes']).toBeLessThan(20);
  });

  it('decision 735: takes every conversation from somebody who left, also closed ones, and reads no others', async () => {
    const leaver = 9;
    await change(BEN, { assigned_to: leaver });
    await change(ZOE, { assigned_to: leaver, status: 'closed' });
    await sending.harness.db.query(
      `INSERT INTO send.conversations (business_id, phone, last_inbound_at, assigned_to)
       SELECT 1 + n % 2, '9197' || n, now() - interval '1 day', 70 + n % 2 FROM generate_series(1, 5000) AS n`,
    );
    expect(await phones({ view: 'mine', user_id: leaver })).toEqual([BEN]);
    const rows = await rowsRead(sending.harness.db, (db) => new ConversationChangesStore(db).unassign(1, leaver));
    expect(rows['conversations']).toBeLessThan(20);
    await change(BEN, { assigned_to: leaver });
    await change(ZOE, { assigned_to: leaver });
    await sending.harness.rpc.call(UnassignConversations, { business_id: 2, user_id: leaver });
    expect((await find(ZOE)).assigned_to).toBe(leaver);
    await sending.harness.rpc.call(UnassignConversations, { business_id: 1, user_id: leaver });
    await write(ZOE);
    expect(await phones({ view: 'unassigned' })).toEqual(expect.arrayContaining([BEN, ZOE]));
    // Several steps.
    await sending.harness.rpc.call(UnassignConversations, { business_id: 1, user_id: 70 });
    const left = 'SELECT count(*)::integer AS of70 FROM send.conversations WHERE assigned_to = 70';
    expect(await sending.harness.db.query(left)).toEqual([{ of70: 0 }]);
    await sending.harness.db.query(`DELETE FROM send.conversations WHERE phone LIKE '9197%'`);
  });

  it('decision 714: closes no conversation over its first message', async () => {
    const phone = '919876543299';
    const { created_at, last_received_at } = await find(phone);
    expect(last_received_at).toBeNull();
    await write(phone);
    const closing = change(phone, { status: 'closed', nothing_received_since: created_at });
    await expect(closing).rejects.toMatchObject({ error_code: 'CONFLICT' });
  });

  it('decision 392: STOP begins no wait and ends the one before it, and what the customer writes afterwards waits again', async () => {
    const phone = '919876543277';
    const writes = async (text: string) => {
      await write(phone, { text });
      return { ...(await find(phone)), waiting: (await list()).counts.waiting };
    };
    const { waiting } = (await list()).counts;
    expect(await writes('Stop')).toMatchObject({ waiting, waiting_since: null, unread_count: 1, suppression_state: 'opted_out' });
    expect(await writes('Sorry, where is my order?')).toMatchObject({ waiting: waiting + 1, waiting_since: AT });
    expect(await writes('STOP')).toMatchObject({ waiting, waiting_since: null, unread_count: 3 });
    expect(await writes('start')).toMatchObject({ waiting: waiting + 1, suppression_state: null });
    await write(phone, { text: 'stop', sent_at: new Date(Date.now() - 3_600_000).toISOString() });
    expect(await find(phone)).toMatchObject({ waiting_since: AT, suppression_state: null });
  });

  it('decision 392: a reaction in the same batch as STOP keeps nobody waiting', async () => {
    const phone = '919876543278';
    const { waiting } = (await list()).counts;
    const from = { phone, user_id: null, name: '' };
    const reaction = { message_id: 'wamid.in.1', emoji: '🙏' };
    const batch = [
      inboundEvent({ message_id: 'wamid.in.stop', from, text: 'STOP' }),
      inboundEvent({ message_id: 'wamid.in.reaction', from, type: 'reaction', text: null, details: { reaction } }),
    ];
    await sending.harness.publishTo('platform.message', JSON.stringify(batch));
    received += batch.length;
    await eventually(async () => (await sending.harness.published('message.received')).length === received);
    expect(await find(phone)).toMatchObject({ waiting_since: null, unread_count: 1, suppression_state: 'opted_out' });
    expect((await list()).counts.waiting).toBe(waiting);
  });
});
