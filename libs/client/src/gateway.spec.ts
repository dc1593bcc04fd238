import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { Gateway, GatewayRefusal, type GatewayOptions } from './gateway';
import type { FileContent } from './transport';

// No test waits for a pause.
jest.mock('node:timers/promises', () => ({ setTimeout: jest.fn(() => Promise.resolve()) }));

interface Request {
  method: string;
  path: string;
  key: string | string[] | undefined;
  body: string;
}
type Respond = (response: ServerResponse) => void;
const json =
  (status: number, body: object, headers: Record<string, string> = {}): Respond =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const ok = json(200, { success: true });
const lost: Respond = (response) => void response.destroy();
const atOnce = { 'retry-after': '0' };
const limited = json(429, { error: 'Slow down.', retry_after_seconds: 0 }, atOnce);
const refused = (status: number, error_code: string, headers = atOnce) =>
  json(status, { success: false, error: 'No.', error_code }, headers);
const TEXT = { phone: '+1 201 555 0100', message: 'Hi' };
const BROADCAST = { name: 'Autumn', template_name: 'offer', csv: 'phone' };
const WEBHOOK = { name: 'CRM', url: 'https://crm.example.com', events: ['message.sent' as const] };

describe('the client library (decision 368)', () => {
  let server: Server;
  let gateway: Gateway;
  let options: GatewayOptions;
  let requests: Request[];
  let responses: Respond[];
  beforeAll(async () => {
    const receive = async (request: IncomingMessage, response: ServerResponse) => {
      const { method = '', url: path = '', headers } = request;
      requests.push({ method, path, key: headers['idempotency-key'], body: await text(request) });
      (responses.shift() ?? ok)(response);
    };
    server = createServer((request, response) => void receive(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    options = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'k' };
    gateway = new Gateway(options);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    [requests, responses] = [[], []];
    jest.mocked(setTimeout).mockClear();
  });

  it('repeats the Idempotency-Key of a send after a lost response, a limit and an outage', async () => {
    responses = [lost, limited, refused(500, 'PLATFORM_UNAVAILABLE'), ok];
    expect(await gateway.sendText(TEXT)).toEqual({ success: true });
    expect(requests).toHaveLength(4);
    expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
    await gateway.sendText(TEXT);
    expect(requests[4]?.key).not.toBe(requests[0]?.key);
    await gateway.sendText(TEXT, { idempotencyKey: 'mine' });
    expect(requests[5]).toEqual({ method: 'POST', path: '/api/v1/send-text', key: 'mine', body: JSON.stringify(TEXT) });
  });

  it.each<[string, Respond, string]>([
    ['an unclear outcome', refused(500, 'OUTCOME_UNKNOWN'), 'OUTCOME_UNKNOWN'],
    ['the daily cap', refused(429, 'DAILY_LIMIT_REACHED'), 'DAILY_LIMIT_REACHED'],
    ['a closed window', refused(400, 'WINDOW_CLOSED'), 'WINDOW_CLOSED'],
    ['a pause that is too long', json(429, { error: 'Slow down.' }, { 'retry-after': '61' }), 'RATE_LIMITED'],
    ['a response that is no JSON', (response) => void response.writeHead(404).end('<html>'), 'INTERNAL'],
  ])('throws at once for %s', async (_, respond, error_code) => {
    responses = [respond];
    const error = await gateway.sendText(TEXT).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(GatewayRefusal);
    expect(error).toMatchObject({ error_code });
    expect(requests).toHaveLength(1);
  });

  describe('a send whose first attempt is in flight (decision 715)', () => {
    const inFlight = refused(409, 'IDEMPOTENCY_IN_FLIGHT', { 'retry-after': '3' });

    it('waits for its end without using up retries, and returns its result', async () => {
      responses = [lost, ...Array<Respond>(8).fill(inFlight), limited, limited, ok];
      expect(await gateway.sendText(TEXT)).toEqual({ success: true });
      expect(requests).toHaveLength(12);
      expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
      expect(jest.mocked(setTimeout).mock.calls.filter(([ms]) => ms === 3_000)).toHaveLength(8);
    });

    let clock: { mockRestore(): void } | undefined;
    afterEach(() => clock?.mockRestore());
    /** Refusals with three seconds before each. */
    const forSeconds = (seconds: number) => {
      let now = 0;
      clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
      return Array.from({ length: seconds / 3 }, () => (response: ServerResponse) => {
        now += 3_000;
        inFlight(response);
      });
    };

    it('waits until the gateway has ended a send whose process died', async () => {
      responses = [...forSeconds(105), refused(409, 'OUTCOME_UNKNOWN')];
      await expect(gateway.sendText(TEXT)).rejects.toMatchObject({ error_code: 'OUTCOME_UNKNOWN' });
      expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
    });

    it('gives up when two minutes have passed, and at once without retries', async () => {
      responses = forSeconds(150);
      await expect(gateway.sendText(TEXT)).rejects.toMatchObject({ error_code: 'IDEMPOTENCY_IN_FLIGHT', retryAfterSeconds: 3 });
      expect(requests).toHaveLength(42);
      await expect(new Gateway({ ...options, retries: 0 }).sendText(TEXT)).rejects.toMatchObject({ status: 409 });
      expect(requests).toHaveLength(43);
    });
  });

  describe('each error of a keyed call has its idempotencyKey (decision 715)', () => {
    const once = () => new Gateway({ ...options, retries: 0 });
    const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error as { idempotencyKey?: string });

    it.each<[string, Respond]>([
      ['a refusal', refused(500, 'OUTCOME_UNKNOWN')],
      ['a lost response', lost],
      ['a success that is no JSON', (response) => void response.writeHead(200).end('<html>')],
    ])('after %s', async (_, respond) => {
      responses = [respond, respond];
      const sent = (await failure(once().sendText(TEXT))) as { idempotencyKey?: string };
      const created = (await failure(once().createBroadcast(BROADCAST))) as { idempotencyKey?: string };
      expect(requests.map(({ key }) => key)).toEqual([expect.any(String), expect.any(String)]);
      expect([sent.idempotencyKey, created.idempotencyKey]).toEqual(requests.map(({ key }) => key));
    });

    it('two calls that share a signal get one each, even if a caller aborts with a text', async () => {
      for (const reason of [undefined, 'enough', new TypeError('enough')]) {
        const stop = new AbortController();
        responses = [() => stop.abort(reason), () => undefined];
        const aborted = ['first', 'second'].map((idempotencyKey) =>
          failure(once().sendText(TEXT, { idempotencyKey, signal: stop.signal })),
        );
        expect(await Promise.all(aborted)).toMatchObject([{ idempotencyKey: 'first' }, { idempotencyKey: 'second' }]);
      }
      const error = await failure(once().sendText(TEXT, { signal: AbortSignal.abort() }));
      expect(error).toMatchObject({ name: 'AbortError', idempotencyKey: expect.any(String) as string });
    });

    it('the error of a call without a key has none', async () => {
      responses = [refused(400, 'VALIDATION_FAILED')];
      expect(await failure(once().templates())).not.toMatchObject({ idempotencyKey: expect.anything() as unknown });
    });
  });

  it('decision 785: creates a webhook again with the same key after a lost response', async () => {
    responses = [lost, refused(500, 'INTERNAL')];
    await gateway.createWebhook(WEBHOOK);
    const [first] = requests;
    expect(requests).toEqual([first, first, first]);
    expect(first).toMatchObject({ method: 'POST', path: '/api/v1/webhooks', key: expect.any(String) as string });
  });

  it('retries reads, and a write without a key only if it had no effect', async () => {
    responses = [lost, ok, limited, ok, lost];
    await gateway.webhooks();
    await gateway.pauseBroadcast(7);
    await expect(gateway.pauseBroadcast(7)).rejects.not.toBeInstanceOf(GatewayRefusal);
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'POST', 'POST']);
  });

  it.each<[string, () => FileContent, number]>([
    ['bytes', () => Buffer.from('file'), 2],
    ['a Blob', () => new Blob(['file']), 2],
    ['a stream of the web', () => new Blob(['file']).stream(), 1],
    ['a stream of Node.js', () => Readable.from([Buffer.from('file')]), 1],
    [
      'an async generator',
      async function* () {
        yield Buffer.from('file');
      },
      1,
    ],
  ])('uploads %s, and repeats only what it can read again', async (_, content, attempts) => {
    responses = [limited];
    const uploaded = gateway.uploadMedia(content(), { type: 'image/png' });
    if (attempts === 1) await expect(uploaded).rejects.toMatchObject({ error_code: 'RATE_LIMITED' });
    else await uploaded;
    expect(requests.map(({ body }) => body)).toEqual(Array(attempts).fill('file'));
  });

  it('gives up after its retries, and when it is aborted', async () => {
    responses = [limited, limited, limited, limited];
    await expect(gateway.health()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 0 });
    expect(requests).toHaveLength(4);
    await expect(gateway.health({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('types the result of a send by dry_run', async () => {
    const sent = await gateway.sendText(TEXT);
    const checked = await gateway.sendText({ ...TEXT, dry_run: true });
    const either = await gateway.sendText({ ...TEXT, dry_run: requests.length > 5 });
    // @ts-expect-error: only a send has an id.
    expect([sent.message_id, checked.would_send, checked.message_id]).toEqual([undefined, undefined, undefined]);
    expect('problems' in either && either.problems).toBe(false);
    const checkedBroadcast = await gateway.createBroadcast({ ...BROADCAST, dry_run: true });
    const made = await gateway.createBroadcast(BROADCAST);
    // @ts-expect-error: only a broadcast has an id.
    expect([made.id, checkedBroadcast.faults, checkedBroadcast.id]).toEqual([undefined, undefined, undefined]);
    // @ts-expect-error: an unknown field.
    await gateway.sendText({ ...TEXT, dry_rum: true });
  });

  it('encodes paths and queries', async () => {
    await gateway.messageStatus('wamid.a/b=');
    await gateway.messages({ direction: 'in', phone: '+1 201', limit: 10 });
    expect(requests.map(({ path }) => path)).toEqual([
      '/api/v1/message-status/wamid.a%2Fb%3D',
      '/api/v1/messages?direction=in&phone=%2B1+201&limit=10',
    ]);
  });

  it('has a method for each operation of the document', async () => {
    const document = JSON.parse(readFileSync(join(__dirname, '../../../docs/api/openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, object>>;
    };
    // For tools that only call a URL.
    const others = ['get /api/v1/quick-send'];
    const documented = Object.entries(document.paths)
      .filter(([path]) => path.startsWith('/api/v1/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
      .filter((operation) => !others.includes(operation));
    const inherited = ['constructor', 'get', 'write', 'send'];
    const methods = [...Object.getOwnPropertyNames(Gateway.prototype), ...Object.keys(gateway)].filter((name) => !inherited.includes(name));
    const all = gateway as unknown as Record<string, unknown>;
    for (const name of methods) {
      const method = all[name];
      if (typeof method === 'function') await (method as (...args: unknown[]) => Promise<object>).call(gateway, '1', {});
    }
    await gateway.events.list();
    const called = requests.map(({ method, path }) => `${method.toLowerCase()} ${path.split('?')[0]}`);
    const matches = (operation: string) => new RegExp(`^${operation.replace(/\{\w+\}/g, '[^/]+')}$`);
    expect(documented.filter((operation) => !called.some((one) => matches(operation).test(one)))).toEqual([]);
  });
});
