import {
  GatewayError,
  GetSuppression,
  LiftSuppression,
  ListConversations,
  PlatformPreference,
  SendText,
  SetSuppression,
  type DataOf,
  type PlatformMessage,
} from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { inboundEvent, statusEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import type { QueryRunner } from 'typeorm';
import { MergedOptOuts1796342720000 } from '../migrations/1796342720000-merged-opt-outs';
import { numberOf, startSending, type Sending } from '../send.fixture';

type Aliases = [phone: string | null, userId: string | null];

const NUMBER = '919876543210';
const OTHER_NUMBER = '919876543211';

describe('one conversation per person, by any alias (platform §4.7, decision 28)', () => {
  let sending: Sending;
  let messages = 0;

  beforeEach(async () => {
    sending = await startSending();
    await sending.run();
  });
  afterEach(() => sending.harness.close());

  const message = ([phone, user_id]: Aliases, data: Partial<DataOf<typeof PlatformMessage>> = {}) =>
    inboundEvent({
      message_id: `wamid.${++messages}`,
      sent_at: new Date().toISOString(),
      from: { phone, user_id, name: '' },
      ...data,
    });
  const change = ([phone, previous]: Aliases, [wa_id, user_id]: Aliases) => {
    const system = { type: 'user_changed_number', wa_id, ...(previous && { previous_user_id: previous }), ...(user_id && { user_id }) };
    return message([phone, null], { type: 'system', text: null, raw: { system } });
  };
  /** Waits for this many message.received. @returns the conversation id of each message, in the order of the test */
  const received = (count: number) =>
    eventually(async () => {
      const events = await sending.harness.published('message.received');
      const messages = events.map(({ data }) => data as { message_id: string; conversation_id: number });
      const order = ({ message_id }: { message_id: string }) => Number(message_id.split('.')[1]);
      return events.length === count && messages.sort((a, b) => order(a) - order(b)).map(({ conversation_id }) => conversation_id);
    });
  const customers = async () => {
    const { conversations } = await sending.harness.rpc.call(ListConversations, { business_id: 1, limit: 10, cursor: null, search: null });
    return conversations.map(({ customer_phone }) => customer_phone).sort();
  };
  const found = async (search: string) => {
    const { conversations } = await sending.harness.rpc.call(ListConversations, { business_id: 1, limit: 10, cursor: null, search });
    return conversations.map(({ customer_phone }) => customer_phone);
  };
  const template = (to: string) => sending.template({}, { to });
  /** A MARKETING template. */
  const offer = (to: string) => sending.template({}, { to, name: 'offer', params: ['x'] });

  it('sets a message without sender aside at its first attempt and handles the next one', async () => {
    await sending.harness.publish(message([null, null]), message([NUMBER, null]));
    await received(1);
    const letters = await eventually(async () => {
      const rows = await sending.harness.db.query<{ attempts: number; reason: string }>('SELECT attempts, reason FROM send.dead_letters');
      return rows.length > 0 && rows;
    });
    expect(letters).toEqual([{ attempts: 1, reason: 'the message has neither a phone number nor a user id' }]);
  });

  describe('messages with a former user id (platform §0.7, §4.2: out of order, repeated)', () => {
    const [before, now]: [Aliases, Aliases] = [
      [NUMBER, 'IN.1'],
      [OTHER_NUMBER, 'IN.2'],
    ];
    beforeEach(async () => {
      await sending.harness.publish(message(before), change(before, now));
      await received(1);
    });

    it('handles a late message and its STOP without restoring former aliases', async () => {
      await sending.harness.publish(message(before, { text: 'STOP' }), message(now));
      expect(new Set(await received(3)).size).toBe(1);
      expect(await template(OTHER_NUMBER)).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED' });
      expect(await customers()).toEqual([OTHER_NUMBER]);
    });

    it('leaves the number to its new owner', async () => {
      await sending.harness.publish(message([NUMBER, 'IN.3']), message(before, { text: 'STOP' }));
      const [first, second, late] = await received(3);
      expect([late === first, second === first]).toEqual([true, false]);
      expect(await template(NUMBER)).toMatchObject({ replayed: false });
      expect(await template(OTHER_NUMBER)).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED' });
    });

    it('decision 18: applies a late user_preferences stop and a suppression of the former user id', async () => {
      await sending.harness.publish(message(now));
      await received(2);
      const data = { phone_number_id: '700', category: 'marketing_messages', value: 'stop', said_at: new Date().toISOString() };
      const from = { phone: before[0], user_id: before[1], name: '' };
      const stop = newEvent(PlatformPreference, { id: 'p', at: data.said_at, business_id: 1, key: 'p', data: { ...data, from } });
      await sending.harness.publish(stop);
      const refusal = await eventually(async () => {
        const response = await offer(OTHER_NUMBER);
        return 'error_code' in response && response;
      });
      expect(refusal).toMatchObject({ extras: { suppression_state: 'opted_out_marketing' } });
      await sending.harness.rpc.call(SetSuppression, { business_id: 1, phone: 'IN.1', state: 'blocked', reason: null });
      expect(await template(OTHER_NUMBER)).toMatchObject({ extras: { suppression_state: 'blocked' } });
    });
  });

  it('decision 18: keeps the reason of a suppression when two conversations are merged', async () => {
    const reason = 'asked on the phone';
    await sending.harness.publish(message([null, 'IN.1']));
    await received(1);
    await sending.harness.rpc.call(SetSuppression, { business_id: 1, phone: NUMBER, state: 'blocked', reason });
    await sending.harness.publish(message([NUMBER, 'IN.1']));
    await received(2);
    expect(await sending.harness.rpc.call(GetSuppression, { business_id: 1, phone: 'IN.1' })).toMatchObject({
      suppression: { state: 'blocked', source: 'dashboard', reason },
    });
  });

  it('decision 18: keeps a STOP when a later message of its batch merges the person’s two conversations', async () => {
    const { harness } = sending;
    const refused = { error_code: 'RECIPIENT_SUPPRESSED', extras: { suppression_state: 'opted_out' } };
    await harness.rpc.call(SetSuppression, { business_id: 1, phone: NUMBER, state: 'opted_out_marketing', reason: null });
    const sent_at = new Date(Date.now() - 60_000).toISOString();
    const batch = [message([null, 'IN.1'], { text: 'STOP', sent_at }), message([NUMBER, 'IN.1'], { text: 'Thanks' })];
    await harness.publishTo('platform.message', JSON.stringify(batch));
    expect(new Set(await received(2)).size).toBe(1);
    expect(await harness.published('conversation.created')).toHaveLength(1);
    expect(await template(NUMBER)).toMatchObject(refused);

    // An earlier version stored the STOP at the merged conversation. The person allowed marketing later, which lifts no STOP.
    await harness.db.query(`UPDATE send.suppressions s SET conversation_id = c.id FROM send.conversations c
      WHERE c.merged_into = s.conversation_id AND s.source = 'person'`);
    await harness.db.query(`INSERT INTO send.suppressions (business_id, conversation_id, source, at)
      SELECT business_id, id, 'platform', now() FROM send.conversations WHERE merged_into IS NULL`);
    expect(await template(NUMBER)).toMatchObject({ replayed: false });
    const migrate = () => new MergedOptOuts1796342720000().up(harness.db as unknown as QueryRunner);
    await migrate();
    expect(await template(NUMBER)).toMatchObject(refused);

    // The business lifted its own opt-out of the person after the STOP, which was not visible.
    await harness.db.query(`DELETE FROM send.suppressions s USING send.conversations c
      WHERE c.id = s.conversation_id AND c.merged_into IS NULL AND s.source = 'person'`);
    await harness.rpc.call(LiftSuppression, { business_id: 1, phone: NUMBER });
    await migrate();
    expect(await template(NUMBER)).toMatchObject({ replayed: false });
  });

  describe('a merged conversation in the inbox', () => {
    const listed = async (search: string | null) =>
      (await sending.harness.rpc.call(ListConversations, { business_id: 1, limit: 10, cursor: null, search })).conversations;

    it('has the newest message of all its parts', async () => {
      const [before, now]: [Aliases, Aliases] = [
        [NUMBER, 'IN.1'],
        [OTHER_NUMBER, 'IN.2'],
      ];
      await sending.harness.publish(message(before, { text: 'Earlier' }));
      await sending.harness.publish(message(now, { text: 'Now' }), change(before, now));
      const [kept, gone] = await received(2);
      const merged = await eventually(async () => {
        const conversations = await listed(null);
        return conversations.length === 1 && conversations;
      });
      expect(merged).toMatchObject([{ id: kept, last_message: { direction: 'in', text: 'Now', conversation_id: gone } }]);
    });

    it('is found when only a part of it has messages', async () => {
      await sending.harness.rpc.call(SetSuppression, { business_id: 1, phone: 'IN.1', state: 'blocked', reason: null });
      await template(NUMBER);
      const data = { phone_number_id: '700', category: 'marketing_messages', value: 'stop', said_at: new Date().toISOString() };
      const from = { phone: NUMBER, user_id: 'IN.1', name: '' };
      await sending.harness.publish(
        newEvent(PlatformPreference, { id: 'p', at: data.said_at, business_id: 1, key: 'p', data: { ...data, from } }),
      );
      await eventually(async () => (await template(NUMBER)) instanceof GatewayError);
      expect(await listed(NUMBER)).toMatchObject([{ customer_phone: NUMBER, last_message: { direction: 'out' } }]);
    });
  });

  it('shows and finds the number that a user id has later', async () => {
    await sending.harness.publish(message([null, 'IN.1']));
    await received(1);
    expect(await customers()).toEqual(['IN.1']);
    await sending.harness.publish(message([NUMBER, 'IN.1']));
    await received(2);
    expect(await customers()).toEqual([NUMBER]);
    expect(await found(NUMBER)).toEqual([NUMBER]);
    // The number passes to another person, and the first one has a new number.
    await sending.harness.publish(message([NUMBER, 'IN.2']), message([OTHER_NUMBER, 'IN.1']));
    await received(4);
    expect([await found(NUMBER), await found(OTHER_NUMBER)]).toEqual([[NUMBER], [OTHER_NUMBER]]);
  });

  it('decision 731: a reply ends the wait even if its statement and a batch of messages lock each other out', async () => {
    const numbers = [NUMBER, OTHER_NUMBER];
    for (const [i, number] of numbers.entries()) {
      await sending.harness.publish(message([number, null]));
      await received(i + 1);
    }
    const sender = sending.sender({ sent_by: 'agent', user_id: 7, api_key_id: null, daily_limit: null });
    const waiting = async () => {
      const { conversations } = await sending.harness.rpc.call(ListConversations, {
        business_id: 1,
        limit: 10,
        cursor: null,
        search: null,
      });
      return conversations.filter(({ waiting_since }) => waiting_since !== null).length;
    };
    expect(await waiting()).toBe(2);
    sending.platform.hang(numberOf(1));
    const replies = numbers.map((to) => sending.harness.rpc.call(SendText, { sender, to, text: 'Yes' }));
    await eventually(() => sending.platform.hanging().length === 2);
    const blocked = (count: number) =>
      eventually(async () => {
        const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return (await sending.harness.db.query(sql)).length === count;
      });
    await sending.harness.db.transaction(
      async (tx) => {
        await tx.query('SELECT FROM send.conversations WHERE phone = $1 FOR UPDATE', [OTHER_NUMBER]);
        // Sets the user ids in the opposite order of the conversations, and starts no wait.
        const reaction = { type: 'reaction', text: null, details: { reaction: { message_id: 'wamid.1', emoji: '🙏' } } } as const;
        const batch = [message([OTHER_NUMBER, 'IN.2'], reaction), message([NUMBER, 'IN.1'], reaction)];
        await sending.harness.publishTo('platform.message', JSON.stringify(batch));
        await blocked(1);
        sending.platform.release();
        await blocked(2);
      },
      { mayPause: true },
    );
    await Promise.all(replies);
    await received(4);
    expect(await waiting()).toBe(0);
  });

  describe('a number with a former owner (platform §4.4)', () => {
    const [former, person]: [Aliases, Aliases] = [
      [OTHER_NUMBER, 'IN.9'],
      [NUMBER, 'IN.1'],
    ];

    it('keeps the person who moves to it apart, with their own window and opt-outs', async () => {
      await sending.harness.publish(message(former), message(person, { text: 'STOP' }), change(person, [OTHER_NUMBER, 'IN.2']));
      await sending.harness.publish(message([null, 'IN.9']), message([OTHER_NUMBER, 'IN.2']));
      const [formerFirst, personFirst, formerLater, personLater] = await received(4);
      expect([formerFirst === personFirst, formerLater, personLater]).toEqual([false, formerFirst, personFirst]);
      expect(await template(OTHER_NUMBER)).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED' });
      expect(await sending.harness.rpc.call(GetSuppression, { business_id: 1, phone: 'IN.9' })).toEqual({ suppression: null });
      // The inbox shows where an agent's reply goes.
      expect(await customers()).toEqual([OTHER_NUMBER, 'IN.9']);
    });

    it('keeps the person who writes from it apart', async () => {
      await sending.harness.publish(message(former), message([OTHER_NUMBER, 'IN.2']));
      expect(new Set(await received(2)).size).toBe(2);
      expect(await customers()).toEqual([OTHER_NUMBER, 'IN.9']);
    });

    it('finds the words of a message where it was sent', async () => {
      await sending.harness.publish(message(former));
      await received(1);
      const sender = sending.sender({ sent_by: 'agent', user_id: 7, api_key_id: null, daily_limit: null });
      await sending.harness.rpc.call(SendText, { sender, to: OTHER_NUMBER, text: 'The indigo shawl' });
      await eventually(async () => (await sending.harness.published('message.sent')).length === 1);
      await sending.harness.publish(message([OTHER_NUMBER, 'IN.2']));
      await received(2);
      expect(await found('indigo')).toEqual(['IN.9']);
    });

    it('does not rename its new owner after a notice about an unknown person', async () => {
      await sending.harness.publish(message(former), change([OTHER_NUMBER, 'IN.2'], [NUMBER, 'IN.3']), message([NUMBER, 'IN.3']));
      expect(new Set(await received(2)).size).toBe(2);
      expect(await customers()).toEqual([NUMBER, OTHER_NUMBER]);
    });

    it.each<[string, Aliases]>([
      ['wrote under the new aliases before', [OTHER_NUMBER, 'IN.2']],
      ['only got a message at the new number', [OTHER_NUMBER, null]],
    ])('merges a person who %s', async (_, names) => {
      if (names[1] === null) expect(await template(OTHER_NUMBER)).toMatchObject({ replayed: false });
      else await sending.harness.publish(message(names));
      const before = names[1] === null ? 0 : 1;
      await received(before);
      await sending.harness.publish(message(person, { text: 'STOP' }), change(person, [OTHER_NUMBER, 'IN.2']), message([null, 'IN.2']));
      await received(before + 2);
      expect(await customers()).toEqual([OTHER_NUMBER]);
      expect(await template(OTHER_NUMBER)).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED' });
    });
  });

  describe('a message that fails after its conversation was merged (platform §0.13, §2)', () => {
    beforeEach(async () => {
      await sending.harness.publish(message([null, 'IN.1']));
      await received(1);
      expect(await template(NUMBER)).toMatchObject({ message_id: 'wamid.P1' });
      await sending.harness.publish(message([NUMBER, 'IN.1']));
      await received(2);
      expect(await customers()).toEqual([NUMBER]);
    });
    const fail = (code: number) =>
      sending.harness.publish(
        statusEvent('wamid.P1', 'failed', { recipient: NUMBER, occurred_at: new Date().toISOString(), error: { code, text: '' } }),
      );

    it('decision 18: 131050 stops marketing', async () => {
      await fail(131050);
      const suppression = () => sending.harness.rpc.call(GetSuppression, { business_id: 1, phone: NUMBER });
      await eventually(async () => (await suppression()).suppression?.state === 'opted_out_marketing');
      expect(await offer(NUMBER)).toMatchObject({ extras: { suppression_state: 'opted_out_marketing' } });
    });

    it('131047 closes the window', async () => {
      await fail(131047);
      await eventually(async () => 'error_code' in (await sending.text({}, NUMBER)));
      expect(await sending.text({}, NUMBER)).toMatchObject({ error_code: 'WINDOW_CLOSED' });
    });
  });

  describe('a number that WhatsApp answers under another wa_id (platform §0.11)', () => {
    const WA_ID = '5511987654321';
    /** The same phone without the ninth digit, as Brazilian numbers were written before. */
    const DIALLED = '551187654321';
    beforeEach(() => {
      sending.platform.respond((request, response) => {
        const { to } = JSON.parse(request.body) as { to: string };
        const contacts = [{ input: to, wa_id: WA_ID }];
        const id = `wamid.B${sending.platform.calls().length}`;
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ contacts, messages: [{ id }] }));
      });
    });
    const suppress = (phone: string) =>
      sending.harness.rpc.call(SetSuppression, { business_id: 1, phone, state: 'opted_out_marketing', reason: null });
    const firstSent = () => eventually(async () => (await sending.harness.published('message.sent'))[0]);

    it('opts out the person whose conversation the business opened', async () => {
      await suppress(DIALLED);
      expect(await template(DIALLED)).toMatchObject({ replayed: false });
      await sending.harness.publish(message([WA_ID, null], { text: 'STOP' }));
      const [answered] = await received(1);
      expect(await template(DIALLED)).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED', extras: { suppression_state: 'opted_out' } });
      const sent = await firstSent();
      expect(sent.data).toMatchObject({ conversation_id: answered });
      expect(await customers()).toEqual([DIALLED]);
    });

    it.each([WA_ID, WA_ID.slice(4), DIALLED])('finds the person by %s', async (search) => {
      await template(DIALLED);
      await sending.harness.publish(message([WA_ID, null], { text: 'Hi' }));
      await received(1);
      expect(await found(search)).toEqual([DIALLED]);
    });

    it('merges two conversations of the phone into the older one, which gets the message', async () => {
      await suppress(WA_ID);
      await suppress(DIALLED);
      await template(DIALLED);
      await sending.harness.publish(message([WA_ID, null], { text: 'Hi' }));
      const [answered] = await received(1);
      const sent = await firstSent();
      expect(sent.data).toMatchObject({ conversation_id: answered });
      expect(await sending.text({}, DIALLED)).toMatchObject({ replayed: false });
    });

    it('moves the number to the owner of the wa_id and keeps two people apart', async () => {
      await sending.harness.publish(message([DIALLED, 'BR.1']), message([WA_ID, 'BR.2']));
      const [former, owner] = await received(2);
      expect(former).not.toBe(owner);
      await template(DIALLED);
      const sent = await firstSent();
      expect(sent.data).toMatchObject({ conversation_id: owner });
      await sending.harness.publish(message([null, 'BR.1']), message([null, 'BR.2']));
      expect((await received(4)).slice(2)).toEqual([former, owner]);
    });
  });
});
