import {
  GetThread,
  MarkConversationRead,
  MarkRead,
  SendContacts,
  SendInteractive,
  SendLocation,
  SendMedia,
  SendReaction,
  SendText,
  SetSendSettings,
  type Sender,
} from '@mgw/contracts';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

const WRITTEN = 'wamid.written';
const MEDIA = { media_type: 'audio', media_url: 'https://example.com/a.ogg', caption: null, filename: null } as const;

describe('free messages of every kind (spec §3.2, decision 304)', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
  });
  afterAll(() => sending.harness.close());

  const interactive = { kind: 'location_request', body: 'Where are you?' } as const;
  const contacts = [{ name: { formatted_name: 'Asha Rao', first_name: 'Asha' } }];
  type Send = (change?: Partial<Sender>, reply?: { reply_to?: string }) => Promise<object>;
  const KINDS: Record<string, Send> = {
    text: (change, reply) => sending.free(SendText, { text: 'Hi', ...reply }, change),
    audio: (change, reply) => sending.free(SendMedia, { ...MEDIA, voice: true, ...reply }, change),
    interactive: (change, reply) => sending.free(SendInteractive, { content: interactive, ...reply }, change),
    location: (change, reply) => sending.free(SendLocation, { location: { latitude: 1.5, longitude: 2 }, ...reply }, change),
    contacts: (change, reply) => sending.free(SendContacts, { contacts, ...reply }, change),
  };
  const react: Send = (change) => sending.free(SendReaction, { message_id: WRITTEN, emoji: '👍' }, change);
  const all = Object.entries({ ...KINDS, reaction: react });
  const lastCall = () => sending.platform.calls().at(-1);
  const respondToReceipts = () =>
    sending.platform.respond((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}'));
  const receive = async (message: Parameters<typeof inboundEvent>[0], business = 1) => {
    const before = (await sending.harness.published('message.received')).length;
    await sending.harness.publish(inboundEvent({ sent_at: new Date().toISOString(), ...message }, business));
    await eventually(async () => (await sending.harness.published('message.received')).length > before);
  };

  it('spec §3.2: need an open window', async () => {
    for (const [type, send] of Object.entries(KINDS))
      expect([type, await send()]).toEqual([type, expect.objectContaining({ error_code: 'WINDOW_CLOSED' })]);
    expect(await react()).toMatchObject({ error_code: 'VALIDATION_FAILED', extras: { details: [{ field: 'message_id' }] } });
    await receive({ message_id: 'wamid.ago', sent_at: '2026-01-02T03:04:05.000Z' });
    const late = sending.free(SendReaction, { message_id: 'wamid.ago', emoji: null });
    expect(await late).toMatchObject({ error_code: 'WINDOW_CLOSED' });
    expect(sending.platform.calls()).toEqual([]);
  });

  it('are sent, published with their text, counted, capped and replayed', async () => {
    await receive({ message_id: WRITTEN });
    for (const [i, [type, send]] of all.entries()) {
      const idempotency = { key: type, fingerprint: 'f' };
      const sent = await send({ idempotency });
      expect([type, sent]).toEqual([type, expect.objectContaining({ replayed: false })]);
      expect(lastCall()).toMatchObject({ type, [type]: expect.anything() as unknown });
      expect(await send({ idempotency })).toEqual({ ...sent, replayed: true });
      expect(await sending.used()).toBe(i + 1);
      expect(await send({ daily_limit: 1 })).toMatchObject({ error_code: 'DAILY_LIMIT_REACHED' });
    }
    const sent = await eventually(async () => {
      const events = await sending.harness.published('message.sent');
      return events.length === all.length && events;
    });
    expect(sent.map(({ data }) => [(data as { type: string }).type, (data as { text: string }).text])).toEqual(
      all.map(([type]) => [type, { text: 'Hi', interactive: interactive.body }[type] ?? '']),
    );
  });

  it('decision 303: quote messages of the person only, received or sent', async () => {
    await receive({ message_id: 'wamid.other', from: { phone: '919876543211', user_id: null, name: '' } });
    await receive({ message_id: 'wamid.foreign' }, 2);
    const { message_id } = (await KINDS['text']?.()) as { message_id: string };
    const calls = sending.platform.calls().length;
    for (const [type, send] of Object.entries(KINDS)) {
      for (const reply_to of ['wamid.other', 'wamid.foreign', 'wamid.none', 'gw_1'])
        expect([type, await send({}, { reply_to })]).toEqual([
          type,
          expect.objectContaining({
            error_code: 'VALIDATION_FAILED',
            status: 400,
            extras: { details: [expect.objectContaining({ field: 'reply_to' })] },
          }),
        ]);
    }
    expect(sending.platform.calls()).toHaveLength(calls);
    for (const send of Object.values(KINDS))
      for (const reply_to of [WRITTEN, message_id]) {
        expect(await send({}, { reply_to })).toMatchObject({ replayed: false });
        expect(lastCall()).toMatchObject({ context: { message_id: reply_to } });
      }
  });

  it('decision 330: marks received messages as read, and no others', async () => {
    const mark = (message_id: string, { typing = false, business_id = 1 } = {}) =>
      sending.harness.rpc.call(MarkRead, { business_id, message_id, typing }).catch((error: unknown) => error);
    const used = await sending.used();
    const sent = (await KINDS['text']?.()) as { message_id: string };
    respondToReceipts();
    expect(await mark(WRITTEN)).toEqual({});
    expect(lastCall()).toEqual({ messaging_product: 'whatsapp', status: 'read', message_id: WRITTEN });
    expect(await mark(WRITTEN, { typing: true })).toEqual({});
    expect(lastCall()).toMatchObject({ message_id: WRITTEN, typing_indicator: { type: 'text' } });
    const calls = sending.platform.calls().length;
    for (const [id, options] of [[sent.message_id], ['wamid.none'], ['wamid.foreign'], [WRITTEN, { business_id: 2 }]] as const)
      expect([id, await mark(id, options)]).toEqual([id, expect.objectContaining({ error_code: 'NOT_FOUND', status: 404 })]);
    expect([sending.platform.calls().length, await sending.used()]).toEqual([calls, used + 1]);
    sending.platform.respond((_, response) => void response.socket?.destroy());
    expect(await mark(WRITTEN)).toMatchObject({ error_code: 'PLATFORM_UNAVAILABLE' });
    expect(sending.platform.calls()).toHaveLength(calls + 1);
    sending.platform.refuse(190, 401);
    expect(await mark(WRITTEN)).toMatchObject({ error_code: 'NOT_CONNECTED', extras: { platform_code: 190 } });
    await eventually(() => sending.reported.length > 0);
    expect(sending.reported).toEqual([190]);
    sending.platform.accept();
  });

  it('decision 331: marks the newest message of an opened conversation once, if the business wants it', async () => {
    const { rpc, db } = sending.harness;
    const [row] = await db.query<{ id: string }>(`SELECT conversation_id AS id FROM send.inbound_messages WHERE message_id = $1`, [
      WRITTEN,
    ]);
    const open = (business_id = 1) => rpc.call(MarkConversationRead, { business_id, conversation_id: Number(row?.id) });
    const calls = sending.platform.calls().length;
    respondToReceipts();
    await open();
    await rpc.call(SetSendSettings, { business_id: 1, mark_read_on_open: true });
    await rpc.call(SetSendSettings, { business_id: 2, mark_read_on_open: true });
    await open(2);
    expect(sending.platform.calls()).toHaveLength(calls);
    await receive({ message_id: 'wamid.newest' });
    await open();
    await open();
    expect(sending.platform.calls().slice(calls)).toEqual([{ messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.newest' }]);
    sending.platform.accept();
  });

  it('decision 390: are shown in the thread with their content, their quote and their author', async () => {
    for (const [, send] of all) await send({ sent_by: 'agent', user_id: 7, api_key_id: null }, { reply_to: WRITTEN });
    const sent = await eventually(async () => (await sending.harness.published('message.sent'))[0]);
    const { conversation_id } = sent.data as { conversation_id: number };
    const { messages } = await sending.harness.rpc.call(GetThread, { business_id: 1, conversation_id, limit: all.length, cursor: null });
    const quote = { user_id: 7, context: { message_id: WRITTEN } };
    expect(Object.fromEntries(messages.map((message) => [message.type, message]))).toMatchObject({
      text: { ...quote, text: 'Hi' },
      audio: { ...quote, media_url: MEDIA.media_url, voice: true },
      interactive: { ...quote, offer: interactive, text: interactive.body },
      location: { ...quote, location: { latitude: 1.5, longitude: 2 } },
      contacts: { ...quote, contacts },
      reaction: { user_id: 7, reaction: { message_id: WRITTEN, emoji: '👍' } },
    });
  });

  it('are never retried after an unclear response, and refused to people who opted out', async () => {
    sending.platform.respond((_, response) => void response.socket?.destroy());
    for (const [type, send] of all) {
      const calls = sending.platform.calls().length;
      expect([type, await send()]).toEqual([type, expect.objectContaining({ error_code: 'OUTCOME_UNKNOWN' })]);
      expect(sending.platform.calls()).toHaveLength(calls + 1);
    }
    sending.platform.accept();
    await receive({ message_id: 'wamid.stop', text: 'STOP' });
    for (const [type, send] of all)
      expect([type, await send()]).toEqual([type, expect.objectContaining({ error_code: 'RECIPIENT_SUPPRESSED' })]);
  });
});
