import {
  CancelRecovery,
  GetRecovery,
  ListDeliveries,
  RecoverDeliveries,
  Redeliver,
  TestWebhook,
  UpdateWebhook,
  type RequestOf,
} from '@mgw/contracts';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { sent, startDispatching, type Dispatching } from '../deliveries/dispatch.fixture';

const FIRST = 12;
const FIRST_CONVERSATION = [0, 5, 10];
/** An event of the same conversation that happens later. */
const LIVE = 100;

describe('decisions 353, 410: a recovery', () => {
  let dispatching: Dispatching;
  let receiver: Receiver;
  let webhook_id: number;
  let since: string;
  beforeEach(async () => {
    dispatching = await startDispatching();
    receiver = await startReceiver();
    await dispatching.run();
    webhook_id = await dispatching.create({ url: receiver.url });
    since = new Date().toISOString();
  });
  afterEach(async () => {
    await receiver.close();
    await dispatching.harness.close();
  });

  const rpc = () => dispatching.harness.rpc;
  const recover = (more: Partial<RequestOf<typeof RecoverDeliveries>> = {}) =>
    rpc().call(RecoverDeliveries, { business_id: 1, webhook_id, since, states: ['failed', 'skipped'], ...more });
  const progress = async () => (await rpc().call(GetRecovery, { business_id: 1, webhook_id })).recovery;
  const ids = () => receiver.requests.map(({ headers }) => String(headers['webhook-id']));
  const idsOf = (numbers: number[]) => numbers.map((number) => `message.sent:wamid.1.${number}`);
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  const respond = (status: number) => receiver.respond((_, response) => void response.writeHead(status).end());
  /** The received events of the conversation of event 0. */
  const ofFirst = () => ids().filter((id) => idsOf([...FIRST_CONVERSATION, LIVE]).includes(id));
  /** Publishes events of several conversations that all fail. */
  const fail = async () => {
    respond(500);
    for (const number of range(0, FIRST)) {
      const conversation_id = FIRST_CONVERSATION.includes(number) ? 1 : 2 + number;
      await dispatching.harness.publish(sent(number, { conversation_id }));
    }
    await dispatching.ended(FIRST);
    receiver.requests.splice(0);
  };

  it('delivers the failed and skipped events in the order of each conversation and with their ids, and counts nothing', async () => {
    await fail();
    await rpc().call(TestWebhook, { business_id: 1, webhook_id, event: null });
    await dispatching.ended(FIRST + 1);
    await rpc().call(UpdateWebhook, { business_id: 1, id: webhook_id, is_active: false });
    await dispatching.harness.publish(sent(FIRST));
    await dispatching.ended(FIRST + 2);
    await expect(recover()).rejects.toMatchObject({ error_code: 'CONFLICT' });
    await rpc().call(UpdateWebhook, { business_id: 1, id: webhook_id, is_active: true });
    await expect(recover({ business_id: 2 })).rejects.toMatchObject({ error_code: 'NOT_FOUND' });
    expect(await recover({ since: '2100-01-01T00:00:00.000Z' })).toEqual({ queued: 0, next_since: null });
    expect(await progress()).toBeNull();
    const before = await dispatching.webhook(webhook_id);
    receiver.requests.splice(0);
    respond(200);
    expect(await recover({ states: ['skipped'] })).toEqual({ queued: 1, next_since: null });
    await eventually(async () => (await progress())?.left === 0);
    expect(await recover()).toEqual({ queued: FIRST, next_since: null });
    await eventually(async () => (await progress())?.left === 0);
    expect(ids()[0]).toBe(idsOf([FIRST])[0]);
    expect([...ids()].sort()).toEqual(idsOf(range(0, FIRST + 1)).sort());
    expect(ofFirst()).toEqual(idsOf(FIRST_CONVERSATION));
    const sequences = receiver.requests.map(({ headers }) => Number(headers['x-service-sequence']));
    expect(sequences.sort((a, b) => a - b)).toEqual(range(1, FIRST + 2));
    expect(await progress()).toMatchObject({ since, until: null, queued: FIRST, cancelled: 0 });
    const { fail_count, last_triggered_at } = await dispatching.webhook(webhook_id);
    expect([fail_count, last_triggered_at]).toEqual([before.fail_count, before.last_triggered_at]);
    expect(await recover()).toEqual({ queued: 0, next_since: null });
  });

  it('holds up no live event and no other conversation, refuses a second one while it runs, and can be cancelled', async () => {
    await fail();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    receiver.respond(({ headers }, response) => {
      const respondNow = () => void response.writeHead(200).end();
      if (headers['webhook-id'] === idsOf([0])[0]) void held.then(respondNow);
      else respondNow();
    });
    await recover();
    // Only the lane of the event that hangs is left.
    await eventually(async () => (await dispatching.harness.db.query('SELECT FROM dispatch.lanes')).length === 1);
    const left = (await progress())?.left ?? 0;
    expect([ofFirst(), ids().length, left < FIRST]).toEqual([idsOf([0]), FIRST - left + 1, true]);
    await expect(recover()).rejects.toMatchObject({ error_code: 'CONFLICT' });
    await dispatching.harness.publish(sent(LIVE, { conversation_id: 1 }));
    await eventually(() => ofFirst().length === 2);
    expect(await progress()).toMatchObject({ queued: FIRST, left });
    expect(await rpc().call(CancelRecovery, { business_id: 1, webhook_id })).toEqual({ cancelled: left - 1 });
    release();
    await dispatching.ended(FIRST + 1);
    expect(await progress()).toMatchObject({ left: 0, cancelled: left - 1 });
    const list = { business_id: 1, webhook_id, limit: 100, cursor: null, state: 'skipped' } as const;
    const { deliveries } = await rpc().call(ListDeliveries, list);
    expect(deliveries.map(({ reason }) => reason)).toEqual(Array<string>(left - 1).fill('the recovery was cancelled'));
    expect(await rpc().call(CancelRecovery, { business_id: 1, webhook_id })).toEqual({ cancelled: 0 });
    // A single redelivery is no recovery.
    const last = deliveries.find(({ event_id }) => event_id === idsOf([10])[0]);
    await rpc().call(Redeliver, { business_id: 1, webhook_id, delivery_id: last?.id ?? 0 });
    await eventually(() => ofFirst().length === 3);
    expect(await recover()).toEqual({ queued: left - 2, next_since: null });
    await eventually(async () => (await progress())?.left === 0);
    expect([ofFirst(), ids().length]).toEqual([idsOf([0, LIVE, 10, 5]), FIRST + 1]);
  });
});
