import { FindSend, gatewayMessageId, newIntentId } from '@mgw/contracts';
import { statusEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from './send.fixture';

/** kill -9 exactly between two steps (guarantees §8). Another replica, or the next start, ends what was begun. */
describe('a sender that dies', () => {
  let sending: Sending;
  beforeEach(async () => (sending = await startSending()));
  afterEach(() => sending.harness.close());

  const dieAt = async (point: string) => {
    const child = await sending.harness.spawn('send', { CRASH_AT: point });
    const told = await sending.template({}, { deadlineAt: Date.now() + 3_000 });
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    return told;
  };

  it('decision 23a: who named the send finds it by that name, once it is over', async () => {
    const intent_id = newIntentId();
    const child = await sending.harness.spawn('send', { CRASH_AT: 'send.after-intent' });
    await sending.template({ intent_id }, { deadlineAt: Date.now() + 3_000 });
    await child.exited;
    await sending.run({ SEND_STALE_AFTER_SECONDS: '1' });
    const message_id = gatewayMessageId(intent_id);
    const { send } = await eventually(async () => {
      const found = await sending.harness.rpc.call(FindSend, { business_id: 1, message_id });
      return found.send?.state === 'unknown' && found;
    });
    expect(send).toMatchObject({ message_id, to: '919876543210' });
  });

  it('after the intent: nothing left, the sweeper makes it unknown, and nothing is sent by itself', async () => {
    expect(await dieAt('send.after-intent')).toMatchObject({ error_code: 'DEADLINE_EXCEEDED' });
    expect([await sending.states(), sending.platform.calls().length]).toEqual([['calling'], 0]);
    await sending.run({ SEND_STALE_AFTER_SECONDS: '1' });
    await eventually(async () => (await sending.states())[0] === 'unknown');
    expect(sending.platform.calls()).toHaveLength(0);
  });

  it('after the call: the status webhook makes the record and the event, and nothing is sent twice', async () => {
    expect(await dieAt('send.after-call')).toMatchObject({ error_code: 'DEADLINE_EXCEEDED' });
    const [call] = sending.platform.calls();
    await sending.run({ SEND_STALE_AFTER_SECONDS: '1' });
    await eventually(async () => (await sending.states())[0] === 'unknown');
    await sending.harness.tell(statusEvent('wamid.P1', 'sent', { callback_data: call?.biz_opaque_callback_data ?? null }));
    await eventually(async () => (await sending.harness.told('message.sent')).length === 1);
    expect([await sending.states(), sending.platform.calls().length]).toEqual([['accepted'], 1]);
  });

  it('after the outcome: record and event are there already', async () => {
    expect(await dieAt('send.after-outcome')).toMatchObject({ error_code: 'DEADLINE_EXCEEDED' });
    expect(await sending.states()).toEqual(['accepted']);
    await sending.run();
    await eventually(async () => (await sending.harness.told('message.sent')).length === 1);
    expect(sending.platform.calls()).toHaveLength(1);
  });

  it('in the relay, after publishing: the event is told again and counts once', async () => {
    const child = await sending.harness.spawn('send', { CRASH_AT: 'relay.after-publish' });
    await sending.template({}, { deadlineAt: Date.now() + 3_000 });
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    await sending.run();
    await eventually(async () => {
      const [row] = await sending.harness.db.query<{ n: string }>('SELECT count(*) AS n FROM send.outbox WHERE published_at IS NULL');
      return row?.n === '0';
    });
    expect(await sending.harness.told('message.sent')).toHaveLength(1);
  });
});
