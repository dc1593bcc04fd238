import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { eventually, httpServerCode, startReceiver, startThreadServer, type Receiver } from '@mgw/testing';
import { GraphClient } from './graph-client';
import { textMessage } from './message-request';

const target = { phoneNumberId: '700100200300401', accessToken: 'token-of-the-test' };
const message = textMessage('919000055501', 'hello', 'intent-1');
const inTime = () => Date.now() + 10_000;
const yes = JSON.stringify({
  contacts: [{ input: '+919000055501', wa_id: '919000055501' }],
  messages: [{ id: 'wamid.A==', message_status: 'accepted' }],
});
const no = (code: number, extra = {}) => JSON.stringify({ error: { code, message: 'words', ...extra } });

describe('calls to the platform (guarantees §1, S2)', () => {
  let platform: Receiver;
  let client: GraphClient;
  beforeEach(async () => {
    platform = await startReceiver();
    client = new GraphClient({ baseUrl: platform.url, version: 'v26.0' });
  });
  afterEach(async () => {
    await platform.close();
    await client.close();
  });
  const respondWith = (...list: [number, string, Record<string, string>?][]) => {
    let turn = 0;
    platform.respond((_, response) => {
      const [status, body, headers] = list[Math.min(turn++, list.length - 1)] ?? [200, yes];
      response.writeHead(status, headers).end(body);
    });
  };
  const send = (deadlineAt = inTime()) => client.sendMessage(target, message, deadlineAt);

  it('posts to the pinned version with the bearer token and is accepted', async () => {
    respondWith([200, yes]);
    expect(await send()).toEqual({
      kind: 'accepted',
      messageId: 'wamid.A==',
      waId: '919000055501',
      userId: null,
      messageStatus: 'accepted',
    });
    const [request] = platform.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/v26.0/700100200300401/messages' });
    expect(request?.headers).toMatchObject({ authorization: 'Bearer token-of-the-test', 'content-type': 'application/json' });
    expect(JSON.parse(request?.body ?? '')).toEqual(message);
  });

  it('stops calls for a number after ten failures, and not for another number (guarantees §8)', async () => {
    respondWith([502, '<html>']);
    for (let i = 0; i < 10; i++) expect((await send()).kind).toBe('unknown');
    expect(await send()).toEqual({ kind: 'unreached', problem: 'it has not responded for a while' });
    expect(platform.requests).toHaveLength(10);
    expect((await client.sendMessage({ ...target, phoneNumberId: '701' }, message, inTime())).kind).toBe('unknown');
  });

  it('counts refusals as responses: they stop no calls', async () => {
    respondWith([400, no(131026)]);
    for (let i = 0; i < 12; i++) expect((await send()).kind).toBe('refused');
  });

  it('keeps connections alive', async () => {
    const sockets = new Set<unknown>();
    platform.respond((_, response) => {
      sockets.add(response.socket);
      response.end(yes);
    });
    for (let i = 0; i < 5; i++) await send();
    expect(sockets.size).toBeLessThan(5);
  });

  it('ignores an invalid id of a person', async () => {
    respondWith([200, JSON.stringify({ ...JSON.parse(yes), contacts: [{ wa_id: '91\u0000', user_id: 'x'.repeat(5000) }] })]);
    expect(await send()).toMatchObject({ kind: 'accepted', waId: null, userId: null });
  });

  it('never retries a definite refusal', async () => {
    respondWith([400, no(131026)]);
    expect(await send()).toMatchObject({ kind: 'refused', refusal: { platformCode: 131026, retry: 'never' } });
    expect(platform.requests).toHaveLength(1);
  });

  it('retries a refusal that may pass at once', async () => {
    respondWith([500, no(131016)], [500, no(131016)], [200, yes]);
    expect((await send()).kind).toBe('accepted');
    expect(platform.requests).toHaveLength(3);
  });

  it('stops after three calls', async () => {
    respondWith([503, no(131016)]);
    expect(await send()).toMatchObject({ kind: 'refused', refusal: { errorCode: 'PLATFORM_UNAVAILABLE' } });
    expect(platform.requests).toHaveLength(3);
  });

  it('returns a long Retry-After at once instead of waiting beyond the deadline', async () => {
    respondWith([429, no(130429), { 'retry-after': '30' }]);
    expect(await send()).toMatchObject({ kind: 'refused', refusal: { errorCode: 'PLATFORM_THROTTLED', retryAfterSeconds: 30 } });
    expect(platform.requests).toHaveLength(1);
  });

  it.each([
    ['a bare 502', 502, '<html>Bad Gateway</html>'],
    ['a bare 504', 504, ''],
    ['a bare 500', 500, 'oops'],
    ['a 408', 408, ''],
    ['a success that is not JSON', 200, '<html>'],
    ['a success without messages', 200, '{"messaging_product":"whatsapp"}'],
    ['a success with an empty list', 200, '{"messages":[]}'],
    ['a success whose id has a line break', 200, '{"messages":[{"id":"wamid.A\\nB"}]}'],
    ['a success whose id is endless', 200, JSON.stringify({ messages: [{ id: 'x'.repeat(513) }] })],
    ['a redirect', 302, ''],
  ])('reports an unknown outcome after %s and never retries (decision 41)', async (_, status, body) => {
    respondWith([status, body]);
    expect((await send()).kind).toBe('unknown');
    expect(platform.requests).toHaveLength(1);
  });

  it('takes a client error without a Graph body as a refusal', async () => {
    respondWith([413, '<html>Too large</html>']);
    expect(await send()).toMatchObject({ kind: 'refused', refusal: { errorCode: 'PLATFORM_REFUSED', platformCode: null } });
  });

  it('decision 695: reads a response that arrived in time before it judges that none did', async () => {
    const server = await startThreadServer(httpServerCode(yes));
    const slow = new GraphClient({ baseUrl: `http://127.0.0.1:${server.address}`, version: 'v26.0' });
    const outcome = slow.sendMessage(target, message, Date.now() + 5_000);
    await eventually(() => server.hasRequest());
    await server.standStill(5_500);
    expect(await outcome).toMatchObject({ kind: 'accepted', messageId: 'wamid.A==' });
    await Promise.all([slow.close(), server.stop()]);
  });

  it('reports an unknown outcome when no response arrives in time, and ends the call', async () => {
    let cut = false;
    platform.respond((_, response) => void response.on('close', () => (cut = true)));
    expect(await send(Date.now() + 200)).toMatchObject({ kind: 'unknown', problem: 'no response in time' });
    await eventually(() => cut);
    expect(platform.requests).toHaveLength(1);
  });

  it('decision 51: one call has 15 seconds, however long its caller waits', async () => {
    platform.respond(() => undefined);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      let outcome: unknown;
      const sent = send(Date.now() + 60_000).then((ended) => (outcome = ended));
      await eventually(() => platform.requests.length === 1);
      await jest.advanceTimersByTimeAsync(14_900);
      expect(outcome).toBeUndefined();
      await jest.advanceTimersByTimeAsync(200);
      expect(await sent).toEqual({ kind: 'unknown', problem: 'no response in time' });
    } finally {
      jest.useRealTimers();
    }
  });

  it('guarantees §10, N1: reports an unknown outcome when the response is too large', async () => {
    respondWith([200, JSON.stringify({ ...JSON.parse(yes), padding: 'x'.repeat(70_000) })]);
    expect(await send()).toMatchObject({ kind: 'unknown', problem: 'the response was too large' });
  });

  it('reports an unknown outcome when the connection is reset after the request was written', async () => {
    platform.respond((_, response) => response.socket?.resetAndDestroy());
    expect((await send()).kind).toBe('unknown');
    expect(platform.requests).toHaveLength(1);
  });

  it('reports an unknown outcome when the response is incomplete', async () => {
    platform.respond((_, response) => {
      response.writeHead(200, { 'content-length': '500' });
      response.write(yes, () => response.destroy());
    });
    expect((await send()).kind).toBe('unknown');
  });
});

