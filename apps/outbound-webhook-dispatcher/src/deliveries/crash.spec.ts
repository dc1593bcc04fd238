import { createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import { DeleteWebhook, UpdateWebhook } from '@mgw/contracts';
import { eventually, startRawReceiver, startReceiver, type NodeChild, type RawReceiver } from '@mgw/testing';
import { SECRET, sent, startDispatching, type Dispatching } from './dispatch.fixture';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const FAILURE = 'HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n';

const POINTS = ['consumer.before-commit', 'consumer.after-commit', 'dispatch.after-take', 'dispatch.after-attempt', 'dispatch.after-end'];

/** kill -9 of one of two dispatchers exactly between two steps (guarantees §4, §8); side by side, for each waits for JetStream. */
describe('two dispatchers, one dies', () => {
  it.concurrent.each(POINTS)(
    'at %s: D1, D3, D4, D7: every event reaches every webhook, counts once, and has the same signed bytes each time',
    async (point) => {
      const dispatching = await startDispatching();
      await survives(dispatching, point).finally(() => dispatching.harness.close());
    },
    120_000,
  );
});

let starting: Promise<unknown> = Promise.resolve();

async function survives({ harness, ...dispatching }: Dispatching, point: string): Promise<void> {
  const [good, bad] = [await startReceiver(), await startReceiver()];
  for (const receiver of [good, bad]) harness.onClose(() => receiver.close());
  bad.respond((_, response) => void response.writeHead(500).end());
  // One at a time: five processes that start together are slow.
  const started = starting.then(() => harness.spawn('outbound-webhook-dispatcher', { CRASH_AT: point }));
  starting = started;
  const victim = await started;
  await dispatching.run();
  const failing = await dispatching.create({ url: bad.url, secret: true });
  const working = await dispatching.create({ url: good.url, secret: true });
  let end: Awaited<NodeChild['exited']> | undefined;
  void victim.exited.then((exit) => (end = exit));
  // Both take their share; sooner or later the victim has one.
  let told = 0;
  await eventually(
    async () => {
      await harness.tell(sent(told, { conversation_id: 1 + (told % 3), text: `नमस्ते 👋 \u2028 "${told}" \ud800` }));
      told += 1;
      return end;
    },
    { timeoutMs: 40_000 },
  );
  expect(end).toMatchObject({ signal: 'SIGKILL' });
  // Also what the one that lives has under way is attempted twice, and counts once.
  await dispatching.expireClaims();
  await eventually(
    async () => {
      const { pending = 0, running = 0, succeeded, failed } = await dispatching.states();
      return pending + running === 0 && succeeded === told && failed === told;
    },
    // JetStream offers an event again when nobody has acknowledged it for 30 s.
    { timeoutMs: 60_000 },
  );
  expect(await dispatching.webhook(failing)).toMatchObject({ fail_count: told, last_triggered_at: expect.any(String) as string });
  expect(await dispatching.webhook(working)).toMatchObject({ fail_count: 0, last_triggered_at: expect.any(String) as string });
  for (const { requests } of [good, bad]) {
    const bodies = new Map<unknown, string>();
    for (const { headers, body } of requests) {
      expect(headers['x-service-signature']).toBe(createHmac('sha256', SECRET).update(body).digest('hex'));
      expect(bodies.get(headers['webhook-id']) ?? body).toBe(body);
      bodies.set(headers['webhook-id'], body);
    }
    expect(bodies.size).toBe(told);
  }
}

describe('two dispatchers', () => {
  let dispatching: Dispatching;
  let receiver: RawReceiver;
  let held: Socket[];
  beforeEach(async () => {
    held = [];
    receiver = await startRawReceiver((socket) => void held.push(socket));
    dispatching = await startDispatching({ WEBHOOK_ANSWER_WITHIN_MS: '20000' });
    dispatching.harness.onClose(() => receiver.close());
  });
  afterEach(() => dispatching.harness.close());
  const url = () => `http://127.0.0.1:${receiver.port}/`;

  it.each([
    ['before', [0, 1]],
    ['after', [1, 0]],
  ])('D4: a worker whose claim was taken over ends nothing and counts nothing, though answered %s the other', async (_, order) => {
    const running = [await dispatching.run(), await dispatching.run()];
    await dispatching.create({ url: url() });
    await dispatching.harness.tell(sent(1));
    await eventually(() => held.length === 1);
    await dispatching.expireClaims();
    await eventually(() => held.length === 2);
    for (const nth of order) {
      held[nth]?.end(nth === 0 ? OK : FAILURE);
      await eventually(() => held[nth]?.closed);
    }
    // A dispatcher that stops waits for what it has under way.
    for (const service of running) await service.stop();
    const [row] = await dispatching.harness.db.query(
      'SELECT d.state, d.attempt, d.status_code, w.fail_count FROM dispatch.deliveries d JOIN dispatch.webhooks w ON w.id = d.webhook_id',
    );
    expect(row).toEqual({ state: 'failed', attempt: 2, status_code: 500, fail_count: 1 });
  });

  it('D4: both ends of an attempt that was made twice, recorded together, count once', async () => {
    await dispatching.run();
    const other = await startReceiver();
    dispatching.harness.onClose(() => other.close());
    const [id, blocker] = [await dispatching.create({ url: url() }), await dispatching.create({ url: other.url, business_id: 2 })];
    // Another webhook's end waits for this lock, and with it all that end meanwhile.
    await dispatching.harness.db.transaction(async (tx) => {
      await tx.query('SELECT FROM dispatch.webhooks WHERE id = $1 FOR NO KEY UPDATE', [blocker]);
      await dispatching.harness.tell(sent(1, { business_id: 2 }));
      const isWaiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      await eventually(async () => (await dispatching.harness.db.query(isWaiting)).length > 0);
      await dispatching.harness.tell(sent(1));
      await eventually(() => held.length === 1);
      held[0]?.end(FAILURE);
      await eventually(() => held[0]?.closed);
      await dispatching.expireClaims();
      await eventually(() => held.length === 2);
      held[1]?.end(FAILURE);
      await eventually(() => held[1]?.closed);
    });
    await dispatching.ended(2);
    expect((await dispatching.webhook(id)).fail_count).toBe(1);
  });

  it.each([
    ['disabled', (id: number) => dispatching.harness.rpc.call(UpdateWebhook, { business_id: 1, id, is_active: false })],
    ['deleted', (id: number) => dispatching.harness.rpc.call(DeleteWebhook, { business_id: 1, id })],
  ])('D8: after a webhook is %s nothing new is dialled, though deliveries wait and places become free', async (what, end) => {
    const other = await startReceiver();
    dispatching.harness.onClose(() => other.close());
    await dispatching.run();
    await dispatching.run();
    const id = await dispatching.create({ url: url() });
    await dispatching.harness.tell(...Array.from({ length: 60 }, (_, i) => sent(i)));
    // 16 in each of two processes.
    await eventually(() => held.length === 32);
    await end(id);
    held.forEach((socket) => socket.write(OK));
    if (what === 'disabled') {
      await dispatching.ended(60);
      expect(await dispatching.states()).toEqual({ succeeded: 32, skipped: 28 });
    }
    await dispatching.harness.tell(sent(100));
    await dispatching.create({ url: other.url });
    await dispatching.harness.tell(sent(101));
    await eventually(() => other.requests.length > 0);
    expect(receiver.requests).toHaveLength(32);
  });
});
