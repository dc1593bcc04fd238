import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { SendText } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';
import { ApiKeysStore } from '../api-keys/api-keys.store';
import { PACE_EVERY_MS } from './read-body';

/** A client that writes raw bytes and collects the response. */
interface Client {
  socket: Socket;
  received: string;
  ended: boolean;
}
const OWN_ID = /\r\nx-request-id: [0-9a-f-]{36}\r\n/;

describe('connections of the public port (guarantees §9, decisions 3 and 10)', () => {
  let dashboard: Dashboard;
  let port: number;
  let token: string;
  beforeAll(async () => {
    // Connections of a proxy have no share, and none is closed for a new one.
    dashboard = await startDashboard({ maxConnections: 4, trustedProxies: ['127.0.0.1'] });
    const business_id = await dashboard.business();
    const fields = { business_id, name: 'CRM', permissions: ['*' as const], expires_at: null };
    ({ token } = await dashboard.db.transaction((tx) => dashboard.get(ApiKeysStore).add(tx, fields)));
    const { server } = dashboard.visitor;
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    port = (server.address() as AddressInfo).port;
  });
  let clients: Client[] = [];
  afterEach(async () => {
    for (const { socket } of clients) socket.destroy();
    await eventually(() => connections().then((count) => count === 0));
    clients = [];
  });
  afterAll(async () => {
    await new Promise((closed) => dashboard.visitor.server.close(closed));
    await dashboard.close();
  });

  const connections = () => new Promise<number>((resolve) => dashboard.visitor.server.getConnections((_, count) => resolve(count)));
  const open = (bytes: string): Client => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(bytes));
    const client: Client = { socket, received: '', ended: false };
    socket.on('data', (chunk) => (client.received += chunk.toString()));
    socket.on('error', () => undefined).on('end', () => (client.ended = true));
    clients.push(client);
    return client;
  };
  const sendBytes = async (bytes: string) => {
    const client = open(bytes);
    await eventually(() => client.received.includes('}'));
    return client.received;
  };

  it.each([
    ['a text of 1,900 characters in Hindi', 'न'.repeat(1_900)],
    ['the longest text, of emoji', '😀'.repeat(4_096)],
  ])('decision 10: quick-send accepts %s', async (_, text) => {
    let sentText = '';
    dashboard.neighbours.respond(SendText, (message) => {
      sentText = message.text;
      return { message_id: 'wamid.X', phone: message.to, replayed: false };
    });
    const path = `/api/v1/quick-send?phone=919876543210&message=${encodeURIComponent(text)}`;
    expect(await sendBytes(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
    expect(sentText).toBe(text);
  });

  it('decision 3: errors before routing have a cause, a request id, no-store and a link to their page', async () => {
    for (const [bytes, status, cause] of [
      ['NONSENSE\r\n\r\n', 400, 'not well-formed HTTP'],
      [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`, 431, 'larger than 64 kB'],
    ] as const) {
      const response = await sendBytes(bytes);
      expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*"success":false[^]*${cause}`));
      expect(response).toMatch(OWN_ID);
      expect(response).toContain('\r\ncache-control: no-store\r\n');
      expect(response).toContain('\r\nlink: </docs/errors/VALIDATION_FAILED>; rel="help"\r\n');
    }
  });

  it('decisions 2 and 3: requests that Node.js refuses by default get the common envelope', async () => {
    for (const [bytes, received] of [
      ['GET /nothing HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400 [^]*names no host/],
      ['GET /nothing HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\n\r\n', /^HTTP\/1.1 404 [^]*NOT_FOUND/],
      ['GET /nothing HTTP/1.0\r\n\r\n', /^HTTP\/1.1 404 [^]*NOT_FOUND/],
    ] as const) {
      const response = await sendBytes(bytes);
      expect(response).toMatch(received);
      expect(response).toMatch(OWN_ID);
    }
  });

  it('guarantees §9: a silent or endless request gets a response in time, and its connection is closed', async () => {
    const silent = open('');
    const dripping = open('GET / HTTP/1.1\r\n');
    const stuck = open(
      `POST /api/v1/send-text HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"phone":`,
    );
    const drip = setInterval(() => dripping.socket.writable && dripping.socket.write('a: b\r\n'), 200);
    // 15 s, and some more on a slow machine.
    await eventually(() => [silent, dripping, stuck].every(({ received }) => received.includes('}')), { timeoutMs: 45_000 });
    await eventually(() => connections().then((count) => count === 0));
    clearInterval(drip);
    for (const { received } of [silent, dripping, stuck]) {
      expect(received).toMatch(/^HTTP\/1.1 408 [^]*(was not complete|arrived too slowly)[^]* within \d+ seconds/);
      expect(received).toMatch(OWN_ID);
    }
  });

  it('guarantees §9: a body that arrived in time is accepted by a process that was too busy to read it', async () => {
    dashboard.neighbours.respond(SendText, ({ to }) => ({ message_id: 'wamid.X', phone: to, replayed: false }));
    const intervals = jest.spyOn(global, 'setInterval');
    const body = JSON.stringify({ phone: '919876543210', message: 'Hello' });
    const client = open(
      `POST /api/v1/send-text HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    await eventually(() => intervals.mock.calls.some(([, ms]) => ms === PACE_EVERY_MS));
    intervals.mockRestore();
    client.socket.write(body);
    // Nothing of this process runs for longer than a body may pause.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PACE_EVERY_MS + 100);
    await eventually(() => client.received.includes('}'));
    expect(client.received).toMatch(/^HTTP\/1.1 200 /);
  });

  it('guarantees §9: connections above the limit are closed, and accepted again when others end', async () => {
    const held = Array.from({ length: 4 }, () => open(''));
    await eventually(() => connections().then((count) => count === 4));
    const refused = open('GET /docs HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => refused.ended);
    expect(refused.received).toBe('');
    held[0]?.socket.destroy();
    await eventually(() => connections().then((count) => count === 3));
    expect(await sendBytes('GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n')).toMatch(/^HTTP\/1.1 404 /);
  });

  it('guarantees §8: a stop does not wait for a client that connected and sent nothing', async () => {
    const stopping = await startDashboard();
    const { server } = stopping.visitor;
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await Promise.all([once(client, 'connect'), once(server, 'connection')]);
    const closed = once(client, 'close');
    await stopping.close();
    await closed;
    await new Promise((done) => server.close(done));
  });
});