describe('a platform that cannot be reached: nothing was written (guarantees §1, S2)', () => {
  const outcomeAt = async (baseUrl: string, deadlineAt = Date.now() + 1_500) => {
    const client = new GraphClient({ baseUrl, version: 'v26.0', connectTimeoutMs: 1_000 });
    const outcome = await client.sendMessage(target, message, deadlineAt);
    await client.close();
    return outcome;
  };
  const listen = async (onConnection: (socket: Socket) => void): Promise<{ server: Server; port: number }> => {
    const server = createServer(onConnection);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { server, port: (server.address() as AddressInfo).port };
  };

  it('reports a refused connection as unreached', async () => {
    const { server, port } = await listen(() => {});
    await new Promise((resolve) => server.close(resolve));
    expect(await outcomeAt(`http://127.0.0.1:${port}`)).toEqual({ kind: 'unreached', problem: 'ECONNREFUSED' });
  });

  it('retries a refused connection', async () => {
    const { server, port } = await listen(() => {});
    await new Promise((resolve) => server.close(resolve));
    const outcome = outcomeAt(`http://127.0.0.1:${port}`, Date.now() + 10_000);
    const late = createServer((socket) => {
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(yes)}\r\n\r\n${yes}`));
    }).listen(port, '127.0.0.1');
    expect((await outcome).kind).toBe('accepted');
    late.close();
  });

  it('reports an unknown host name as unreached', async () => {
    expect((await outcomeAt('http://no-such-platform.invalid')).kind).toBe('unreached');
  });

  it('reports a failed TLS handshake as unreached', async () => {
    const { server, port } = await listen((socket) => {
      // A socket that nobody reads stays open.
      socket.on('error', () => {}).resume();
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    expect((await outcomeAt(`https://127.0.0.1:${port}`)).kind).toBe('unreached');
    server.close();
  });

  it('writes nothing when the deadline passes before the connection is open (S6)', async () => {
    const received: string[] = [];
    const open = new Set<Socket>();
    const { server, port } = await listen((socket) => {
      open.add(socket);
      socket.on('error', () => {}).on('data', (chunk) => received.push(chunk.toString('latin1')));
    });
    const client = new GraphClient({ baseUrl: `http://127.0.0.1:${port}`, version: 'v26.0', connections: 1 });
    const first = client.sendMessage(target, textMessage('1', 'first', 'i1'), Date.now() + 600);
    // The first call holds the only connection, so this one waits until its deadline.
    const second = await client.sendMessage(target, textMessage('1', 'second', 'i2'), Date.now() + 200);
    expect(second).toEqual({ kind: 'unreached', problem: 'no response in time' });
    expect((await first).kind).toBe('unknown');
    await client.close();
    expect(received.join('')).not.toContain('second');
    open.forEach((socket) => socket.destroy());
    server.close();
  });

  it('writes nothing in a process that was suspended beyond the deadline while the connection opened (S6)', async () => {
    const platform = await startReceiver();
    const client = new GraphClient({ baseUrl: platform.url, version: 'v26.0' });
    const outcome = client.sendMessage(target, message, Date.now() + 50);
    await new Promise((resolve) => process.nextTick(resolve));
    for (const end = Date.now() + 100; Date.now() < end;);
    expect(await outcome).toEqual({ kind: 'unreached', problem: 'no response in time' });
    await client.close();
    expect(platform.requests).toEqual([]);
    await platform.close();
  });
});

describe('reads (platform §3)', () => {
  let platform: Receiver;
  let client: GraphClient;
  beforeEach(async () => {
    platform = await startReceiver();
    client = new GraphClient({ baseUrl: `${platform.url}/graph/`, version: 'v26.0' });
  });
  afterEach(async () => {
    await platform.close();
    await client.close();
  });
  const account = { businessAccountId: '800900100200301', accessToken: 'token-of-the-test' };
  const template = (name: string) => ({
    id: '4410029917735582',
    name,
    language: 'en',
    status: 'APPROVED',
    category: 'UTILITY',
    components: [],
  });

  it('reads every page of templates, an empty one too, until next is absent', async () => {
    const pages: Record<string, object> = {
      none: { data: [template('a')], paging: { cursors: { after: 'p1' }, next: 'https://x' } },
      p1: { data: [], paging: { cursors: { after: 'p=2' }, next: 'https://x' } },
      'p=2': { data: [template('b')], paging: { cursors: { after: 'p3' } } },
    };
    platform.respond(({ path }, response) => {
      response.end(JSON.stringify(pages[new URL(path, platform.url).searchParams.get('after') ?? 'none']));
    });
    expect(await client.listTemplates(account, inTime())).toEqual({ kind: 'ok', value: [template('a'), template('b')] });
    expect(platform.requests[0]?.path).toMatch(/^\/graph\/v26\.0\/800900100200301\/message_templates\?/);
  });

  it('returns no partial list', async () => {
    platform.respond(({ path }, response) => {
      const isFirst = !path.includes('after=');
      if (isFirst) response.end(JSON.stringify({ data: [template('a')], paging: { cursors: { after: 'p1' }, next: 'https://x' } }));
      else response.writeHead(500).end(no(131016));
    });
    expect(await client.listTemplates(account, inTime())).toMatchObject({ kind: 'refused', refusal: { platformCode: 131016 } });
  });

  it('ends with a platform that repeats a page for ever', async () => {
    platform.respond((_, response) => {
      response.end(JSON.stringify({ data: [template('a')], paging: { cursors: { after: 'same' }, next: 'https://x' } }));
    });
    expect((await client.listTemplates(account, inTime())).kind).toBe('ok');
    expect(platform.requests).toHaveLength(2);
  });

  it('reads a phone number with its health', async () => {
    platform.respond((_, response) => response.end(JSON.stringify({ id: target.phoneNumberId, status: 'CONNECTED' })));
    expect(await client.getPhoneNumber(target, inTime())).toEqual({ kind: 'ok', value: { id: target.phoneNumberId, status: 'CONNECTED' } });
    expect(platform.requests[0]?.path).toContain('health_status');
  });

  it('distinguishes a refused token from an outage', async () => {
    platform.respond((_, response) => response.writeHead(401).end(no(190, { error_subcode: 463 })));
    expect(await client.getPhoneNumber(target, inTime())).toMatchObject({ kind: 'refused', refusal: { sideEffect: 'connection-problem' } });
    platform.respond((_, response) => response.writeHead(502).end('<html>'));
    expect((await client.getPhoneNumber(target, inTime())).kind).toBe('unavailable');
  });
});
