import { createHmac } from 'node:crypto';
import {
  BroadcastCompleted,
  CreateWebhook,
  DeleteWebhook,
  FindWantedEvents,
  GetDelivery,
  ListDeliveries,
  ListFailingWebhooks,
  ListWebhooks,
  Redeliver,
  TestWebhook,
  UpdateWebhook,
  WebhooksChanged,
  type GatewayError,
  type ResponseOf,
} from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import type { Harness } from '@mgw/harness';
import { eventually, oneByOne, sideBySide, startReceiver, type ReceivedRequest } from '@mgw/testing';
import { Webhook } from 'standardwebhooks';
import { service } from '../main';
import { DeliveriesStore } from './deliveries.store';
import { sent, startDispatching } from './dispatch.fixture';

/** The numbers of a delivery: that of its event, and that of the event before it. */
const sequence = ({ headers }: ReceivedRequest) =>
  [headers['x-service-sequence'], headers['x-service-previous']].flatMap((number) => (number === undefined ? [] : [Number(number)]));
const sum = (numbers: number[]) => numbers.reduce((all, number) => all + number, 0);
const completed = (broadcast_id: number) =>
  newEvent(BroadcastCompleted, {
    id: `broadcast.completed:${broadcast_id}`,
    at: '2026-01-02T03:04:05.678Z',
    business_id: 1,
    key: `broadcast:${broadcast_id}`,
    data: { broadcast_id, template_name: 't', total_recipients: 1, sent: 1, failed: 0, business_id: 1 },
  });

async function start() {
  const { harness } = await startDispatching();
  const receiver = await startReceiver();
  harness.onClose(() => receiver.close());
  return {
    harness,
    receiver,
    create: async (change: { business_id?: number; url?: string; secret?: string } = {}) => {
      const { business_id = 1, url = `${receiver.url}/hook`, secret } = change;
      const secret_sealed = secret === undefined ? null : harness.sealer.seal(secret, `webhook.secret:${business_id}`);
      return (await harness.rpc.call(CreateWebhook, { business_id, name: 'w', url, events: ['message.sent'], secret_sealed })).id;
    },
    list: async () => (await harness.rpc.call(ListWebhooks, { business_id: 1 })).webhooks,
    states: async () =>
      (await harness.db.query<{ state: string }>('SELECT state FROM dispatch.deliveries ORDER BY id')).map(({ state }) => state),
    handled: async () => (await harness.db.query('SELECT FROM dispatch.inbox')).length,
    ids: () => receiver.requests.map(({ body }) => (JSON.parse(body) as { data: { message_id: string } }).data.message_id),
  };
}

const stop = ({ harness }: { harness: Harness }) => harness.close();
const test = sideBySide(start, stop);
const testAlone = oneByOne(start, stop);

