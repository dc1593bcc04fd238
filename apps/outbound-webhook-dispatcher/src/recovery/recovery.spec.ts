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

const FIRST = 8;

describe('decision 353: a recovery', () => {
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
  /** Publishes events of three conversations that all fail. */
  const fail = async () => {
    respond(500);
    for (const number of range(0, FIRST)) await dispatching.harness.publish(sent(number, { conversation_id: 1 + (number % 3) }));
    await dispatching.ended(FIRST);
    receiver.requests.splice(0);
  };

  it('delivers the failed and skipped events in their order and with their ids, and counts no trigger', async () => {
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
    expect(ids()).toEqual(idsOf([FIRST, ...range(0, FIRST)]));
    expect(receiver.requests.map(({ headers }) => headers['x-service-sequence']).slice(1)).toEqual(range(1, FIRST + 1).map(String));
    expect(await progress()).toMatchObject({ since, until: null, queued: FIRST, cancelled: 0 });
    const { fail_count, last_triggered_at } = await dispatching.webhook(webhook_id);
    expect([fail_count, last_triggered_at]).toEqual([0, before.last_triggered_at]);
    expect(await recover()).toEqual({ queued: 0, next_since: null });
  });

  it('decision 797: begins one recovery of a business at a time, and the events of others are delivered meanwhile', async () => {
    await fail();
    const { db } = dispatching.harness;
    await dispatching.create({ url: receiver.url, business_id: 2 });
    const more = await dispatching.store(Array<string>(12).fill(receiver.url));
    await db.query(
      `INSERT INTO dispatch.deliveries (webhook_id, business_id, event, event_id, ordering_key, body, state, attempt)
       SELECT id, 1, 'message.sent', 'e' || id, 'k', '{}', 'failed', 1 FROM unnest($1::bigint[]) AS id`,
      [more],
    );
    respond(200);
    const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const waiting = async () => (await db.nonDurable.query(waits)).length;
    const begun = await db.transaction(
      async (tx) => {
        await tx.query('SELECT FROM dispatch.deliveries FOR UPDATE');
        const ends = [webhook_id, webhook_id, ...more].map((id) =>
          recover({ webhook_id: id }).then(
            () => 'begun',
            ({ error_code }: { error_code: string }) => error_code,
          ),
        );
        await eventually(async () => (await waiting()) > 0);
        await dispatching.harness.publish(sent(200, { business_id: 2 }));
        await eventually(() => ids().includes('message.sent:wamid.2.200'));
        expect(await waiting()).toBe(1);
        // They wait without a connection, and are refused before their deadline.
        await Promise.race(ends);
        return { ends };
      },
      { mayPause: true },
    );
    const ends = await Promise.all(begun.ends);
    expect(ends[0]).toBe('begun');
    expect(ends).toContain('RATE_LIMITED');
    expect(['CONFLICT', 'RATE_LIMITED']).toContain(ends[1]);
  });

  it('holds up no live event, refuses a second one while it runs, and can be cancelled', async () => {
    await fail();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    receiver.respond(({ headers }, response) => {
      const respondNow = () => void response.writeHead(200).end();
      if (headers['webhook-id'] === idsOf([0])[0]) void held.then(respondNow);
      else respondNow();
    });
    await recover();
    await eventually(() => ids().length === 1);
    await expect(recover()).rejects.toMatchObject({ error_code: 'CONFLICT' });
    // An event of the conversation whose recovered event hangs.
    await dispatching.harness.publish(sent(100, { conversation_id: 1 }));
    await eventually(() => ids().includes(idsOf([100])[0] as string));
    expect(await progress()).toMatchObject({ queued: FIRST, left: FIRST });
    expect(await rpc().call(CancelRecovery, { business_id: 1, webhook_id })).toEqual({ cancelled: FIRST - 1 });
    release();
    await dispatching.ended(FIRST + 1);
    expect([ids(), await progress()]).toEqual([idsOf([0, 100]), expect.objectContaining({ left: 0, cancelled: FIRST - 1 })]);
    const list = { business_id: 1, webhook_id, limit: 100, cursor: null, state: 'skipped' } as const;
    const { deliveries } = await rpc().call(ListDeliveries, list);
    expect(deliveries.map(({ reason }) => reason)).toEqual(Array<string>(FIRST - 1).fill('the recovery was cancelled'));
    expect(await rpc().call(CancelRecovery, { business_id: 1, webhook_id })).toEqual({ cancelled: 0 });
    // A single redelivery is no recovery.
    await rpc().call(Redeliver, { business_id: 1, webhook_id, delivery_id: deliveries[0]?.id ?? 0 });
    await eventually(() => ids().length === 3);
    expect(await recover({ states: ['failed', 'skipped'] })).toEqual({ queued: FIRST - 2, next_since: null });
    await eventually(async () => (await progress())?.left === 0);
    expect(ids()).toEqual(idsOf([0, 100, FIRST - 1, ...range(1, FIRST - 1)]));
  });
});
