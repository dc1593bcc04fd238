import { createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import { DeleteWebhook, UpdateWebhook } from '@mgw/contracts';
import type { Harness } from '@mgw/harness';
import { eventually, sideBySide, startRawReceiver, startReceiver, type NodeChild } from '@mgw/testing';
import type { Attempt } from './attempt';
import { DeliveriesStore } from './deliveries.store';
import { SECRET, sent, startDispatching, type Dispatching } from './dispatch.fixture';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const FAILURE = 'HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n';

const POINTS = ['consumer.before-commit', 'consumer.after-commit', 'dispatch.after-claim', 'dispatch.after-attempt', 'dispatch.after-end'];

/** Kills one of two dispatchers between two steps (guarantees §4, §8). The cases run side by side because each waits for the survivor. */
describe('one of two dispatchers dies', () => {
  const test = sideBySide(startDispatching, ({ harness }) => harness.close());
  for (const point of POINTS)
    test(`at ${point}: D1, D3, D4, D7: every event reaches every webhook, counts once and keeps its signed bytes and its number`, (dispatching) =>
      survives(dispatching, point));
});

let starting: Promise<unknown> = Promise.resolve();

async function survives({ harness, ...dispatching }: Dispatching, point: string): Promise<void> {
  const [good, bad] = [await startReceiver(), await startReceiver()];
  for (const receiver of [good, bad]) harness.onClose(() => receiver.close());
  bad.respond((_, response) => void response.writeHead(500).end());
  // Five processes that start at once would be slow.
  const started = starting.then(() => harness.spawn('outbound-webhook-dispatcher', { CRASH_AT: point }));
  starting = started;
  const victim = await started;
  await dispatching.run();
  const failing = await dispatching.create({ url: bad.url, secret: true });
  const working = await dispatching.create({ url: good.url, secret: true });
  let end: Awaited<NodeChild['exited']> | undefined;
  void victim.exited.then((exit) => (end = exit));
  // Both consume a share of the events, so the victim receives one sooner or later.
  let published = 0;
  await eventually(async () => {
    await harness.publish(sent(published, { conversation_id: 1 + (published % 3), text: `नमस्ते 👋 \u2028 "${published}" \ud800` }));
    published += 1;
    return end;
  });
  expect(end).toMatchObject({ signal: 'SIGKILL' });
  // The survivor's attempts are repeated too, and count once.
  await dispatching.expireClaims();
  await eventually(async () => {
    const { pending = 0, running = 0, succeeded, failed } = await dispatching.states();
    return pending + running === 0 && succeeded === published && failed === published;
  });
  expect(await dispatching.webhook(failing)).toMatchObject({ fail_count: published, last_triggered_at: expect.any(String) as string });
  expect(await dispatching.webhook(working)).toMatchObject({ fail_count: 0, last_triggered_at: expect.any(String) as string });
  for (const { requests } of [good, bad]) {
    const bodies = new Map<unknown, string>();
    for (const { headers, body } of requests) {
      expect(headers['x-service-signature']).toBe(createHmac('sha256', SECRET).update(body).digest('hex'));
      expect(bodies.get(headers['webhook-id']) ?? body).toBe(body);
      bodies.set(headers['webhook-id'], body);
    }
    expect(bodies.size).toBe(published);
    const numbers = new Map(requests.map(({ headers }) => [Number(headers['x-service-sequence']), Number(headers['x-service-previous'])]));
    expect([...numbers].sort(([a], [b]) => a - b)).toEqual(Array.from({ length: published }, (_, i) => [i + 1, i]));
  }
}

async function start() {
  const held: Socket[] = [];
  const receiver = await startRawReceiver((socket) => void held.push(socket));
  const dispatching = await startDispatching();
  dispatching.harness.onClose(() => receiver.close());
  return { dispatching, receiver, url: `http://127.0.0.1:${receiver.port}/`, held };
}

describe('two dispatchers', () => {
  const test = sideBySide(start, ({ dispatching }) => dispatching.harness.close());

  for (const [when, order] of [
    ['before', [0, 1]],
    ['after', [1, 0]],
  ] as const) {
    test(`D4: a worker that lost its claim ends and counts nothing, even if its response comes ${when} the other's`, async ({
      dispatching,
      url,
      held,
    }) => {
      const running = [await dispatching.run(), await dispatching.run()];
      await dispatching.create({ url });
      await dispatching.harness.publish(sent(1));
      await eventually(() => held.length === 1);
      await dispatching.expireClaims();
      await eventually(() => held.length === 2);
      for (const nth of order) {
        held[nth]?.end(nth === 0 ? OK : FAILURE);
        await eventually(() => held[nth]?.closed);
      }
      // A dispatcher that stops waits for its attempts.
      for (const service of running) await service.stop();
      const [row] = await dispatching.harness.db.query(
        'SELECT d.state, d.attempt, d.status_code, w.fail_count FROM dispatch.deliveries d JOIN dispatch.webhooks w ON w.id = d.webhook_id',
      );
      expect(row).toEqual({ state: 'failed', attempt: 2, status_code: 500, fail_count: 1 });
    });
  }

  test('D4: two ends of the same delivery in one statement count once', async ({ dispatching, url, held }) => {
    await dispatching.run();
    const id = await dispatching.create({ url });
    await dispatching.harness.publish(sent(1));
    await eventually(() => held.length === 1);
    await dispatching.expireClaims();
    await eventually(() => held.length === 2);
    const { db } = dispatching.harness;
    const [delivery] = await db.query<Attempt>('SELECT id, webhook_id, business_id, ordering_key, manual FROM dispatch.deliveries');
    const end = { succeeded: false, statusCode: 500, reason: 'responded 500 instead of 200', responseBody: null, durationMs: 1 };
    await new DeliveriesStore(db).finish([1, 2].map((attempt) => ({ attempt: { ...(delivery as Attempt), attempt }, end })));
    await dispatching.ended(1);
    expect((await dispatching.webhook(id)).fail_count).toBe(1);
  });

  const ends: Record<string, (harness: Harness, id: number) => Promise<unknown>> = {
    disabled: (harness, id) => harness.rpc.call(UpdateWebhook, { business_id: 1, id, is_active: false }),
    deleted: (harness, id) => harness.rpc.call(DeleteWebhook, { business_id: 1, id }),
  };
  for (const [what, end] of Object.entries(ends)) {
    test(`D8: dials nothing new after a webhook is ${what}, although deliveries wait and places are free`, async ({
      dispatching,
      receiver,
      url,
      held,
    }) => {
      const other = await startReceiver();
      dispatching.harness.onClose(() => other.close());
      await dispatching.run();
      await dispatching.run();
      const id = await dispatching.create({ url });
      await dispatching.harness.publish(...Array.from({ length: 60 }, (_, i) => sent(i)));
      // 16 for each of two processes.
      await eventually(() => held.length === 32);
      await end(dispatching.harness, id);
      held.forEach((socket) => socket.write(OK));
      if (what === 'disabled') {
        await dispatching.ended(60);
        expect(await dispatching.states()).toEqual({ succeeded: 32, skipped: 28 });
      }
      await dispatching.harness.publish(sent(100));
      await dispatching.create({ url: other.url });
      await dispatching.harness.publish(sent(101));
      await eventually(() => other.requests.length > 0);
      expect(receiver.requests).toHaveLength(32);
    });
  }
});
