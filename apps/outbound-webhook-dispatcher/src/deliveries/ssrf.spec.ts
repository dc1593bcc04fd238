import { Resolver } from 'node:dns/promises';
import { Redeliver, TestWebhook, UpdateWebhook, type GatewayError } from '@mgw/contracts';
import { withPort, eventually, SSRF_CASES, startRawReceiver, watchDials, type RawReceiver } from '@mgw/testing';
import { sent, startDispatching, type Dispatching } from './dispatch.fixture';

describe('guarantees §5, decision 32: forbidden addresses', () => {
  let dispatching: Dispatching;
  let canary: RawReceiver;
  let watch: ReturnType<typeof watchDials>;
  /** Each case unchanged, and again with the canary's port, on which it listens at every local address. */
  let urls: string[];

  beforeEach(async () => {
    canary = await startRawReceiver((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), { host: '::' }).catch(() =>
      startRawReceiver(undefined, { host: '0.0.0.0' }),
    );
    urls = SSRF_CASES.flatMap(({ url }) => [url, withPort(url, canary.port) ?? url]);
    dispatching = await startDispatching({ WEBHOOK_ALLOWED_TARGETS: '', WEBHOOK_PORTS: `443,8443,${canary.port}` });
    watch = watchDials();
  });
  afterEach(async () => {
    watch.stop();
    await canary.close();
    await dispatching.harness.close();
  });

  /** The addresses that this process dialled, except its own servers. */
  const dials = () => {
    const own = [dispatching.harness.env['DATABASE_URL'], dispatching.harness.env['NATS_URL']].map((url) => new URL(url ?? '').port);
    return watch.dials().filter((dial) => !own.includes(dial.split(' ')[1] ?? ''));
  };
  const codeOf = (promise: Promise<unknown>) => promise.then(String, (error: GatewayError) => error.error_code);

  it('spec §4.9: are refused when a webhook is created or changed', async () => {
    await dispatching.run();
    const id = await dispatching.create({ url: 'https://hooks.example.com/' });
    for (const url of urls) {
      expect([url, await codeOf(dispatching.create({ url }))]).toEqual([url, 'VALIDATION_FAILED']);
      const changed = codeOf(dispatching.harness.rpc.call(UpdateWebhook, { business_id: 1, id, url }));
      expect([url, await changed]).toEqual([url, 'VALIDATION_FAILED']);
    }
    expect((await dispatching.webhook(id)).url).toBe('https://hooks.example.com/');
    expect([dials(), canary.connections]).toEqual([[], 0]);
  });

  it('decision 54: a name with any private address is refused, a name that does not resolve is accepted', async () => {
    jest.spyOn(Resolver.prototype, 'resolve4').mockImplementation((async (name: string) => {
      if (name.startsWith('nowhere')) throw new Error('ENOTFOUND');
      return name.startsWith('inside') ? ['93.184.215.14', '10.0.0.1'] : ['93.184.215.14'];
    }) as never);
    jest.spyOn(Resolver.prototype, 'resolve6').mockRejectedValue(new Error('ENODATA'));
    await dispatching.run();
    const id = await dispatching.create({ url: 'https://outside.example.com/' });
    await dispatching.create({ url: 'https://nowhere.example.com/' });
    const refused = { error_code: 'VALIDATION_FAILED', extras: { details: [{ field: 'url', message: 'must be a public address' }] } };
    for (const url of ['https://inside.example.com/', 'https://kubernetes.default.svc/', 'https://db.internal/', 'https://intranet/']) {
      await expect(dispatching.create({ url })).rejects.toMatchObject(refused);
      await expect(dispatching.harness.rpc.call(UpdateWebhook, { business_id: 1, id, url })).rejects.toMatchObject(refused);
    }
    jest.restoreAllMocks();
    expect((await dispatching.webhook(id)).url).toBe('https://outside.example.com/');
    expect([dials(), canary.connections]).toEqual([[], 0]);
  });

  it('are not dialled by an event, a test or a redelivery if they are already stored', async () => {
    await dispatching.run();
    // PostgreSQL stores no NUL.
    const stored = urls.filter((url) => !url.includes('\0'));
    const ids = await dispatching.store(stored);
    await dispatching.harness.publish(sent(1));
    await dispatching.ended(stored.length);
    for (const [i, webhook_id] of ids.entries()) {
      const [delivery] = await dispatching.log(webhook_id);
      expect([stored[i], delivery]).toMatchObject([
        stored[i],
        { state: 'failed', response_code: null, reason: 'the address is not allowed', attempts: 1 },
      ]);
      await dispatching.harness.rpc.call(Redeliver, { business_id: 1, webhook_id, delivery_id: delivery?.id ?? 0 });
      await dispatching.harness.rpc.call(TestWebhook, { business_id: 1, webhook_id, event: null });
    }
    await dispatching.ended(2 * stored.length);
    for (const [i, webhook_id] of ids.entries()) {
      const log = await dispatching.log(webhook_id);
      const refused = { state: 'failed', reason: 'the address is not allowed' };
      expect([stored[i], log]).toMatchObject([
        stored[i],
        [
          { ...refused, attempts: 1 },
          { ...refused, attempts: 2 },
        ],
      ]);
      // Tests and redeliveries do not count (decision 34).
      expect((await dispatching.webhook(webhook_id)).fail_count).toBe(1);
    }
    expect([dials(), canary.connections]).toEqual([[], 0]);
  });

  it('are not dialled once they are no longer allowed', async () => {
    const before = await dispatching.run({ WEBHOOK_ALLOWED_TARGETS: '127.0.0.1,localhost' });
    const ids = [];
    for (const host of ['127.0.0.1', '127.1', 'localhost'])
      ids.push(await dispatching.create({ url: `http://${host}:${canary.port}/hook` }));
    await dispatching.harness.publish(sent(1));
    await dispatching.ended(3);
    expect(await dispatching.states()).toEqual({ succeeded: 3 });
    const reached = canary.connections;
    expect(reached).toBeGreaterThan(0);
    await before.stop();
    await dispatching.run();
    await dispatching.harness.publish(sent(2));
    for (const webhook_id of ids) {
      const { delivery_id } = await dispatching.harness.rpc.call(TestWebhook, { business_id: 1, webhook_id, event: null });
      expect(delivery_id).toBeGreaterThan(0);
      const first = (await dispatching.log(webhook_id)).at(-1);
      await dispatching.harness.rpc.call(Redeliver, { business_id: 1, webhook_id, delivery_id: first?.id ?? 0 });
    }
    await eventually(async () => (await dispatching.states())['failed'] === 9);
    expect(canary.connections).toBe(reached);
  });
});
