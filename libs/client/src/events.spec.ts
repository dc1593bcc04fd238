import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Gateway, GatewayRefusal, type FeedPage } from '.';

// No test waits for a pause.
jest.mock('node:timers/promises', () => ({ setTimeout: jest.fn(() => Promise.resolve()) }));

describe('events of the client', () => {
  let server: Server;
  let urls: string[] = [];
  /** Responds to the first request, the second, and so on. */
  let responders: RequestListener[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      urls.push(request.url ?? '');
      (responders.shift() ?? hold)(request, response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  afterAll(() => server.closeAllConnections());
  afterAll((done) => void server.close(done));
  beforeEach(() => ([urls, responders] = [[], []]));

  const hold: RequestListener = () => undefined;
  const json =
    (body: object, status = 200, headers = {}): RequestListener =>
    (_, response) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const page = (seqs: number[], more: Partial<FeedPage> = {}) =>
    json({
      success: true,
      events: seqs.map((seq) => ({ seq, event_id: `e${seq}`, event: 'message.sent', timestamp: '', data: {} })),
      next_after: seqs.at(-1),
      oldest: 1,
      gap: false,
      ...more,
    });
  const events = () => new Gateway({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'k', retries: 0 }).events;
  const busy = json({ error: 'busy' }, 429, { 'retry-after': '0' });

  it('lists a page, and reports a refusal', async () => {
    responders = [page([3]), json({ error: 'no such key' }, 401)];
    const found = await events().list({ after: 2, types: ['message.sent', 'ai.replied'], limit: 5, wait: 1 });
    expect([found.events[0]?.seq, found.next_after]).toEqual([3, 3]);
    expect(urls).toEqual(['/api/v1/events?after=2&limit=5&wait=1&types=message.sent%2Cai.replied']);
    await expect(events().list()).rejects.toThrow(GatewayRefusal);
  });

  it('follows through cut responses, limits and failures, from its position, until the signal aborts', async () => {
    const cut: RequestListener = (_, response) => response.writeHead(200).write('{', () => response.destroy());
    responders = [page([8, 9]), cut, busy, json({ error: 'starting' }, 503, { 'retry-after': '0' }), page([10])];
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const { seq } of events().follow({ after: 7, signal: stop.signal })) {
      seen.push(seq);
      if (seq === 10) stop.abort();
    }
    expect(seen).toEqual([8, 9, 10]);
    expect(urls.map((url) => new URL(url, 'http://x').searchParams.get('after'))).toEqual(['7', '9', '9', '9', '9']);
  });

  it('gives a response that waits for an event its time, whatever the timeout of other calls', async () => {
    const timeouts = jest.spyOn(AbortSignal, 'timeout');
    const { port } = server.address() as AddressInfo;
    const hasty = new Gateway({ url: `http://127.0.0.1:${port}`, apiKey: 'k', timeoutSeconds: 2 }).events;
    responders = [page([1]), page([1]), page([1]), page([1])];
    await hasty.follow().next();
    for (const options of [{ wait: 1 }, { wait: 0 }, {}]) await hasty.list(options);
    expect(timeouts.mock.calls).toEqual([[35_000], [11_000], [2_000], [2_000]]);
    timeouts.mockRestore();
  });

  it('decision 708: ends a call after its time, even after a garbage collection', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { port } = server.address() as AddressInfo;
    const hasty = new Gateway({ url: `http://127.0.0.1:${port}`, apiKey: 'k', timeoutSeconds: 1, retries: 0 }).events;
    responders = [(_, response) => response.writeHead(200).write('{')];
    const collecting = setInterval(collect, 100);
    await expect(hasty.list()).rejects.toThrow(/timeout/);
    clearInterval(collecting);
  });

  it('decision 351: begins requests two seconds apart, unless a page is full or the last request has waited longer', async () => {
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    jest.mocked(setTimeout).mockClear();
    const full = Array.from({ length: 100 }, (_, i) => i + 1);
    const slow =
      (ms: number, respond: RequestListener): RequestListener =>
      (request, response) => {
        now += ms;
        respond(request, response);
      };
    responders = [page(full), page([101]), slow(500, page([102])), slow(2_000, page([103])), page([], { next_after: 103 }), page([104])];
    const stop = new AbortController();
    for await (const { seq } of events().follow({ signal: stop.signal })) if (seq === 104) stop.abort();
    expect(jest.mocked(setTimeout).mock.calls.map(([ms]) => ms)).toEqual([2_000, 1_500, 2_000, 2_000]);
    clock.mockRestore();
  });

  it('throws when the gateway refuses or events are lost, unless the caller accepts the gap', async () => {
    const gap = page([20], { gap: true, oldest: 20 });
    responders = [json({ error: 'no permission' }, 403), gap, gap];
    const first = async (options = {}) =>
      (
        await events()
          .follow({ after: 7, ...options })
          .next()
      ).value;
    await expect(first()).rejects.toThrow('no permission');
    await expect(first()).rejects.toThrow('events after 7 are no longer kept; the oldest is 20');
    const onGap = jest.fn();
    expect(await first({ onGap })).toMatchObject({ seq: 20 });
    expect(onGap).toHaveBeenCalledTimes(1);
  });
});
