import { gatewayMessageId, GatewayError, SendTemplate, type ErrorCode } from '@mgw/contracts';
import { statusEvent, type Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { Broadcasts, found, service } from '../../test/broadcasts.fixture';

/** guarantees §1, S2: a message that may have been sent is not sent again. */
describe('a recipient whose outcome is not known', () => {
  let broadcasts: Broadcasts;
  let harness: Harness;
  /** The responses to sends by phone; sends to all other phones are accepted. */
  let refusals: Map<string, () => never>;
  let sends: { to: string; intent: string }[];
  beforeEach(async () => {
    broadcasts = await Broadcasts.start();
    ({ harness } = broadcasts);
    refusals = new Map();
    sends = [];
    harness.answer(SendTemplate, ({ to, sender }) => {
      sends.push({ to, intent: sender.intent_id ?? 'none' });
      refusals.get(to)?.();
      return { message_id: `wamid.${to}`, phone: to, replayed: false };
    });
  });
  afterEach(() => harness.close());

  const unclear = (nth: number, code: ErrorCode = 'OUTCOME_UNKNOWN') =>
    refusals.set(broadcasts.phoneOf(nth), () => {
      throw new GatewayError(code, 'It did not answer clearly.');
    });
  const stateOf = async (id: number, nth: number) => (await broadcasts.recipients(id))[nth];
  const becomes = (status: string, id: number) => eventually(async () => (await broadcasts.show(id)).broadcast.status === status);
  const sendsTo = (nth: number) => sends.filter(({ to }) => to === broadcasts.phoneOf(nth));

  it('is parked: its broadcast ends, the next one of the business is sent, and a status callback settles it afterwards', async () => {
    unclear(0);
    broadcasts.findSend = found('unknown');
    await harness.run(service);
    const id = await broadcasts.create(3);
    await eventually(async () => (await broadcasts.show(id)).broadcast.unclear === 1);
    expect((await broadcasts.show(id)).broadcast).toMatchObject({ sent: 2, failed: 0, pending: 0, status: 'running' });
    expect(await stateOf(id, 0)).toMatchObject({ state: 'unclear', message_id: gatewayMessageId(sends[0]?.intent ?? '') });
    // The number is free while nothing is left to send.
    refusals.clear();
    const next = await broadcasts.create(2);
    await becomes('completed', next);
    expect((await broadcasts.show(id)).broadcast.status).toBe('running');
    await broadcasts.pass(60);
    await becomes('completed', id);
    const [, event] = await eventually(async () => {
      const told = await harness.told('broadcast.completed');
      return told.length === 2 && told;
    });
    expect(event?.data).toMatchObject({ total_recipients: 3, sent: 2, failed: 0 });
    broadcasts.findSend = found('accepted');
    await broadcasts.pass(60);
    await eventually(async () => (await stateOf(id, 0))?.state === 'sent');
    expect((await broadcasts.show(id)).broadcast).toMatchObject({ status: 'completed', sent: 3, failed: 0, unclear: 0, pending: 0 });
    expect(sendsTo(0)).toHaveLength(2);
    expect(await harness.told('broadcast.completed')).toHaveLength(2);
  });

  it('decision 26: a failure that WhatsApp reported meanwhile counts as soon as the message is known', async () => {
    unclear(0);
    broadcasts.findSend = found('unknown');
    await harness.run(service);
    const id = await broadcasts.create(1);
    await eventually(async () => (await stateOf(id, 0))?.state === 'unclear');
    const messageId = `wamid.${(await stateOf(id, 0))?.message_id}`;
    await harness.tell(statusEvent(messageId, 'failed', { error: { code: 131026, text: 'Undeliverable' } }));
    await eventually(async () => (await harness.db.query('SELECT FROM broadcast.reports')).length === 1);
    broadcasts.findSend = found('accepted');
    await broadcasts.pass(60);
    await eventually(async () => (await stateOf(id, 0))?.state === 'failed');
    expect((await broadcasts.show(id)).broadcast).toMatchObject({ sent: 0, failed: 1, unclear: 0 });
  });

  it.each(['DEADLINE_EXCEEDED', 'REPLY_LOST', 'INTERNAL', 'IDEMPOTENCY_IN_FLIGHT'] as const)(
    'after %s the send service is asked; what it has taken is not sent again, what it never took is',
    async (code) => {
      unclear(0, code);
      unclear(1, code);
      await harness.run(service);
      const id = await broadcasts.create(2);
      await eventually(async () => (await broadcasts.show(id)).broadcast.unclear === 2);
      refusals.clear();
      broadcasts.findSend = (messageId) =>
        messageId === gatewayMessageId(sendsTo(0)[0]?.intent ?? '') ? found('accepted')(messageId) : null;
      await broadcasts.pass(40);
      await becomes('completed', id);
      expect((await broadcasts.show(id)).broadcast).toMatchObject({ sent: 2, failed: 0, unclear: 0 });
      expect([sendsTo(0).length, sendsTo(1).length]).toEqual([1, 2]);
      expect(new Set(sends.map(({ intent }) => intent)).size).toBe(3);
    },
  );

  it('what was never sent when its broadcast was over already has failed, and 24 hours without a word end it', async () => {
    unclear(0);
    unclear(1);
    broadcasts.findSend = found('unknown');
    await harness.run(service);
    const id = await broadcasts.create(2);
    await eventually(async () => (await broadcasts.show(id)).broadcast.unclear === 2);
    await broadcasts.pass(60);
    await becomes('completed', id);
    broadcasts.findSend = (messageId) =>
      messageId === gatewayMessageId(sendsTo(0)[0]?.intent ?? '') ? found('unconfirmed')(messageId) : null;
    await broadcasts.pass(600);
    await eventually(async () => (await broadcasts.show(id)).broadcast.failed === 2);
    expect((await broadcasts.recipients(id)).map(({ reason }) => reason)).toEqual([
      'WhatsApp did not confirm this message within 24 hours: most likely it was not sent.',
      'The message could not be sent: the service was interrupted.',
    ]);
    expect(sends).toHaveLength(2);
  });
});
