import {
  CheckDailyCap,
  FindConversation,
  FindSuppressed,
  GetSuppression,
  ImportSuppressions,
  LiftSuppression,
  ListInboundMessages,
  newIntentId,
  PlatformPreference,
  SetSuppression,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

describe('the account by key (decisions 362 to 364)', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
  });
  afterAll(() => sending.harness.close());

  const rpc = <O extends Parameters<Sending['harness']['rpc']['call']>[0]>(operation: O, request: RequestOf<O>) =>
    sending.harness.rpc.call(operation, request);
  const stateOf = async (phone: string) => {
    const { suppression } = await rpc(GetSuppression, { business_id: 1, phone });
    return suppression && [suppression.state, suppression.source];
  };
  const write = async (message_id: string, phone: string, text: string, sent_at: string) => {
    await sending.harness.publish(inboundEvent({ message_id, from: { phone, user_id: null, name: 'Asha' }, text, sent_at }));
    await eventually(async () =>
      (await sending.harness.published('message.received')).some(({ data }) => (data as { message_id: string }).message_id === message_id),
    );
  };

  it('decision 362: an import adds what is not known, and leaves stricter statements and newer lifts', async () => {
    const phone = (n: number) => `91987650000${n}`;
    const row = (n: number, state: 'blocked' | 'opted_out', since: string | null = null) => ({
      phone: phone(n),
      state,
      reason: 'Letter',
      since,
    });
    await rpc(SetSuppression, { business_id: 1, phone: phone(1), state: 'blocked', reason: null });
    await rpc(SetSuppression, { business_id: 1, phone: phone(2), state: 'opted_out_marketing', reason: null });
    await rpc(SetSuppression, { business_id: 1, phone: phone(3), state: 'blocked', reason: null });
    await rpc(LiftSuppression, { business_id: 1, phone: phone(3) });
    const rows = [
      row(1, 'opted_out'),
      row(2, 'opted_out'),
      row(3, 'blocked', '2026-01-01T00:00:00.000Z'),
      row(4, 'blocked'),
      row(4, 'opted_out'),
    ];
    expect(await rpc(ImportSuppressions, { business_id: 1, rows })).toEqual({ added: 2, unchanged: 3 });
    expect(await Promise.all([1, 2, 3, 4].map((n) => stateOf(phone(n))))).toEqual([
      ['blocked', 'dashboard'],
      ['opted_out', 'api'],
      null,
      ['blocked', 'api'],
    ]);
    expect(await rpc(ImportSuppressions, { business_id: 1, rows })).toEqual({ added: 0, unchanged: 5 });
    // Over several batches, and again after a lift.
    const many = Array.from({ length: 1_200 }, (_, i) => ({ ...row(0, 'blocked'), phone: `9198000${String(i).padStart(5, '0')}` }));
    const weak = { ...row(0, 'opted_out'), phone: '919800001199' };
    expect(await rpc(ImportSuppressions, { business_id: 2, rows: [weak, ...many] })).toEqual({ added: 1_200, unchanged: 1 });
    await rpc(LiftSuppression, { business_id: 2, phone: '919800000007' });
    expect(await rpc(ImportSuppressions, { business_id: 2, rows: many })).toEqual({ added: 1, unchanged: 1_199 });
  });

  it('decision 754: an identical PUT keeps the time, so that a repeated list does not reorder pages', async () => {
    const phone = '919876500041';
    const before = '2026-01-01T00:00:00.000Z';
    const since = async () => (await rpc(GetSuppression, { business_id: 1, phone })).suppression?.since;
    const put = (reason: string | null, state: 'blocked' | 'opted_out') =>
      rpc(SetSuppression, { business_id: 1, phone, state, reason, source: 'api' });
    const keepsTime = async (reason: string | null, state: 'blocked' | 'opted_out') => {
      const { conversation } = await rpc(FindConversation, { business_id: 1, phone });
      await sending.harness.db.query('UPDATE send.suppressions SET at = $2 WHERE conversation_id = $1', [conversation?.id, before]);
      await put(reason, state);
      return (await since()) === before;
    };
    await put('Letter', 'blocked');
    expect([await keepsTime('Letter', 'blocked'), await keepsTime(null, 'blocked'), await keepsTime(null, 'opted_out')]).toEqual([
      true,
      false,
      false,
    ]);
    await rpc(LiftSuppression, { business_id: 1, phone });
    expect(await keepsTime(null, 'opted_out')).toBe(false);
  });

  it('decision 754: an identical PUT is the newest statement when the conversations of a person merge', async () => {
    const [phone, user_id, since] = ['919876500042', 'IN.42', '2026-01-01T00:00:00.000Z'];
    const put = (name: string, state: 'blocked' | 'opted_out') =>
      rpc(SetSuppression, { business_id: 1, phone: name, state, reason: 'Letter', source: 'api' });
    const idOf = async (name: string) => (await rpc(FindConversation, { business_id: 1, phone: name })).conversation?.id;
    await put(phone, 'blocked');
    await sending.harness.db.query('UPDATE send.suppressions SET at = $2 WHERE conversation_id = $1', [await idOf(phone), since]);
    await put(user_id, 'opted_out');
    await rpc(LiftSuppression, { business_id: 1, phone: user_id });
    await put(phone, 'blocked');
    await sending.harness.publish(inboundEvent({ message_id: 'wamid.both', from: { phone, user_id, name: 'Asha' }, text: 'Hi' }));
    await eventually(async () => (await idOf(phone)) === (await idOf(user_id)));
    expect((await rpc(GetSuppression, { business_id: 1, phone })).suppression).toMatchObject({ state: 'blocked', reason: 'Letter', since });
  });

  it('decision 362: the strictest row of a person counts, whatever the order, the dates and the parts of a list', async () => {
    const [phone, user_id] = ['919876500051', 'IN.51'];
    await sending.harness.publish(inboundEvent({ message_id: 'wamid.imported', from: { phone, user_id, name: 'Asha' }, text: 'Hi' }));
    await eventually(async () => (await rpc(FindConversation, { business_id: 1, phone: user_id })).conversation !== null);
    const strict = { phone, state: 'opted_out' as const, reason: 'Strict', since: '2026-01-01T00:00:00.000Z' };
    const newer = { ...strict, since: '2026-01-02T00:00:00.000Z' };
    const weak = { phone, state: 'opted_out_marketing' as const, reason: 'Weak', since: '2026-03-01T00:00:00.000Z' };
    const lists = [
      [[strict, newer, weak]],
      [[weak, newer, strict]],
      [[{ ...weak, phone: user_id }, strict, newer]],
      [[weak], [newer], [strict]],
    ];
    for (const parts of lists) {
      for (const rows of parts) await rpc(ImportSuppressions, { business_id: 1, rows });
      expect((await rpc(GetSuppression, { business_id: 1, phone })).suppression).toMatchObject({ ...newer, source: 'api' });
      await sending.harness.db.query(`DELETE FROM send.suppressions WHERE reason = 'Strict'`);
    }
  });

  it('decision 362: a lift counts against older rows even after a weaker opt-out', async () => {
    const since = '2026-01-01T00:00:00.000Z';
    const set = (phone: string) =>
      rpc(SetSuppression, { business_id: 1, phone, state: 'opted_out_marketing', reason: null, source: 'api' });
    const add = (phone: string, since: string | null, state: 'opted_out' | 'opted_out_marketing' = 'opted_out') =>
      rpc(ImportSuppressions, { business_id: 1, rows: [{ phone, state, reason: null, since }] });
    const lift = async (phone: string) => {
      await add(phone, since);
      await rpc(LiftSuppression, { business_id: 1, phone });
    };
    const [byKey, imported] = ['919876500061', '919876500062'];
    await lift(byKey);
    await set(byKey);
    await lift(imported);
    await add(imported, null, 'opted_out_marketing');
    // Each person has two conversations, and the lift is in the one that stays or in the other one.
    const people = ['919876500063', '919876500064'].map((phone) => [phone, `IN.${phone}`] as const);
    for (const [i, [phone, user_id]] of people.entries()) {
      const [lifted, unlifted] = i === 0 ? [user_id, phone] : [phone, user_id];
      if (i === 1) await set(unlifted);
      await lift(lifted);
      await set(unlifted);
      await sending.harness.publish(inboundEvent({ message_id: `wamid.${phone}`, from: { phone, user_id, name: 'Asha' }, text: 'Hi' }));
      await eventually(async () => (await stateOf(phone)) !== null && (await stateOf(user_id)) !== null);
    }
    for (const phone of [byKey, imported, ...people.map(([phone]) => phone)]) {
      expect(await add(phone, since)).toEqual({ added: 0, unchanged: 1 });
      expect(await stateOf(phone)).toEqual(['opted_out_marketing', 'api']);
    }
    expect(await add(byKey, new Date().toISOString())).toEqual({ added: 1, unchanged: 0 });
  });

  it('decision 362: a lift by WhatsApp counts only for marketing, and one by the business for everything', async () => {
    const since = '2026-01-01T00:00:00.000Z';
    const [resumed, lifted] = ['919876500071', '919876500072'];
    const add = (phone: string, state: 'opted_out' | 'opted_out_marketing') =>
      rpc(ImportSuppressions, { business_id: 1, rows: [{ phone, state, reason: null, since }] });
    const prefer = async (phone: string, value: string, state: string | undefined) => {
      const from = { phone, user_id: null, name: '' };
      const said_at = new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString();
      const data = { phone_number_id: '700', category: 'marketing_messages', value, said_at, from };
      await sending.harness.publish(newEvent(PlatformPreference, { id: newIntentId(), at: said_at, business_id: 1, key: phone, data }));
      await eventually(async () => (await stateOf(phone))?.[0] === state);
    };
    await prefer(resumed, 'stop', 'opted_out_marketing');
    await prefer(resumed, 'resume', undefined);
    expect(await add(resumed, 'opted_out_marketing')).toEqual({ added: 0, unchanged: 1 });
    expect(await add(resumed, 'opted_out')).toEqual({ added: 1, unchanged: 0 });
    expect(await sending.template({}, { to: resumed })).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED' });
    await prefer(lifted, 'stop', 'opted_out_marketing');
    await rpc(LiftSuppression, { business_id: 1, phone: lifted });
    expect(await add(lifted, 'opted_out')).toEqual({ added: 0, unchanged: 1 });
  });

  it('decision 621: finds whom a template would not reach, by its category, even in a list of 20,000', async () => {
    const states = ['opted_out', 'blocked', 'opted_out_marketing'] as const;
    const [out, blocked, marketing] = states.map((_, i) => `91987650009${i}`) as [string, string, string];
    for (const [i, state] of states.entries())
      await rpc(SetSuppression, { business_id: 3, phone: [out, blocked, marketing][i] as string, state, reason: null });
    const others = Array.from({ length: 19_997 }, (_, i) => `9198002${String(i).padStart(5, '0')}`);
    const phones = [out, ...others, marketing, blocked];
    const find = async (request: object) => (await rpc(FindSuppressed, { business_id: 3, phones, marketing: true, ...request })).phones;
    expect(await find({})).toEqual([out, marketing, blocked]);
    expect(await find({ marketing: false })).toEqual([out, blocked]);
    expect(await find({ business_id: 4 })).toEqual([]);
    expect(await find({ phones: [] })).toEqual([]);
  });

  it('decision 363: lists the messages of people in pages, and finds the conversation of a number', async () => {
    const asha = '919876500021';
    const seconds = ['2026-03-01T00:00:01.000Z', '2026-03-01T00:00:02.000Z', '2026-03-01T00:00:02.000Z', '2026-04-01T00:00:03.000Z'];
    for (const [i, at] of seconds.entries()) await write(`wamid.by${i}`, i === 1 ? '919876500022' : asha, `Text ${i}`, at);
    const list = async (filter: Partial<RequestOf<typeof ListInboundMessages>>) => {
      const ids: string[] = [];
      for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
        const request = { business_id: 1, limit: 2, cursor, phone: null, ...filter };
        const page: ResponseOf<typeof ListInboundMessages> = await rpc(ListInboundMessages, request);
        ids.push(...page.messages.map(({ message_id }) => message_id));
        // The cursor of a row leads to the rows behind it.
        const [behind = null] = page.cursors;
        const next = await rpc(ListInboundMessages, { ...request, limit: 1, cursor: behind });
        if (page.messages.length > 1) expect(next.messages[0]?.message_id).toBe(page.messages[1]?.message_id);
        cursor = page.next_cursor;
      }
      return ids.filter((id) => id.startsWith('wamid.by'));
    };
    expect(await list({})).toEqual(['wamid.by3', 'wamid.by2', 'wamid.by1', 'wamid.by0']);
    expect(await list({ phone: asha })).toEqual(['wamid.by3', 'wamid.by2', 'wamid.by0']);
    expect(await list({ from: '2026-03-01T00:00:02.000Z', to: '2026-03-31T00:00:00.000Z' })).toEqual(['wamid.by2', 'wamid.by1']);
    expect(await list({ business_id: 2 })).toEqual([]);
    const { conversation } = await rpc(FindConversation, { business_id: 1, phone: asha });
    expect(conversation).toMatchObject({ customer_phone: asha, last_message: { direction: 'in', text: 'Text 3' } });
    expect(await rpc(FindConversation, { business_id: 2, phone: asha })).toEqual({ conversation: null });
  });

  it('decision 364, spec §8: checks the daily cap for many messages at once, on the day of the broadcast', async () => {
    const sender = { api_key_id: 77, daily_limit: 3, plan: 'Growth', timezone: 'Asia/Kolkata' };
    await sending.template({ api_key_id: 77 });
    expect(await rpc(CheckDailyCap, { messages: 2, at: null, sender })).toEqual({});
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect(await rpc(CheckDailyCap, { messages: 3, at: tomorrow, sender })).toEqual({});
    await expect(rpc(CheckDailyCap, { messages: 3, at: null, sender })).rejects.toMatchObject({
      error_code: 'DAILY_LIMIT_REACHED',
      extras: { daily_limit: 3, daily_used: 1, plan: 'Growth', retry_after: 'midnight', retry_after_seconds: expect.any(Number) as number },
    });
  });
});
