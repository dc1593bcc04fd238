import { GetThread, type DataOf, type InboundDetails, type PlatformMessage, type ResponseOf, type RequestOf } from '@mgw/contracts';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

type Inbound = Partial<DataOf<typeof PlatformMessage>>;

describe('everything that a customer sends (spec §6.2)', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
  });
  afterAll(() => sending.harness.close());

  let people = 0;
  /** Publishes messages of a new customer. @returns message.received of each message that the gateway publishes, with its text */
  const receive = async (...messages: Inbound[]) => {
    const from = { phone: String(919_800_000_000 + people++), user_id: null, name: '' };
    const end = { message_id: `wamid.end.${people}`, text: 'End' };
    for (const message of [...messages, end]) await sending.harness.publish(inboundEvent({ from, ...message }));
    const received = async () =>
      (await sending.harness.published('message.received')).filter(({ data }) => (data as { from: string }).from === from.phone);
    const isEnd = ({ data }: { data: unknown }) => (data as { message_id: string }).message_id === end.message_id;
    await eventually(async () => (await received()).some(isEnd));
    return (await received()).filter((event) => !isEnd(event));
  };
  /** The messages of a conversation without the last one, oldest first. */
  const thread = async (conversation_id: number) => {
    const { messages } = await sending.harness.rpc.call(GetThread, { business_id: 1, conversation_id, limit: 100, cursor: null });
    return messages.reverse().slice(0, -1);
  };
  const conversationOf = (event: { data: unknown } | undefined) => (event?.data as { conversation_id: number }).conversation_id;

  it('spec §6.2: publishes a plain text with the same bytes as before', async () => {
    const [event] = await receive({ message_id: 'wamid.plain', text: 'Hi' });
    expect(JSON.stringify(event?.data)).toBe(
      `{"message_id":"wamid.plain","from":"919800000000","from_name":"","type":"text","text":"Hi","conversation_id":${conversationOf(event)},"business_id":1}`,
    );
    const [message] = await thread(conversationOf(event));
    expect(Object.keys(message ?? {}).sort()).toEqual(['at', 'direction', 'media', 'message_id', 'sent_by', 'template', 'text', 'type']);
  });

  it.each<[string, InboundDetails]>([
    ['text', { context: { message_id: 'wamid.0', forwarded: true } }],
    ['button', { button: { payload: 'REORDER' } }],
    ['interactive', { interactive: { type: 'list_reply', id: 's3', title: 'Silk', description: 'In two days' } }],
    ['interactive', { interactive: { type: 'nfm_reply', title: 'flow', response: { size: 'M', '': null } } }],
    ['location', { location: { latitude: 12.97, longitude: 77.59, name: 'Showroom' } }],
    ['contacts', { contacts: [{ name: { formatted_name: 'Desk' }, phones: [{ phone: '+91' }] }] }],
    ['reaction', { reaction: { message_id: 'wamid.0', emoji: null } }],
    ['order', { order: { catalog_id: '5', product_items: [{ quantity: 2 }] } }],
    ['document', { filename: 'PO "2291".pdf', sha256: '0d'.repeat(32) }],
    ['audio', { voice: true }],
    ['sticker', { animated: false }],
    ['text', { referral: { source_id: '7', source_type: 'ad', ctwa_clid: 'AR' } }],
    ['text', { from_username: 'ptolemy.quill' }],
    ['unsupported', { errors: [{ code: 131051, title: 'Message type unknown' }] }],
    ['contacts', { details_truncated: true }],
  ])('publishes and shows the details of a message of type %s: %j', async (type, details) => {
    const [event] = await receive({ message_id: `wamid.details.${people}`, type, text: null, details });
    expect(event?.data).toMatchObject({ type, ...details });
    expect(await thread(conversationOf(event))).toMatchObject([{ direction: 'in', type, ...details }]);
  });

  const change = (type: 'edit' | 'revoke', original_message_id: string, text: string | null, second: number): Inbound => ({
    message_id: `${original_message_id}.${type}.${text ?? ''}`,
    type,
    text,
    original_message_id,
    sent_at: `2026-01-02T03:05:0${second}.000Z`,
  });

  it('shows the newest edit, whatever the order of arrival, and publishes no event for it (decision 38)', async () => {
    expect(await receive(change('edit', 'wamid.edited', 'Four', 3), change('edit', 'wamid.edited', 'Three', 2))).toEqual([]);
    const [event] = await receive({ message_id: 'wamid.edited', text: 'One' });
    expect(event?.data).toMatchObject({ text: 'One' });
    expect(await receive(change('edit', 'wamid.edited', 'Two', 1))).toEqual([]);
    expect(await thread(conversationOf(event))).toMatchObject([{ text: 'Four', edited_at: '2026-01-02T03:05:03.000Z' }]);
  });

  it('shows a later edit than one from a platform clock that was ahead', async () => {
    const text = async () => (await thread(conversation))[0]?.text;
    const [event] = await receive({ message_id: 'wamid.ahead', text: 'One' });
    const conversation = conversationOf(event);
    await receive({ ...change('edit', 'wamid.ahead', 'Two', 1), sent_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await text()).toBe('Two');
    await receive({
      ...change('edit', 'wamid.ahead', 'Three', 1),
      sent_at: new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString(),
    });
    expect(await text()).toBe('Three');
  });

  it('shows that a message was deleted, and which one', async () => {
    const [event] = await receive(
      { message_id: 'wamid.deleted', text: 'One' },
      { message_id: 'wamid.kept', text: 'Two' },
      change('edit', 'wamid.deleted', 'Uno', 1),
      change('revoke', 'wamid.deleted', null, 2),
    );
    const [deleted, kept] = await thread(conversationOf(event));
    expect(deleted).toMatchObject({ text: 'Uno', edited_at: expect.any(String) as string, deleted_at: '2026-01-02T03:05:02.000Z' });
    expect(kept).toMatchObject({ text: 'Two' });
    expect(kept).not.toHaveProperty('deleted_at');
  });

  it('decision 384: an edit that is replayed after a deletion restarts the eight days', async () => {
    const changes = `send.message_changes WHERE message_id = 'wamid.replayed' AND changed_at > now() - interval '8 days'`;
    await receive(change('revoke', 'wamid.replayed', null, 2));
    await sending.harness.db.query(
      `UPDATE send.message_changes SET changed_at = now() - interval '20 days' WHERE message_id = 'wamid.replayed'`,
    );
    await receive(change('edit', 'wamid.replayed', 'Uno', 1));
    expect(await sending.harness.db.query(`SELECT text FROM ${changes}`)).toEqual([{ text: 'Uno' }]);
  });

  it('spec §10: pages through a thread of large messages without exceeding what NATS carries', async () => {
    const large = Array.from({ length: 110 }, (_, i) => ({ message_id: `wamid.large.${i}`, text: '\u0001'.repeat(15_000) }));
    const [event] = await receive(...large);
    const read: string[] = [];
    let cursor: string | null = null;
    do {
      const request: RequestOf<typeof GetThread> = { business_id: 1, conversation_id: conversationOf(event), limit: 100, cursor };
      const { messages, next_cursor }: ResponseOf<typeof GetThread> = await sending.harness.rpc.call(GetThread, request);
      read.push(...messages.map(({ message_id }) => message_id));
      cursor = next_cursor;
    } while (cursor !== null);
    expect(read.reverse().slice(0, -1)).toEqual(large.map(({ message_id }) => message_id));
  });
});
