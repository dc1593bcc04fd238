import { GetThread, ListConversations, SetSuppression, type ResponseOf } from '@mgw/contracts';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

describe('the inbox (spec §10)', () => {
  let sending: Sending;
  beforeEach(async () => {
    sending = await startSending();
    await sending.run();
  });
  afterEach(() => sending.harness.close());

  const page = (limit: number, cursor: string | null) =>
    sending.harness.rpc.call(ListConversations, { business_id: 1, limit, cursor, search: null });
  const suppress = (phone: string) => sending.harness.rpc.call(SetSuppression, { business_id: 1, phone, state: 'blocked', reason: null });
  const write = (phone: string) =>
    sending.harness.publish(inboundEvent({ message_id: `wamid.${phone}`, from: { phone, user_id: null, name: '' } }));

  it('fills its pages with customers, not with people without messages', async () => {
    const customers = ['919876543211', '919876543212', '919876543213'];
    await write('919876543211');
    await eventually(async () => (await sending.harness.published('message.received')).length === 1);
    for (const phone of ['919876543221', '919876543222', '919876543223', '919876543224', '919876543225']) await suppress(phone);
    await write('919876543212');
    await write('919876543213');
    await eventually(async () => (await sending.harness.published('message.received')).length === 3);
    for (const limit of [1, 2, 3, 100]) {
      const listed: string[] = [];
      let cursor: string | null = null;
      do {
        const { conversations, next_cursor } = await page(limit, cursor);
        expect(conversations.length).toBeLessThanOrEqual(limit);
        listed.push(...conversations.map(({ customer_phone }) => customer_phone));
        cursor = next_cursor;
      } while (cursor !== null);
      expect([limit, [...listed].sort()]).toEqual([limit, customers]);
    }
  });

  const lines = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
  /** The texts of the most recently active conversation, oldest first. */
  const readInPages = async () => {
    const { conversations } = await page(1, null);
    const read: string[] = [];
    let cursor: string | null = null;
    do {
      const { messages, next_cursor }: ResponseOf<typeof GetThread> = await sending.harness.rpc.call(GetThread, {
        business_id: 1,
        conversation_id: conversations[0]?.id ?? 0,
        limit: 2,
        cursor,
      });
      read.unshift(...messages.map(({ text }) => text ?? '').reverse());
      cursor = next_cursor;
    } while (cursor !== null);
    expect(conversations[0]?.last_message?.text).toBe(read.at(-1));
    return read;
  };

  it('keeps messages of one second in their order of arrival', async () => {
    await sending.harness.publish(...lines.map((text, i) => inboundEvent({ message_id: `wamid.${9 - i}`, text })));
    await eventually(async () => (await sending.harness.published('message.received')).length === lines.length);
    expect(await readInPages()).toEqual(lines);
  });

  it('keeps that order in one batch with changes of identity in between (platform §4.4)', async () => {
    await sending.harness.close();
    sending = await startSending();
    const system = { type: 'user_changed_number', wa_id: '919876543210', user_id: 'IN.1' };
    for (const [i, text] of lines.entries()) {
      await sending.harness.publish(inboundEvent({ message_id: `wamid.${9 - i}`, text }));
      await sending.harness.publish(inboundEvent({ message_id: `wamid.system.${i}`, type: 'system', text: null, raw: { system } }));
    }
    // Start the service only now, so that it gets all events in one batch.
    await sending.run();
    await eventually(async () => (await sending.harness.published('message.received')).length === lines.length);
    expect(await readInPages()).toEqual(lines);
  });
});
