import type { ServerResponse } from 'node:http';
import { eventually, httpServerCode, startRawReceiver, startReceiver, startThreadServer, type Receiver } from '@mgw/testing';
import { Egress } from './egress';
import { EgressRules } from './rules';

const open = new Egress(new EgressRules({ allowedTargets: ['127.0.0.1', 'localhost'], ports: [443] }));
const closed = new Egress(new EgressRules({ allowedTargets: [], ports: [443] }));

describe('calls to customers (guarantees §5, spec §6.1)', () => {
  let receiver: Receiver;
  beforeEach(async () => (receiver = await startReceiver()));
  afterEach(() => receiver.close());
  const post = (url: string, timeoutMs = 5_000, egress = open) =>
    egress.post({ url, headers: { 'content-type': 'application/json' }, body: '{"a":1}', timeoutMs });

  it('posts the exact bytes and returns the status', async () => {
    receiver.respond((_, response) => void response.writeHead(201).end());
    expect(await post(`${receiver.url}/hook?x=1`)).toEqual({ kind: 'responded', status: 201 });
    expect(receiver.requests[0]).toMatchObject({ method: 'POST', path: '/hook?x=1', body: '{"a":1}' });
  });

  it('does not call an address that the rules refuse', async () => {
    expect(await post(`${receiver.url}/hook`, 5_000, closed)).toEqual({ kind: 'refused' });
    expect(receiver.requests).toHaveLength(0);
  });

  it('follows no redirect', async () => {
    receiver.respond((_, response) => void response.writeHead(302, { location: `${receiver.url}/other` }).end());
    expect(await post(receiver.url)).toEqual({ kind: 'responded', status: 302 });
    expect(receiver.requests).toHaveLength(1);
  });

  it('waits for the status line up to the timeout, and not for the body', async () => {
    receiver.respond(() => undefined);
    expect(await post(receiver.url, 200)).toEqual({ kind: 'timeout' });
    receiver.respond((_, response) => void response.writeHead(200).write('never ends'));
    expect(await post(receiver.url)).toEqual({ kind: 'responded', status: 200 });
  });

  it('decision 695: reads a response that arrived in time before it judges that none did', async () => {
    const server = await startThreadServer(httpServerCode('ok'));
    const result = post(`http://127.0.0.1:${server.address}/`, 5_000);
    await eventually(() => server.hasRequest());
    await server.standStill(5_500);
    expect(await result).toEqual({ kind: 'responded', status: 200 });
    await server.stop();
  });

  it.each([
    ['a short text', (response: ServerResponse) => response.end('Grüße'), 'Grüße'],
    ['nothing', (response: ServerResponse) => response.end(), ''],
    ['a long text', (response: ServerResponse) => response.end(`x${'é'.repeat(5_000)}`), `x${'é'.repeat(1_023)}`],
    ['a text that never ends', (response: ServerResponse) => response.write('begun'), 'begun'],
    ['a text that is cut', (response: ServerResponse) => response.write('half', () => response.destroy()), 'half'],
  ])('returns the beginning of a body of %s if it is wanted, within a second', async (_, respond, excerpt) => {
    receiver.respond((_request, response) => void respond(response.writeHead(500)));
    const call = { url: receiver.url, headers: {}, body: '{}', timeoutMs: 5_000 };
    expect(await open.post(call, (status) => status === 500)).toEqual({ kind: 'responded', status: 500, excerpt });
    expect(await open.post(call, (status) => status !== 500)).toEqual({ kind: 'responded', status: 500 });
  });

  it('D6: ends a TLS handshake that hangs at the timeout', async () => {
    const mute = await startRawReceiver();
    const aLongOne = post(`https://127.0.0.1:${mute.port}/`, 60_000);
    let ended = false;
    void aLongOne.then(() => (ended = true));
    expect(await post(`https://127.0.0.1:${mute.port}/`, 200)).toEqual({ kind: 'timeout' });
    expect(ended).toBe(false);
    await mute.close();
    expect(await aLongOne).toEqual({ kind: 'unreachable' });
  });

  it('sends nothing when the caller may no longer send, before or after connecting', async () => {
    const maySend = (results: boolean[]) => () => results.shift() ?? false;
    const call = { url: receiver.url, headers: {}, body: '{}', timeoutMs: 5_000 };
    expect(await open.post({ ...call, maySend: maySend([]) })).toEqual({ kind: 'cut_off' });
    expect(await open.post({ ...call, maySend: maySend([true]) })).toEqual({ kind: 'cut_off' });
    expect(receiver.requests).toHaveLength(0);
    expect(await open.post({ ...call, maySend: () => true })).toMatchObject({ status: 200 });
  });

  it('reports a cut or refused connection as unreachable', async () => {
    receiver.respond((_, response) => void response.destroy());
    expect(await post(receiver.url)).toEqual({ kind: 'unreachable' });
    await receiver.close();
    expect(await post(receiver.url)).toEqual({ kind: 'unreachable' });
    const lapsing = [true];
    const call = { url: receiver.url, headers: {}, body: '{}', timeoutMs: 5_000, maySend: () => lapsing.shift() ?? false };
    expect(await open.post(call)).toEqual({ kind: 'unreachable' });
    receiver = await startReceiver();
  });

  it('stops reading endless interim responses, and times out', async () => {
    let written = 0;
    const flooding = await startRawReceiver((socket) => {
      const more = () => {
        written += 1;
        if (!socket.destroyed) socket.write('HTTP/1.1 103 Early Hints\r\n\r\n', () => setImmediate(more));
      };
      more();
    });
    let result: unknown;
    const ended = post(`http://127.0.0.1:${flooding.port}/`, 3_000).then((end) => (result = end));
    await eventually(() => flooding.connections === 1 && flooding.open === 0);
    expect([result, written < 10_000]).toEqual([undefined, true]);
    expect(await ended).toEqual({ kind: 'timeout' });
    await flooding.close();
  });

  it('abandons a connection that is still opening when its call ends', async () => {
    const mute = await startRawReceiver();
    expect(await post(`https://127.0.0.1:${mute.port}/`, 200)).toEqual({ kind: 'timeout' });
    await eventually(() => mute.open === 0);
    await mute.close();
  });
});
