import { ensureStreams } from '@mgw/events';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

const PEOPLE = 60;

describe('two messages in quick succession, with two send services (spec §6.2; decisions 28, 29b)', () => {
  let sending: Sending;
  beforeEach(async () => (sending = await startSending()));
  afterEach(() => sending.harness.close());

  const published = async () =>
    (await sending.harness.db.query<{ body: string }>('SELECT body FROM send.outbox ORDER BY seq')).map(
      ({ body }) => JSON.parse(body) as { type: string; data: { first_message: string; message_id: string } },
    );

  it('are published in the order of the customer, and the first one opens the conversation', async () => {
    await sending.harness.spawn('send');
    await sending.harness.spawn('send');
    await ensureStreams(await sending.harness.nc.jetstreamManager());
    const expected: string[] = [];
    for (let person = 0; person < PEOPLE; person++) {
      const messages = [1, 2].map((nth) =>
        inboundEvent({
          message_id: `wamid.${person}.${nth}`,
          text: `text ${person}.${nth}`,
          from: { phone: String(919_800_000_000 + person), user_id: null, name: '' },
          sent_at: `2026-01-02T03:04:0${nth}.000Z`,
        }),
      );
      await Promise.all(messages.map((event) => sending.harness.publishTo('platform.message', JSON.stringify(event))));
      expected.push(`text ${person}.1`, `wamid.${person}.1`, `wamid.${person}.2`);
      // Wait for an idle moment, in which either service may consume the next message.
      await eventually(async () => (await published()).length === expected.length);
    }
    const order = (await published()).map(({ type, data }) => (type === 'conversation.created' ? data.first_message : data.message_id));
    expect(order).toEqual(expected);
  });
});
