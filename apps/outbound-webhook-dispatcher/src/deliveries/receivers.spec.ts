import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { eventually, startRawReceiver, type RawReceiver } from '@mgw/testing';
import { sent, startDispatching, type Dispatching } from './dispatch.fixture';

interface Kind {
  kind: string;
  /** @param elsewhere an address that is not allowed */
  respond: (socket: Socket, elsewhere: string) => unknown;
  code: number | null;
  /** The reason in the log; null after a success. */
  reason: string | null;
  https?: boolean;
}

const withLength = (head: string, body = '') => `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const writes = (text: string | Buffer) => (socket: Socket) => socket.write(text);
const status = (code: number): Kind => ({
  kind: `${code}`,
  respond: (socket, elsewhere) => socket.write(withLength(`HTTP/1.1 ${code} Whatever\r\nLocation: ${elsewhere}`)),
  code,
  reason: code === 200 ? null : `responded ${code} instead of 200`,
});
const success = (kind: string, respond: Kind['respond']): Kind => ({ kind, respond, code: 200, reason: null });
const unreachable = (kind: string, respond: Kind['respond']): Kind => ({ kind, respond, code: null, reason: 'could not be reached' });
const tooLate = (kind: string, respond: Kind['respond'], https = false): Kind => ({
  kind,
  respond,
  code: null,
  reason: 'no response within 5 seconds',
  https,
});

/** Writes without end, each chunk after the previous one has left. */
function endlessly(socket: Socket, piece: Buffer): void {
  const more = () => !socket.destroyed && socket.write(piece, () => setImmediate(more));
  more();
}

/** Writes one byte every 20 ms without end. */
function drip(socket: Socket, byteAt: (n: number) => string): void {
  let n = 0;
  const timer = setInterval(() => socket.write(byteAt(n++)), 20);
  socket.once('close', () => clearInterval(timer));
}

const BOMB = gzipSync(Buffer.alloc(10 * 1024 * 1024));

/** These end by themselves, before any limit. */
const ENDING: Kind[] = [
  ...[200, 201, 202, 204, 206, 300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 410, 429, 500, 502, 503, 999].map(status),
  success('a response of HTTP/1.0', (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nthanks')),
  success('200 after early hints', writes(`HTTP/1.1 103 Early Hints\r\n\r\n${withLength('HTTP/1.1 200 OK')}`)),
  success('200 and an endless body', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    endlessly(socket, Buffer.from(`4000\r\n${'x'.repeat(0x4000)}\r\n`));
  }),
  success('200 and a body that never comes', writes('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n')),
  success('200 and a body that is cut', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')),
  success('200 and broken chunks', writes('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n')),
  success('200 and a gzip bomb', (socket) =>
    socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${BOMB.length}\r\n\r\n`), BOMB])),
  ),
  unreachable('a connection that is reset', (socket) => socket.resetAndDestroy()),
  unreachable('a connection that is closed without a word', (socket) => socket.end()),
  unreachable('a status line that is cut', (socket) => socket.end('HTTP/1.1 200')),
  unreachable('headers that are cut', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le')),
  unreachable('another protocol', writes('SSH-2.0-OpenSSH_9.6\r\n')),
  unreachable('noise', writes(Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 7) % 256)))),
  unreachable('a status that is no number', writes(withLength('HTTP/1.1 OK OK'))),
  unreachable('a megabyte of headers', writes(withLength(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(1024 * 1024)}`))),
  unreachable('ten thousand headers', writes(withLength(`HTTP/1.1 200 OK${'\r\nX-Many: 1'.repeat(10_000)}`))),
  unreachable('two lengths that differ', writes('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n')),
  unreachable(
    'an unrequested upgrade to another protocol',
    writes('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  ),
  unreachable('an unrequested 100', writes(`HTTP/1.1 100 Continue\r\n\r\n${withLength('HTTP/1.1 200 OK')}`)),
];

/** These never end, so their tests shorten the limit. A slow machine must be able to write a request within it. */
const HANGING: Kind[] = [
  tooLate('never responds', () => undefined),
  tooLate('drips its status line', (socket) => drip(socket, (n) => 'HTTP/1.1 200 OK'[n] ?? 'K')),
  tooLate('drips its headers', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    drip(socket, (n) => 'X-Slow: 1\r\n'[n % 11] ?? '');
  }),
  tooLate('sends 1xx for ever', (socket) => endlessly(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'))),
  tooLate('never ends the TLS handshake', () => undefined, true),
];

describe.each([
  ['that end by themselves', ENDING, {}],
  ['that never end', HANGING, { WEBHOOK_ANSWER_WITHIN_MS: '5000' }],
] as const)('receivers %s (spec §3.4, §6.1, decision 31; guarantees §4, D2, D4, D6)', (_, kinds, env) => {
  let dispatching: Dispatching;
  let canary: RawReceiver;
  const receivers: RawReceiver[] = [];
  const ids: number[] = [];

  // All at once, each as the only webhook of its business.
  beforeAll(async () => {
    dispatching = await startDispatching(env);
    canary = await startRawReceiver();
    await dispatching.run();
    for (const [i, { respond, https }] of kinds.entries()) {
      const receiver = await startRawReceiver((socket) => void respond(socket, `http://127.0.0.1:${canary.port}/`));
      receivers.push(receiver);
      ids.push(await dispatching.create({ business_id: i + 1, url: `${https ? 'https' : 'http'}://127.0.0.1:${receiver.port}/hook` }));
    }
    await dispatching.harness.db.query('UPDATE dispatch.webhooks SET fail_count = 5');
    await dispatching.harness.publish(...kinds.map((_kind, i) => sent(1, { business_id: i + 1 })));
    await dispatching.ended(kinds.length);
  });
  afterAll(async () => {
    await dispatching.harness.close();
    await Promise.all([canary, ...receivers].map((receiver) => receiver.close()));
  });

  it.each(kinds.map((kind, i) => [kind.kind, kind, i] as const))('%s', async (_kind, { code, reason, https }, i) => {
    const business_id = i + 1;
    const id = ids[i] as number;
    const succeeded = reason === null;
    expect(await dispatching.log(id, business_id)).toEqual([
      expect.objectContaining({
        event: 'message.sent',
        event_id: `message.sent:wamid.${business_id}.1`,
        state: succeeded ? 'succeeded' : 'failed',
        response_code: code,
        reason,
        attempts: 1,
        duration_ms: expect.any(Number) as number,
      }),
    ]);
    expect(await dispatching.webhook(id, business_id)).toMatchObject({
      fail_count: succeeded ? 0 : 6,
      last_triggered_at: expect.any(String) as string,
      is_active: 1,
    });
    expect(receivers[i]).toMatchObject({ connections: 1 });
    if (!https) expect(receivers[i]?.requests).toHaveLength(1);
  });

  it('follows no redirect and stops reading every response', async () => {
    expect(canary.connections).toBe(0);
    await eventually(() => receivers.every(({ open }) => open === 0));
  });
});
