import { once } from 'node:events';
import { connect, Socket, type AddressInfo } from 'node:net';
import { GetConnection } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { fastify } from 'fastify';
import request from 'supertest';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';
import { shareConnections } from './shares';

interface Client {
  socket: Socket;
  received: string;
}

describe('shares of connections and of requests in flight (guarantees N1, N2)', () => {
  let dashboard: Dashboard;
  let clients: Client[] = [];
  /** Ends the requests in flight. */
  let release = () => {};

  async function start(settings: Parameters<typeof startDashboard>[0]) {
    dashboard = await startDashboard(settings);
    await new Promise<void>((listening) => dashboard.visitor.server.listen(0, '127.0.0.1', listening));
  }
  afterEach(async () => {
    release();
    for (const { socket } of clients) socket.destroy();
    clients = [];
    await new Promise((closed) => dashboard.visitor.server.close(closed));
    await dashboard.close();
  });

  /** Starts requests that stay in flight, because their service does not respond. @returns their number */
  function holdRequests(): () => number {
    let held = 0;
    const ended = new Promise<void>((resolve) => (release = resolve));
    dashboard.neighbours.respond(GetConnection, async () => {
      held += 1;
      await ended;
      return { connection: null };
    });
    return () => held;
  }
  function open(bytes: string, localAddress = '127.0.0.1'): Client {
    const { port } = dashboard.visitor.server.address() as AddressInfo;
    const client: Client = { socket: connect({ port, host: '127.0.0.1', localAddress }), received: '' };
    client.socket.on('data', (chunk) => (client.received += chunk.toString())).on('error', () => undefined);
    client.socket.write(bytes);
    clients.push(client);
    return client;
  }

  it('closes connections of an address above its share, and accepts new ones when others end', async () => {
    await start({ maxConnectionsPerAddress: 2 });
    const held = [open(''), open('')];
    const count = () => new Promise<number>((resolve) => dashboard.visitor.server.getConnections((_, connections) => resolve(connections)));
    await eventually(() => count().then((connections) => connections === 2));
    const refused = open('GET /docs HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(refused.socket, 'close');
    expect(refused.received).toBe('');
    held[0]?.socket.destroy();
    await eventually(async () => {
      const taken = open('GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n');
      await Promise.race([once(taken.socket, 'data'), once(taken.socket, 'close')]);
      return taken.received.startsWith('HTTP/1.1 404 ');
    });
  });

  it('refuses requests of one client behind a trusted proxy above its share, and serves other clients', async () => {
    await start({ maxConnectionsPerAddress: 2, trustedProxies: ['127.0.0.1'] });
    const session = await dashboard.session('owner', await dashboard.business());
    const held = holdRequests();
    const requestFrom = (client: string) =>
      `GET /api/client/me HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${client}\r\ncookie: token=${session.token}\r\n\r\n`;
    open(requestFrom('203.0.113.7'));
    const greedy = open(requestFrom('203.0.113.7'));
    await eventually(() => held() === 2);
    const third = open(requestFrom('203.0.113.7'));
    await eventually(() => third.received.includes('}'));
    expect(third.received).toMatch(/^HTTP\/1.1 429 [^]*retry-after: 1\r\n[^]*RATE_LIMITED/);
    const other = open('GET /nothing HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 203.0.113.8\r\n\r\n');
    await eventually(() => other.received.startsWith('HTTP/1.1 404 '));
    // Refused requests behind a held one wait for its response.
    greedy.socket.write(requestFrom('203.0.113.7').repeat(20));
    await Promise.race([once(greedy.socket, 'close'), once(greedy.socket, 'data')]);
    expect(greedy.received).toBe('');
  });

  it('closes idle connections of the network with the most when networks use up all connections', async () => {
    await start({ maxConnections: 8, maxConnectionsPerAddress: 4 });
    let accepted = 0;
    dashboard.visitor.server.on('connection', () => (accepted += 1));
    for (const address of ['127.0.0.2', '127.0.0.3']) {
      // Some have never sent a request, and some have had their response.
      const used = Array.from({ length: 2 }, () => open('GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n', address));
      await eventually(() => used.every(({ received }) => received.includes('}')));
      open('', address);
      open('', address);
    }
    await eventually(() => accepted === 8);
    for (let n = 0; n < 3; n++) {
      const newcomer = open('GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n', '127.0.0.4');
      await Promise.race([once(newcomer.socket, 'data'), once(newcomer.socket, 'close')]);
      expect(newcomer.received).toMatch(/^HTTP\/1.1 404 /);
    }
  });

  it('closes a connection for each of many newcomers at once, and none for one that is refused', async () => {
    await start({ maxConnections: 128, maxConnectionsPerAddress: 64 });
    const { server } = dashboard.visitor;
    // All of them arrive before one has closed.
    const connectFrom = (address: string) => {
      const socket = new Socket();
      Object.defineProperty(socket, 'remoteAddress', { value: address });
      server.emit('connection', socket);
      return socket;
    };
    const held = Array.from({ length: 124 }, (_, n) => connectFrom(n < 64 ? '203.0.113.1' : '203.0.113.2'));
    const closed = () => held.filter(({ destroyed }) => destroyed).length;
    expect(connectFrom('203.0.113.1').destroyed).toBe(true);
    expect(closed()).toBe(0);
    const newcomers = ['203.0.113.3', '203.0.113.4', '203.0.113.5'].map(connectFrom);
    expect(newcomers.map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
    expect(closed()).toBe(3);
    for (const socket of [...held, ...newcomers]) socket.destroy();
  });

  it('leaves places of requests to a newcomer when networks take all that they can, and counts a /48 of IPv6 too', async () => {
    await start({ maxConnections: 8, maxConnectionsPerAddress: 4, trustedProxies: ['127.0.0.1'] });
    const session = await dashboard.session('owner', await dashboard.business());
    const held = holdRequests();
    const greedy = async (client: string, count: number) => {
      for (let n = 0; n < count; n++) {
        const before = held();
        const { socket, received } = open(
          `GET /api/client/me HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${client}\r\ncookie: token=${session.token}\r\n\r\n`,
        );
        const response = once(socket, 'data').then(([chunk]) => String(chunk));
        await Promise.race([response, eventually(() => held() > before)]);
        if (held() > before) continue;
        expect(received + (await response)).toMatch(/^HTTP\/1.1 429 /);
        socket.destroy();
        await once(socket, 'close');
      }
    };
    await greedy('2001:db8:0:1::1', 5);
    await greedy('2001:db8:0:2::1', 4);
    expect(held()).toBe(6);
    await greedy('2001:db8:0:3::1', 1);
    expect(held()).toBe(6);
    const other = open('GET /nothing HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 2001:db8:1::1\r\n\r\n');
    await eventually(() => other.received.startsWith('HTTP/1.1 404 '));
  });

  it('closes a connection that pipelines too many requests', async () => {
    await start({});
    const session = await dashboard.session('owner', await dashboard.business());
    const held = holdRequests();
    const greedy = open(`GET /api/client/me HTTP/1.1\r\nhost: x\r\ncookie: token=${session.token}\r\n\r\n`.repeat(50));
    await once(greedy.socket, 'close');
    expect(held()).toBeLessThanOrEqual(8);
    await request(dashboard.visitor.server).get('/nothing').expect(404);
  });
});

describe('the places of requests that are kept for newcomers (decision 739)', () => {
  it('ten networks that take all that they can leave places to several others', async () => {
    const server = fastify({ trustProxy: true });
    shareConnections(server, { trustedProxies: [], maxConnections: 320, maxConnectionsPerAddress: 160 });
    let onHeld = () => {};
    let release = () => {};
    const ended = new Promise<void>((resolve) => (release = resolve));
    server.get('/held', async () => {
      onHeld();
      await ended;
      return {};
    });
    const send = (address: string) => server.inject({ url: '/held', headers: { 'x-forwarded-for': address } });
    /** @returns whether the request got a place */
    const take = (address: string) =>
      new Promise<boolean>((resolve) => {
        onHeld = () => resolve(true);
        void send(address).then(() => resolve(false));
      });
    for (let n = 0; n < 10; n++) while (await take(`203.0.113.${n}`));
    for (const newcomer of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) expect(await take(newcomer)).toBe(true);
    release();
    await server.close();
  });
});