describe('spec §6, guarantees §4: events to receivers', () => {
  // It waits for half a minute, so it begins first.
  test('guarantees §8, D3: a dispatcher that stops releases each claim that it cuts off, and counts no dead worker', async ({
    harness,
    receiver,
    create,
    list,
    states,
  }) => {
    const stopping = await harness.run(service, { WEBHOOK_ANSWER_WITHIN_MS: '60000' });
    const webhook_id = await create();
    receiver.respond(() => undefined);
    await harness.publish(sent(1));
    await eventually(() => receiver.requests.length === 1);
    await harness.db.query(
      `WITH d AS (
         INSERT INTO dispatch.deliveries (webhook_id, business_id, event, event_id, ordering_key, body, state, attempt)
         SELECT $1, 1, 'message.sent', 'e' || n, 'k' || n, '{}', 'running', 1 FROM generate_series(1, 2000) AS n RETURNING id, ordering_key
       )
       INSERT INTO dispatch.lanes (webhook_id, ordering_key, business_id, worker, delivery_id, open)
       SELECT $1, ordering_key, 1, (SELECT worker FROM dispatch.lanes WHERE worker IS NOT NULL), id, 1 FROM d`,
      [webhook_id],
    );
    await stopping.stop();
    expect(await harness.db.query('SELECT state, lost_workers, count(*)::integer AS n FROM dispatch.deliveries GROUP BY 1, 2')).toEqual([
      { state: 'pending', lost_workers: 0, n: 2_001 },
    ]);
    expect(await harness.db.query('SELECT FROM dispatch.lanes WHERE worker IS NOT NULL')).toEqual([]);

    receiver.respond((_, response) => void response.writeHead(200).end());
    await harness.run(service);
    await eventually(async () => (await states()).every((state) => state === 'succeeded'), { timeoutMs: 60_000 });
    expect(receiver.requests.filter(({ body }) => body.includes('wamid.1.1'))).toHaveLength(2);
    expect(await list()).toEqual([expect.objectContaining({ id: webhook_id, fail_count: 0 })]);
  });

  test('spec §6.1, §5.9, decision 35: posts the event once, signed', async ({ harness, receiver, create }) => {
    await harness.run(service);
    await create({ secret: 'swordfish' });
    await harness.publish(sent(1));
    const [request] = await eventually(() => receiver.requests.length > 0 && receiver.requests);
    const { body, headers } = request as (typeof receiver.requests)[number];
    expect(JSON.parse(body)).toEqual({ event: 'message.sent', timestamp: '2026-01-02T03:04:05.678Z', data: sent(1).data });
    expect(headers['content-type']).toBe('application/json');
    expect(headers['x-service-signature']).toBe(createHmac('sha256', 'swordfish').update(body).digest('hex'));
    expect(headers['webhook-id']).toBe('message.sent:wamid.1.1');
    const standard = new Webhook(Buffer.from('swordfish').toString('base64'));
    expect(() => standard.verify(body, headers as Record<string, string>)).not.toThrow();
  });

  test('decision 280: a replaced secret signs together with the new one for as long as it is kept', async ({
    harness,
    receiver,
    create,
    list,
  }) => {
    await harness.run(service);
    const id = await create({ secret: 'old' });
    const replace = async (secret: string | null, keep_old_minutes?: number) => {
      const secret_sealed = secret === null ? null : harness.sealer.seal(secret, 'webhook.secret:1');
      await harness.rpc.call(UpdateWebhook, {
        business_id: 1,
        id,
        secret_sealed,
        ...(keep_old_minutes !== undefined && { keep_old_minutes }),
      });
    };
    /** The secrets that verify the next delivery, in the order of its signatures. */
    const signers = async (test = false) => {
      const before = receiver.requests.length;
      if (test) await harness.rpc.call(TestWebhook, { business_id: 1, webhook_id: id, event: null });
      else await harness.publish(sent(before));
      const { body, headers } = await eventually(() => receiver.requests[before]);
      const signatures = String(headers['webhook-signature'] ?? '').split(' ');
      const found = signatures.map((signature) =>
        ['old', 'new', 'newer'].find((secret) => {
          const alone = { ...(headers as Record<string, string>), 'webhook-signature': signature };
          try {
            return Boolean(new Webhook(Buffer.from(secret).toString('base64')).verify(body, alone));
          } catch {
            return false;
          }
        }),
      );
      // Libraries accept the delivery with either secret as it is.
      for (const secret of found)
        if (secret) new Webhook(Buffer.from(secret).toString('base64')).verify(body, headers as Record<string, string>);
      const expected = createHmac('sha256', found[0] ?? '')
        .update(body)
        .digest('hex');
      expect(headers['x-service-signature']).toBe(found[0] && expected);
      return found;
    };
    const until = async () => (await list())[0]?.old_secret_until;

    expect([await signers(), await until()]).toEqual([['old'], undefined]);
    const before = Date.now();
    await replace('new', 60);
    expect(await signers()).toEqual(['new', 'old']);
    expect(await signers(true)).toEqual(['new', 'old']);
    const minutes = (Date.parse((await until()) ?? '') - before) / 60_000;
    expect(Math.round(minutes)).toBe(60);
    const [kept] = await harness.db.query<{ secret_sealed: string }>('SELECT secret_sealed FROM dispatch.old_secrets');
    expect(harness.sealer.open(kept?.secret_sealed ?? '', 'webhook.secret:1')).toBe('old');

    await harness.db.query(`UPDATE dispatch.old_secrets SET valid_until = now()`);
    expect([await signers(), await signers(true), await until()]).toEqual([['new'], ['new'], undefined]);

    await replace('newer', 1_440);
    expect(await signers()).toEqual(['newer', 'new']);
    await replace('newer', 1_440);
    expect(await signers()).toEqual(['newer', 'new']);
    await harness.db.query(`UPDATE dispatch.old_secrets SET secret_sealed = 'gone.AAAA'`);
    expect(await signers()).toEqual(['newer']);
    await replace('new', 60);
    await replace('old');
    expect([await signers(), await until()]).toEqual([['old'], undefined]);
    await replace('new', 60);
    await replace(null, 60);
    expect([await signers(), await until()]).toEqual([[undefined], undefined]);
    await replace('new', 60);
    expect(await signers()).toEqual(['new']);
  });

  test('decision 160: keeps URL, headers and body of a test, and only the body of other deliveries', async ({
    harness,
    receiver,
    create,
    states,
  }) => {
    await harness.run(service);
    const webhook_id = await create({ secret: 'swordfish' });
    const { delivery_id } = await harness.rpc.call(TestWebhook, { business_id: 1, webhook_id, event: 'broadcast.completed' });
    await eventually(() => receiver.requests.length === 1);
    await harness.publish(sent(1));
    const log = await eventually(async () => {
      const list = { business_id: 1, webhook_id, limit: 10, cursor: null, state: 'succeeded' } as const;
      const { deliveries } = await harness.rpc.call(ListDeliveries, list);
      return deliveries.length === 2 && deliveries;
    });
    const [tested, published] = ['broadcast.completed', 'message.sent'].map((event) => log.find((delivery) => delivery.event === event));
    const [{ headers, body, path }] = receiver.requests as [(typeof receiver.requests)[number]];
    expect(tested).toMatchObject({ id: delivery_id, response_code: 200, request: { url: `${receiver.url}${path}`, body } });
    expect(headers).toMatchObject(tested?.request?.headers ?? { none: 'kept' });
    const names = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'x-service-signature', 'webhook-signature'];
    expect(Object.keys(tested?.request?.headers ?? {})).toEqual(names);
    expect(published).not.toHaveProperty('request');

    await harness.rpc.call(UpdateWebhook, { business_id: 1, id: webhook_id, url: `${receiver.url}/new` });
    await harness.rpc.call(Redeliver, { business_id: 1, webhook_id, delivery_id: published?.id ?? 0 });
    await eventually(() => receiver.requests.length === 3);
    await eventually(async () => (await states()).every((state) => state === 'succeeded'));
    const { deliveries } = await harness.rpc.call(ListDeliveries, { business_id: 1, webhook_id, limit: 1, cursor: null, state: null });
    expect(deliveries[0]?.request).toMatchObject({ url: `${receiver.url}/new`, body: receiver.requests[1]?.body });
  });

  test('guarantees §9: refuses to start with other keys than those that sealed its secrets', async ({ harness, create }) => {
    await harness.run(service);
    await create({ secret: 'swordfish' });
    const SEALING_KEYS = `other:${Buffer.alloc(32).toString('base64')}`;
    await expect(harness.run(service, { SEALING_KEYS })).rejects.toThrow('SEALING_KEYS');
    await harness.run(service);
  });

  testAlone(
    'decision 712: signs with the current and the previous secret when the sealing key is replaced',
    async ({ harness, receiver, create }) => {
      const first = await harness.run(service);
      const id = await create({ secret: 'old' });
      const secret_sealed = harness.sealer.seal('new', 'webhook.secret:1');
      await harness.rpc.call(UpdateWebhook, { business_id: 1, id, secret_sealed, keep_old_minutes: 60 });
      await first.stop();
      await harness.rotateKeys(service);
      await harness.run(service);
      await harness.publish(sent(1));
      await eventually(() => receiver.requests.length === 1);
      const [{ headers, body }] = receiver.requests as [(typeof receiver.requests)[number]];
      expect(headers['x-service-signature']).toBe(createHmac('sha256', 'new').update(body).digest('hex'));
      for (const secret of ['new', 'old'])
        new Webhook(Buffer.from(secret).toString('base64')).verify(body, headers as Record<string, string>);
    },
  );

  test("signs nothing without a secret, and delivers only the business's own subscribed events", async ({
    harness,
    receiver,
    create,
    ids,
  }) => {
    await harness.run(service);
    await create();
    await harness.publish(sent(1, { business_id: 2 }), sent(2));
    await eventually(() => receiver.requests.length === 1);
    expect(receiver.requests[0]?.headers['x-service-signature']).toBeUndefined();
    expect(ids()).toEqual(['wamid.1.2']);
  });

  test('decision 367: reports a webhook that keeps failing to the others, once for each reported count', async ({
    harness,
    receiver,
    list,
  }) => {
    await harness.run(service);
    let status = 503;
    receiver.respond(({ path }, response) => void response.writeHead(path === '/broken' ? status : 200).end());
    const make = async (path: string, events: string[]) => {
      const webhook = { business_id: 1, name: path, url: `${receiver.url}${path}`, events, secret_sealed: null };
      return (await harness.rpc.call(CreateWebhook, webhook)).id;
    };
    const id = await make('/broken', ['message.sent', 'webhook.failing']);
    let made = 0;
    const publish = async (count: number, fail_count: number) => {
      await harness.publish(...Array.from({ length: count }, () => sent((made += 1))));
      await eventually(async () => (await list()).find((webhook) => webhook.id === id)?.fail_count === fail_count);
    };
    // Nobody else wants it.
    await publish(10, 10);
    expect(await harness.db.query('SELECT FROM dispatch.outbox')).toEqual([]);
    await make('/watch', ['webhook.failing']);
    await publish(45, 55);
    status = 200;
    await publish(1, 0);
    status = 503;
    await publish(10, 10);
    const bodies = (path: string) =>
      receiver.requests.filter((request) => request.path === path).map(({ body }) => JSON.parse(body) as { event: string; data: object });
    await eventually(() => bodies('/watch').length === 2);
    const data = { webhook_id: id, name: '/broken', last_response_code: 503, reason: 'responded 503 instead of 200', business_id: 1 };
    expect(bodies('/watch')).toEqual(
      [50, 10].map((fail_count) => ({
        event: 'webhook.failing',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        data: { ...data, fail_count },
      })),
    );
    expect(new Set(bodies('/broken').map(({ event }) => event))).toEqual(new Set(['message.sent']));
  });

  test('decision 632: lists since when a webhook fails, and how its newest delivery failed', async ({
    harness,
    receiver,
    create,
    list,
    states,
  }) => {
    await harness.run(service);
    let status = 503;
    receiver.respond((_, response) => void response.writeHead(status).end());
    const id = await create();
    const ended = async (nth: number, fail_count: number) => {
      await harness.publish(sent(nth));
      await eventually(async () => {
        const [webhook] = await list();
        return webhook !== undefined && webhook.last_triggered_at !== null && webhook.fail_count === fail_count;
      });
      return (await list())[0]?.failing;
    };
    const first = await ended(1, 1);
    expect(first).toEqual({ since: expect.any(String) as string, last_response_code: 503, reason: 'responded 503 instead of 200' });
    status = 500;
    expect(await ended(2, 2)).toEqual({ since: first?.since, last_response_code: 500, reason: 'responded 500 instead of 200' });
    status = 200;
    expect(await ended(3, 0)).toBeUndefined();
    status = 500;
    const again = await ended(4, 1);
    expect(Date.parse(again?.since ?? '')).toBeGreaterThan(Date.parse(first?.since ?? ''));
    // However many events follow while it is off.
    await harness.rpc.call(UpdateWebhook, { business_id: 1, id, is_active: false });
    await harness.publish(...Array.from({ length: 20 }, (_, i) => sent(5 + i)));
    await eventually(async () => (await states()).filter((state) => state === 'skipped').length === 20);
    expect((await list())[0]?.failing).toEqual(again);
    const { webhooks } = await harness.rpc.call(ListFailingWebhooks, {});
    expect(webhooks).toEqual([expect.objectContaining({ id, last_response_code: 500, reason: 'responded 500 instead of 200' })]);
  });

  test('spec §3.4, decisions 34, 746: a successful redelivery resets the count, and a failed one or a test changes nothing', async ({
    harness,
    receiver,
    create,
    list,
    states,
  }) => {
    await harness.run(service);
    let status = 500;
    receiver.respond((_, response) => void response.writeHead(status).end());
    const webhook_id = await create();
    const counters = async () => {
      const [webhook] = await list();
      return { fail_count: webhook?.fail_count, failing: webhook?.failing?.since };
    };
    await harness.publish(sent(1), sent(2));
    await eventually(async () => (await counters()).fail_count === 2);
    const failing = await counters();
    const page = { business_id: 1, webhook_id, limit: 10, cursor: null, state: null };
    const deliveries = async () => (await harness.rpc.call(ListDeliveries, page)).deliveries;
    const delivery_id = (await deliveries())[0]?.id ?? 0;
    const redeliver = async (attempts: number) => {
      await harness.rpc.call(Redeliver, { business_id: 1, webhook_id, delivery_id });
      await eventually(async () => {
        const found = (await deliveries()).find(({ id }) => id === delivery_id);
        return found?.attempts === attempts && found.response_code === status;
      });
    };
    await redeliver(2);
    expect(await counters()).toEqual(failing);
    status = 200;
    await harness.rpc.call(TestWebhook, { business_id: 1, webhook_id, event: null });
    await eventually(async () => (await states()).includes('succeeded'));
    expect(await counters()).toEqual(failing);
    await redeliver(3);
    expect(await counters()).toEqual({ fail_count: 0, failing: undefined });
  });

  test('decision 287: returns the events that the webhooks of each business want, and announces each change', async ({
    harness,
    create,
  }) => {
    await harness.run(service);
    const announced: number[] = [];
    harness.rpc.listen(WebhooksChanged, ({ business_id }) => void announced.push(business_id));
    await harness.nc.flush();
    const own = { business_id: 1, id: await create() };
    const foreign = { business_id: 2, id: await create({ business_id: 2 }) };
    await harness.rpc.call(UpdateWebhook, { ...foreign, events: ['message.status', 'message.sent'], is_active: false });
    const wanted = async () => (await harness.rpc.call(FindWantedEvents, { business_ids: [2, 3, 1] })).wanted.map((names) => names.sort());
    expect(await wanted()).toEqual([['message.sent', 'message.status'], [], ['message.sent']]);
    await harness.rpc.call(DeleteWebhook, own);
    expect(await wanted()).toEqual([['message.sent', 'message.status'], [], []]);
    await eventually(() => announced.length === 4);
    expect(announced).toEqual([1, 2, 2, 1]);
  });

  test('spec §3.4, decision 31: counts each failure once, resets after a 200, and retries nothing', async ({
    harness,
    receiver,
    create,
    list,
    ids,
  }) => {
    await harness.run(service);
    await create();
    for (const [status, expected] of [
      [500, 1],
      [201, 2],
      [302, 3],
      [200, 0],
      [404, 1],
    ] as const) {
      receiver.respond((_, response) => void response.writeHead(status, { location: '/x' }).end());
      await harness.publish(sent(status));
      await eventually(async () => {
        const [webhook] = await list();
        return ids().includes(`wamid.1.${status}`) && webhook?.fail_count === expected && webhook.last_triggered_at;
      });
    }
    expect(receiver.requests).toHaveLength(5);
    // The hour may change in between.
    const hours = (await list())[0]?.last_24_hours ?? [];
    expect([sum(hours.map((hour) => hour.succeeded)), sum(hours.map((hour) => hour.failed))]).toEqual([1, 4]);
    await harness.db.query(`UPDATE dispatch.webhook_hours SET hour = hour - interval '1 day'`);
    expect((await list())[0]?.last_24_hours).toEqual([]);
  });

  test('decision 283: keeps the first 2 kB of the responses to failures, tests and redeliveries', async ({
    harness,
    receiver,
    create,
    states,
  }) => {
    await harness.run(service);
    const webhook_id = await create();
    const long = '\0é'.repeat(2_000);
    receiver.respond(({ headers }, response) => {
      const isFirst = headers['webhook-id'] === 'message.sent:wamid.1.1';
      response.writeHead(isFirst ? 500 : 200).end(isFirst ? long : 'thanks');
    });
    await harness.publish(sent(1), sent(2));
    const bodies = async () => {
      const { deliveries } = await harness.rpc.call(ListDeliveries, { business_id: 1, webhook_id, limit: 9, cursor: null, state: null });
      return deliveries.map(({ event, response_code, response_body }) => [event, response_code, response_body]).sort();
    };
    const failed = ['message.sent', 500, 'é'.repeat(682)];
    await eventually(async () => (await states()).sort().join() === 'failed,succeeded');
    expect(await bodies()).toEqual([['message.sent', 200, undefined], failed]);
    const { delivery_id } = await harness.rpc.call(TestWebhook, { business_id: 1, webhook_id, event: 'ai.replied' });
    const delivery = await eventually(async () => {
      const found = await harness.rpc.call(GetDelivery, { business_id: 1, webhook_id, delivery_id });
      return found.delivery.state === 'succeeded' && found.delivery;
    });
    expect(delivery).toMatchObject({ event: 'ai.replied', response_body: 'thanks', request: { url: `${receiver.url}/hook` } });
    for (const foreign of [{ business_id: 2 }, { webhook_id: webhook_id + 1 }, { delivery_id: 999_999 }])
      await expect(harness.rpc.call(GetDelivery, { business_id: 1, webhook_id, delivery_id, ...foreign })).rejects.toMatchObject({
        error_code: 'NOT_FOUND',
      });
  });

  test('delivers an event once although two replicas consume it', async ({ harness, receiver, create, states, ids }) => {
    await harness.run(service);
    await harness.run(service);
    await create();
    const events = Array.from({ length: 40 }, (_, i) => sent(i));
    await harness.publish(...events, ...events);
    await eventually(async () => (await states()).filter((state) => state === 'succeeded').length === 40);
    expect(ids()).toHaveLength(40);
    const numbers = receiver.requests.map(sequence).sort(([a = 0], [b = 0]) => a - b);
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, i) => [i + 1, i]));
  });

  test('decision 282: numbers the events of a business, so that a receiver sees at the next one that it lost one', async ({
    harness,
    receiver,
    create,
    states,
    handled,
  }) => {
    await harness.run(service);
    // A business without a webhook has no numbers.
    await harness.publish(sent(1));
    await eventually(async () => (await handled()) === 1);
    const [id, other] = [await create(), await create({ url: `${receiver.url}/other` })];
    await harness.rpc.call(UpdateWebhook, { business_id: 1, id: other, events: ['broadcast.completed', 'message.sent'] });
    const at = (path: string) => receiver.requests.filter((request) => request.path === path).map(sequence);
    receiver.respond(({ path }, response) => void response.writeHead(path === '/hook' ? 500 : 200).end());
    await harness.publish(sent(2, { conversation_id: 1 }), completed(1), sent(2, { business_id: 2 }));
    await eventually(() => receiver.requests.length === 3);
    receiver.respond((_, response) => void response.writeHead(200).end());
    await harness.publish(sent(3, { conversation_id: 1 }), sent(2, { conversation_id: 1 }));
    await eventually(() => receiver.requests.length === 5);
    // The receiver of /hook stored nothing as event 1, and event 3 names it.
    expect([at('/hook'), at('/other').sort()]).toEqual([
      [
        [1, 0],
        [3, 1],
      ],
      [
        [1, 0],
        [2, 1],
        [3, 2],
      ],
    ]);
    const { deliveries } = await harness.rpc.call(ListDeliveries, {
      business_id: 1,
      webhook_id: id,
      limit: 1,
      cursor: null,
      state: 'failed',
    });
    await harness.rpc.call(Redeliver, { business_id: 1, webhook_id: id, delivery_id: deliveries[0]?.id ?? 0 });
    await eventually(() => receiver.requests.length === 6);
    await harness.rpc.call(TestWebhook, { business_id: 1, webhook_id: id, event: null });
    await eventually(() => receiver.requests.length === 7);
    expect(at('/hook').slice(2)).toEqual([[1, 0], []]);
    // A skipped delivery is one that the webhook wanted.
    await harness.rpc.call(UpdateWebhook, { business_id: 1, id, is_active: false });
    await harness.publish(sent(4));
    await eventually(async () => (await states()).includes('skipped'));
    await harness.rpc.call(UpdateWebhook, { business_id: 1, id, is_active: true });
    await harness.publish(sent(5));
    await eventually(() => at('/hook').length === 5);
    expect(at('/hook')[4]).toEqual([5, 4]);
  });

  test('decision 29b: delivers one conversation in order, one at a time, and others side by side', async ({
    harness,
    receiver,
    create,
    ids,
  }) => {
    await harness.run(service);
    await create();
    let open = 0;
    let most = 0;
    receiver.respond((request, response) => {
      const { conversation_id } = (JSON.parse(request.body) as { data: { conversation_id: number } }).data;
      if (conversation_id === 1) most = Math.max(most, (open += 1));
      setTimeout(() => {
        if (conversation_id === 1) open -= 1;
        response.writeHead(200).end();
      }, 30);
    });
    await harness.publish(...Array.from({ length: 8 }, (_, i) => sent(i, { conversation_id: 1 })), sent(100, { conversation_id: 2 }));
    await eventually(() => receiver.requests.length === 9);
    expect(ids().filter((id) => id !== 'wamid.1.100')).toEqual(Array.from({ length: 8 }, (_, i) => `wamid.1.${i}`));
    expect(most).toBe(1);
  });

  test('decision 29b: a redelivery waits for the end of a later attempt of its conversation', async ({
    harness,
    receiver,
    create,
    ids,
  }) => {
    await harness.run(service);
    const webhook_id = await create();
    const log = async () =>
      (await harness.rpc.call(ListDeliveries, { business_id: 1, webhook_id, limit: 10, cursor: null, state: null })).deliveries;
    const stateOf = async (number: number) => (await log()).find(({ event_id }) => event_id === `message.sent:wamid.1.${number}`)?.state;
    await harness.publish(sent(1, { conversation_id: 1 }));
    await eventually(async () => (await stateOf(1)) === 'succeeded');
    let end = (): unknown => undefined;
    receiver.respond((_, response) => void (end = () => response.writeHead(200).end()));
    await harness.publish(sent(2, { conversation_id: 1 }));
    await eventually(() => receiver.requests.length === 2);
    receiver.respond((_, response) => void response.writeHead(200).end());
    const [first] = (await log()).slice(-1);
    await harness.rpc.call(Redeliver, { business_id: 1, webhook_id, delivery_id: first?.id ?? 0 });
    // The claim that takes this delivery has considered the first one too.
    await harness.publish(sent(3, { conversation_id: 3 }));
    await eventually(async () => (await stateOf(3)) === 'succeeded');
    expect([await stateOf(1), await stateOf(2)]).toEqual(['pending', 'running']);
    // The log no longer shows its previous end.
    expect((await log()).at(-1)).toMatchObject({ state: 'pending', response_code: null, duration_ms: null });
    end();
    await eventually(async () => (await stateOf(1)) === 'succeeded');
    expect(ids()).toEqual(['wamid.1.1', 'wamid.1.2', 'wamid.1.3', 'wamid.1.1']);
  });

  test('guarantees §8, D3: a dispatcher that stops waits as long as a receiver may take to respond', async ({
    harness,
    receiver,
    create,
    states,
  }) => {
    const stopping = await harness.run(service);
    await create();
    receiver.respond((_, response) => void setTimeout(() => response.writeHead(200).end(), 6_000));
    await harness.publish(sent(1));
    await eventually(() => receiver.requests.length === 1);
    await stopping.stop();
    expect(await states()).toEqual(['succeeded']);
  });

  test('guarantees §4, D2, D3: keeps a known result through a long outage of the database', async ({
    harness,
    receiver,
    create,
    states,
  }) => {
    const { app } = await harness.run(service);
    await create();
    const finish = jest.spyOn(app.get(DeliveriesStore, { strict: false }), 'finish').mockRejectedValue(new Error('connection refused'));
    receiver.respond((_, response) => void response.writeHead(500).end());
    await harness.publish(sent(1));
    await eventually(() => finish.mock.calls.length === 6);
    finish.mockRestore();
    await eventually(async () => (await states()).join() === 'failed');
    expect(receiver.requests).toHaveLength(1);
  });

  test('deletes a webhook at once, and the deliveries of its log later in batches', async ({ harness, receiver, create, states }) => {
    await harness.run(service);
    const webhook_id = await create();
    await harness.publish(sent(1));
    await eventually(async () => (await states()).join() === 'succeeded');
    const page = { limit: 1, cursor: null, state: null };
    const [{ id: delivery_id = 0 } = {}] = (await harness.rpc.call(ListDeliveries, { business_id: 1, webhook_id, ...page })).deliveries;
    await harness.db.query(
      `INSERT INTO dispatch.deliveries (webhook_id, business_id, event, event_id, ordering_key, body, state, queued)
       SELECT $1, 1, 'message.sent', 'e' || n, 'k' || n, '{}', 'pending', true FROM generate_series(1, 25) AS n`,
      [webhook_id],
    );
    await harness.rpc.call(DeleteWebhook, { business_id: 1, id: webhook_id });
    expect(await states()).toHaveLength(26);
    for (const called of [
      harness.rpc.call(GetDelivery, { business_id: 1, webhook_id, delivery_id }),
      harness.rpc.call(Redeliver, { business_id: 1, webhook_id, delivery_id }),
      harness.rpc.call(TestWebhook, { business_id: 1, webhook_id, event: null }),
    ])
      await expect(called).rejects.toMatchObject({ error_code: 'NOT_FOUND' });
    await harness.run(service, { RETENTION_BATCH_ROWS: '10', RETENTION_PAUSE_MS: '0' });
    await eventually(async () => (await harness.db.query('SELECT FROM dispatch.deleted_webhooks')).length === 0);
    expect(await states()).toEqual([]);
    expect(receiver.requests).toHaveLength(1);
  });

  test('counts a secret that cannot be opened as a failure, and delays nothing', async ({ harness, receiver, create, list }) => {
    await harness.run(service);
    await create({ secret: 'x' });
    await harness.db.query(`UPDATE dispatch.webhooks SET secret_sealed = 'gone.AAAA'`);
    await harness.publish(sent(1), sent(2, { conversation_id: 2 }), sent(3, { conversation_id: 2 }));
    await eventually(async () => (await list())[0]?.fail_count === 3);
    expect(receiver.requests).toHaveLength(0);
  });

  test('D8, decision 34: does not dial a disabled webhook, and keeps its deliveries as skipped', async ({
    harness,
    receiver,
    create,
    states,
  }) => {
    await harness.run(service);
    const id = await create();
    await harness.rpc.call(UpdateWebhook, { business_id: 1, id, is_active: false });
    await harness.publish(sent(1));
    await eventually(async () => (await states())[0] === 'skipped');
    expect(receiver.requests).toHaveLength(0);
    // The claim of a worker that died before the webhook was disabled.
    await harness.db.query(`INSERT INTO dispatch.lanes (webhook_id, ordering_key, business_id, worker, delivery_id, open)
      SELECT webhook_id, ordering_key, business_id, 'dead', id, 1 FROM dispatch.deliveries`);
    await harness.db.query(`UPDATE dispatch.deliveries SET state = 'running', finished_at = NULL`);
    await eventually(async () => (await states())[0] === 'skipped');
    expect(receiver.requests).toHaveLength(0);
  });

  test('spec §4.9: changes only the given fields, hides foreign webhooks, allows 20, and checks addresses', async ({
    harness,
    create,
    list,
  }) => {
    await harness.run(service);
    const id = await create({ secret: 'x' });
    await harness.rpc.call(UpdateWebhook, { business_id: 1, id, name: 'new', secret_sealed: null });
    expect(await list()).toEqual([
      expect.objectContaining({ id, name: 'new', has_secret: false, is_active: 1, fail_count: 0, last_triggered_at: null }),
    ]);
    const codeOf = (promise: Promise<unknown>) => promise.then(String, (error: GatewayError) => error.error_code);
    expect(await codeOf(harness.rpc.call(UpdateWebhook, { business_id: 2, id }))).toBe('NOT_FOUND');
    expect(await codeOf(harness.rpc.call(DeleteWebhook, { business_id: 2, id }))).toBe('NOT_FOUND');
    for (const url of ['https://10.0.0.1/', 'https://exa\tmple.com/x', ' https://example.com/', 'https://example.com/a b'])
      expect([url, await codeOf(create({ url }))]).toEqual([url, 'VALIDATION_FAILED']);
    await Promise.allSettled(Array.from({ length: 25 }, () => create()));
    expect(await list()).toHaveLength(20);
    await expect(create()).rejects.toMatchObject({
      error_code: 'CONFLICT',
      message: 'A business has at most 20 webhooks. Delete one first.',
    });
    await harness.rpc.call(DeleteWebhook, { business_id: 1, id });
    expect(await codeOf(harness.rpc.call(DeleteWebhook, { business_id: 1, id }))).toBe('NOT_FOUND');
  });

  test('decision 785: creates a webhook once however often its request is repeated, also beside 19 others', async ({
    harness,
    receiver,
    create,
    list,
  }) => {
    await harness.run(service);
    const make = (fingerprint: string, business_id = 1) =>
      harness.rpc.call(CreateWebhook, {
        ...{ business_id, name: 'w', url: `${receiver.url}/hook`, events: ['message.sent'], secret_sealed: null },
        idempotency: { key: 'api-key:1:a', fingerprint },
      });
    const answers = await Promise.all(Array.from({ length: 5 }, () => make('secret')));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => replayed)).toHaveLength(4);
    await expect(make('other')).rejects.toMatchObject({ error_code: 'IDEMPOTENCY_MISMATCH', status: 422 });
    await Promise.all(Array.from({ length: 19 }, () => create()));
    expect(await make('secret')).toEqual({ id: answers[0]?.id, replayed: true });
    expect(await list()).toHaveLength(20);
    expect((await make('secret', 2)).replayed).toBeUndefined();
    // A bare hash of a request with a short secret would show the secret.
    const [stored] = await harness.db.query<{ row: string }>('SELECT w::text AS row FROM dispatch.webhooks w WHERE id = $1', [
      answers[0]?.id,
    ]);
    expect(stored?.row).toContain('api-key:1:a');
    expect(stored?.row).not.toContain('secret');
  });

  test('guarantees §10, N1: a page of the log holds at most a megabyte of bodies, or one delivery', async ({ harness, create }) => {
    await harness.run(service);
    const webhook_id = await create();
    await harness.db.query(
      `INSERT INTO dispatch.deliveries (webhook_id, business_id, event_id, ordering_key, body, state, attempt, finished_at)
       SELECT $1, 1, 'e' || n, 'k', '{"text":"' || repeat('x', CASE WHEN n = 7 THEN 2000000 ELSE 200000 END) || '"}', 'succeeded', 1, now()
       FROM generate_series(1, 20) AS n`,
      [webhook_id],
    );
    const seen: string[] = [];
    const sizes: number[] = [];
    let cursor: string | null = null;
    do {
      const page: ResponseOf<typeof ListDeliveries> = await harness.rpc.call(ListDeliveries, {
        business_id: 1,
        webhook_id,
        limit: 100,
        cursor,
        state: 'succeeded',
      });
      seen.push(...page.deliveries.map(({ event_id }) => event_id));
      sizes.push(JSON.stringify(page).length);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => `e${20 - i}`));
    expect(Math.max(...sizes)).toBeLessThan(2_100_000);
    expect(sizes.length).toBeGreaterThan(4);
  });

  test('guarantees §10, N1, N3: sets aside an event above a megabyte, and delivers later ones of its conversation', async ({
    harness,
    create,
    ids,
  }) => {
    await harness.run(service);
    await create();
    const [before, large, after] = [1, 2, 3].map((number) =>
      sent(number, { conversation_id: 1, text: number === 2 ? 'x'.repeat(1_100_000) : 'Hi' }),
    );
    await harness.publish(...([before, large, after] as Parameters<typeof harness.publish>));
    await eventually(() => ids().length === 2);
    expect(ids()).toEqual(['wamid.1.1', 'wamid.1.3']);
    const letters = await harness.db.query<{ reason: string }>('SELECT reason FROM dispatch.dead_letters');
    expect(letters).toEqual([
      { reason: expect.stringMatching(/^the event has 1100\d+ bytes; a webhook takes at most 1048576$/) as string },
    ]);
  });

  test('guarantees §10, N1: refuses a test event when 20 of the webhook wait', async ({ harness, receiver, create }) => {
    await harness.run(service);
    const webhook_id = await create();
    const held: { end(): unknown }[] = [];
    receiver.respond((_, response) => void held.push(response));
    const tests = await Promise.allSettled(
      Array.from({ length: 40 }, () => harness.rpc.call(TestWebhook, { business_id: 1, webhook_id, event: null })),
    );
    const refused = tests.filter((test) => test.status === 'rejected').map(({ reason }) => (reason as GatewayError).error_code);
    expect(refused).toEqual(Array(20).fill('CONFLICT'));
    receiver.respond((_, response) => void response.end());
    for (const response of held) response.end();
  });
});
