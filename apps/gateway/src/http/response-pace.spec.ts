import { connect, type AddressInfo, type Socket } from 'node:net';
import { eventually } from '@mgw/testing';
import { fastify } from 'fastify';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { paceResponses, ResponsePace } from './response-pace';

it('decision 799: the rate is kept after a burst, and a response that would wait too long gets none', () => {
  const pace = new ResponsePace({ each: 100, atOnce: 3 });
  const waits = (now: number, times: number) => Array.from({ length: times }, () => pace.next('a', now));
  expect(waits(100_000, 5)).toEqual([0, 0, 0, 10, 20]);
  expect(pace.next('b', 100_000)).toBe(0);
  expect(waits(100_010, 499).slice(-2)).toEqual([4_990, 5_000]);
  expect(waits(100_010, 2)).toEqual([null, null]);
  expect(waits(105_020, 2)).toEqual([0, 10]);
});

describe('decision 799: repeated refusals of one address (guarantees N2)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    dashboard = await startDashboard({ trustedProxies: ['127.0.0.1'] });
    await new Promise<void>((listening) => dashboard.visitor.server.listen(0, '127.0.0.1', listening));
    owner = await dashboard.session('owner', await dashboard.business());
    // The rate grants nothing more meanwhile.
    jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const socket of sockets.splice(0)) socket.destroy();
    await new Promise((closed) => dashboard.visitor.server.close(closed));
    await dashboard.close();
  });

  /** Sends requests of one address, eight on each connection. @returns the statuses of the responses, and the closed connections */
  function send(times: number, address: string, line = 'GET /nothing', headers = '') {
    const { port } = dashboard.visitor.server.address() as AddressInfo;
    const seen = { statuses: [] as string[], closed: 0 };
    for (let left = times; left > 0; left -= 8) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.on('data', (chunk) => seen.statuses.push(...(chunk.toString().match(/(?<=HTTP\/1\.1 )\d+/g) ?? [])));
      socket.once('close', () => (seen.closed += 1));
      const request = `${line} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${address}\r\n${headers}\r\n`;
      socket.write(request.repeat(Math.min(left, 8)));
      sockets.push(socket);
    }
    return seen;
  }

  it('wait, while other addresses and known callers of the same one get their responses', async () => {
    const first = send(500, '203.0.113.7');
    await eventually(() => first.statuses.length === 500);
    const waiting = send(300, '203.0.113.7');
    await eventually(() => waiting.statuses.length > 0);
    const stranger = send(1, '203.0.113.8');
    const caller = send(1, '203.0.113.7', 'GET /api/client/me', `cookie: token=${owner.token}\r\n`);
    await eventually(() => stranger.statuses.length + caller.statuses.length === 2);
    expect([stranger.statuses, caller.statuses]).toEqual([['404'], ['200']]);
    expect(waiting.statuses.length).toBeLessThan(300);
    await eventually(() => waiting.statuses.length === 300);
  });

  it('close their connections when hundreds wait', async () => {
    const first = send(500, '203.0.113.7');
    await eventually(() => first.statuses.length === 500);
    const second = send(504, '203.0.113.7');
    await eventually(() => second.closed > 0);
    expect(second.statuses.length).toBeLessThan(500);
  });
});

it('decision 799: refused callbacks of the platform never wait, because all businesses share its addresses', async () => {
  const server = fastify();
  paceResponses(server, '/callbacks');
  for (const path of ['/callbacks', '/other']) server.post(path, (_, reply) => reply.status(401).send());
  jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
  const post = (url: string) => server.inject({ method: 'POST', url });
  for (let sent = 0; sent < 1_001; sent += 1) expect((await post('/callbacks')).statusCode).toBe(401);
  for (let sent = 0; sent < 500; sent += 1) await post('/other');
  const order: string[] = [];
  await Promise.all(['/other', '/callbacks'].map((url) => post(url).then(() => order.push(url))));
  expect(order).toEqual(['/callbacks', '/other']);
  jest.restoreAllMocks();
  await server.close();
});
