import { GetSuppression, SetSendSettings, type DataOf, type PlatformMessage } from '@mgw/contracts';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { Client } from 'pg';
import { startSending, type Sending } from '../send.fixture';

const PHONE = '919876543210';
const FORMER_PHONE = '919876543211';

describe('a message of a customer who has written before (decision 680)', () => {
  let sending: Sending;
  let messages = 0;
  beforeEach(async () => {
    messages = 0;
    sending = await startSending();
    await sending.run();
    await receive({ text: 'Hi' });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await sending.harness.close();
  });

  const message = (data: Partial<DataOf<typeof PlatformMessage>>, phone = PHONE) =>
    inboundEvent({ message_id: `wamid.${++messages}`, from: { phone, user_id: null, name: 'Asha' }, ...data });
  /** Publishes a message and waits for its event. @returns the conversation */
  const receive = async (data: Partial<DataOf<typeof PlatformMessage>>, phone = PHONE): Promise<number> => {
    const event = message(data, phone);
    await sending.harness.publish(event);
    return eventually(async () => {
      const received = await sending.harness.published('message.received');
      const found = received.map((one) => one.data as { message_id: string; conversation_id: number });
      return found.find(({ message_id }) => message_id === event.data.message_id)?.conversation_id;
    });
  };
  /** The statements that stored the messages of `act`, each with the one before it on its connection. */
  const statementsOf = async (act: () => Promise<unknown>) => {
    const query = jest.spyOn(Client.prototype, 'query');
    await act();
    const sent = query.mock.calls.map(([first], i) => {
      const text = typeof first === 'string' ? first : (first as unknown as { text: string }).text;
      return { text, client: query.mock.contexts[i] };
    });
    query.mockRestore();
    return sent.flatMap(({ text, client }, i) => {
      if (!/send\.(receive_messages|open_conversations|find_conversations)\(/.test(text)) return [];
      const before = sent.slice(0, i).findLast((other) => other.client === client)?.text;
      return [...(before === 'BEGIN' ? ['BEGIN'] : []), /send\.(\w+)\(/.exec(text)?.[1]];
    });
  };

  it('takes one statement, and the first one of a customer a transaction', async () => {
    expect(await statementsOf(() => receive({ text: 'Again' }))).toEqual(['receive_messages']);
    expect(await statementsOf(() => receive({ text: 'Hi' }, '919876543219'))).toEqual(['BEGIN', 'open_conversations', 'receive_messages']);
  });

  it('opens the window and is stored once, however often it arrives', async () => {
    const event = message({ text: 'Again', sent_at: new Date().toISOString() });
    expect(
      await statementsOf(async () => {
        await sending.harness.publish(event, event);
        await receive({ text: 'After' });
      }),
    ).toEqual(expect.arrayContaining(['receive_messages']));
    const ids = (await sending.harness.published('message.received')).map(({ id }) => id);
    expect(ids.filter((id) => id === `message.received:1:${event.data.message_id}`)).toHaveLength(1);
    expect(await sending.text()).toMatchObject({ replayed: false });
  });

  it('decision 28: starts the conversation if the business wrote first', async () => {
    const phone = '919876543218';
    await sending.template({}, { to: phone });
    await receive({ text: 'Hi' }, phone);
    await receive({ text: 'Again' }, phone);
    const created = (await sending.harness.published('conversation.created')).map(({ data }) => data as { customer_phone: string });
    expect(created.filter(({ customer_phone }) => customer_phone === phone)).toHaveLength(1);
  });

  it('goes to the conversation that the phone leads to now', async () => {
    const conversation = await receive({ text: 'From the old phone' }, FORMER_PHONE);
    const change = { type: 'system', text: null, raw: { system: { type: 'user_changed_number', wa_id: PHONE } } };
    await sending.harness.publish(message(change, FORMER_PHONE));
    expect(await receive({ text: 'From the new phone' })).toBe(conversation);
  });

  it('opts out by the words that the business has now (decision 45)', async () => {
    const settings = { start_words: [], otp_to_opted_out: false, mark_read_on_open: false };
    const suppression = () => sending.harness.rpc.call(GetSuppression, { business_id: 1, phone: PHONE });
    for (const word of ['Halt', 'Basta']) {
      await sending.harness.rpc.call(SetSendSettings, { business_id: 1, ...settings, stop_words: [word] });
      await receive({ text: word.toUpperCase(), sent_at: new Date().toISOString() });
      await eventually(async () => (await suppression()).suppression);
      await sending.harness.db.query('DELETE FROM send.suppressions');
    }
    // The words of the business are known now.
    expect(await statementsOf(() => receive({ text: 'Stop' }))).toEqual(['receive_messages']);
    expect(await suppression()).toEqual({ suppression: null });
  });
});
