import { FindSends, gatewayMessageId, newIntentId } from '@mgw/contracts';
import { statusEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

/** kill -9 between two steps (guarantees §8). Another replica or the next start finishes the send. */
describe('a send service that dies', () => {
  let sending: Sending;
  beforeEach(async () => (sending = await startSending()));
  afterEach(() => sending.harness.close());

  const crashAt = async (point: string) => {
    const child = await sending.harness.spawn('send', { CRASH_AT: point });
    const response = sending.template();
    // Its response would arrive before its end.
    expect(await Promise.race([child.exited, response])).toMatchObject({ signal: 'SIGKILL' });
  };

  it('decision 23a: finds a send by the intent id that its caller chose', async () => {
    const intent_id = newIntentId();
    const child = await sending.harness.spawn('send', { CRASH_AT: 'send.after-intent' });
    void sending.template({ intent_id });
    await child.exited;
    await sending.run({ SEND_STALE_AFTER_SECONDS: '1' });
    const message_id = gatewayMessageId(intent_id);
    const send = await eventually(async () => {
      const { sends } = await sending.harness.rpc.call(FindSends, { business_id: 1, message_ids: [message_id] });
      return sends[0]?.state === 'unknown' && sends[0];
    });
    expect(send).toMatchObject({ message_id, to: '919876543210' });
  });

  it('after the intent: makes no call, becomes unknown, and is never retried', async () => {
    await crashAt('send.after-intent');
    expect([await sending.states(), sending.platform.calls().length]).toEqual([['calling'], 0]);
    await sending.run({ SEND_STALE_AFTER_SECONDS: '1' });
    await eventually(async () => (await sending.states())[0] === 'unknown');
    expect(sending.platform.calls()).toHaveLength(0);
  });

  it('after the call: a status callback records the acceptance and publishes the event, without a second call', async () => {
    await crashAt('send.after-call');
    const [call] = sending.platform.calls();
    await sending.run({ SEND_STALE_AFTER_SECONDS: '1' });
    await eventually(async () => (await sending.states())[0] === 'unknown');
    await sending.harness.publish(statusEvent('wamid.P1', 'sent', { callback_data: call?.biz_opaque_callback_data ?? null }));
    await eventually(async () => (await sending.harness.published('message.sent')).length === 1);
    expect([await sending.states(), sending.platform.calls().length]).toEqual([['accepted'], 1]);
  });

  it('after the outcome: record and event are already stored', async () => {
    await crashAt('send.after-outcome');
    expect(await sending.states()).toEqual(['accepted']);
    await sending.run();
    await eventually(async () => (await sending.harness.published('message.sent')).length === 1);
    expect(sending.platform.calls()).toHaveLength(1);
  });

  it('in the relay, after publishing: republishes the event, which counts once', async () => {
    const child = await sending.harness.spawn('send', { CRASH_AT: 'relay.after-publish' });
    // The response may come before the crash or never.
    void sending.template();
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    await sending.run();
    await eventually(async () => {
      const [row] = await sending.harness.db.query<{ n: string }>('SELECT count(*) AS n FROM send.outbox WHERE published_at IS NULL');
      return row?.n === '0';
    });
    expect(await sending.harness.published('message.sent')).toHaveLength(1);
  });
});
