import { connect, type AddressInfo, type Socket } from 'node:net';
import { SendText } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';
import { ApiKeysStore } from '../api-keys/api-keys.store';

/** A client that writes what it likes and keeps what it is told. */
interface Client {
  socket: Socket;
  told: string;
  ended: boolean;
}
const OWN_ID = /\r\nx-request-id: [0-9a-f-]{36}\r\n/;

describe('connections of the public port (guarantees §9, product decisions 3 and 10)', () => {
  let dashboard: Dashboard;
  let port: number;
  let token: string;
  beforeAll(async () => {
    dashboard = await startDashboard({ maxConnections: 4 });
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
    const client: Client = { socket, told: '', ended: false };
    socket.on('data', (chunk) => (client.told += chunk.toString()));
    socket.on('error', () => undefined).on('end', () => (client.ended = true));
    clients.push(client);
    return client;
  };
  const ask = async (bytes: string) => {
    const client = open(bytes);
    await eventually(() => client.told.includes('}'));
    return client.told;
  };

  it.each([
    ['a text of 1,900 characters in Hindi', 'न'.repeat(1_900)],
    ['the longest text, of emoji', '😀'.repeat(4_096)],
  ])('decision 10: quick-send carries %s', async (_, text) => {
    let asked = '';
    dashboard.neighbours.answer(SendText, (message) => {
      asked = message.text;
      return { message_id: 'wamid.X', phone: message.to, replayed: false };
    });
    const path = `/api/v1/quick-send?phone=919876543210&message=${encodeURIComponent(text)}`;
    expect(await ask(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
    expect(asked).toBe(text);
  });

  it('decision 3, friendliness F5: what comes before any route is answered with its cause, a request id, no-store and a link to its page', async () => {
    for (const [bytes, status, cause] of [
      ['NONSENSE\r\n\r\n', 400, 'not well-formed HTTP'],
      [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`, 431, 'larger than 64 kB'],
    ] as const) {
      const answer = await ask(bytes);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*"success":false[^]*${cause}`));
      expect(answer).toMatch(OWN_ID);
      expect(answer).toContain('\r\ncache-control: no-store\r\n');
      expect(answer).toContain('\r\nlink: </docs/errors/VALIDATION_FAILED>; rel="help"\r\n');
    }
  });

  it('decisions 2 and 3: what Node.js would answer without a word is answered like anything else', async () => {
    for (const [bytes, told] of [
      ['GET /nothing HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400 [^]*names no host/],
      ['GET /nothing HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\n\r\n', /^HTTP\/1.1 404 [^]*NOT_FOUND/],
      ['GET /nothing HTTP/1.0\r\n\r\n', /^HTTP\/1.1 404 [^]*NOT_FOUND/],
    ] as const) {
      const answer = await ask(bytes);
      expect(answer).toMatch(told);
      expect(answer).toMatch(OWN_ID);
    }
  });

  it('guarantees §9: whoever says nothing, or never ends, is told so in time and let go, also if it stays', async () => {
    const silent = open('');
    const dripping = open('GET / HTTP/1.1\r\n');
    const stuck = open(
      `POST /api/v1/send-text HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"phone":`,
    );
    const drip = setInterval(() => dripping.socket.writable && dripping.socket.write('a: b\r\n'), 200);
    // Of 15 s, and room for a busy machine.
    await eventually(() => [silent, dripping, stuck].every(({ told }) => told.includes('}')), { timeoutMs: 25_000 });
    await eventually(() => connections().then((count) => count === 0));
    clearInterval(drip);
    for (const { told } of [silent, dripping, stuck]) {
      expect(told).toMatch(/^HTTP\/1.1 408 [^]*(did not come whole|arrived too slowly)[^]* within \d+ seconds/);
      expect(told).toMatch(OWN_ID);
    }
  }, 40_000);

  it('guarantees §9: more connections than the ceiling are closed at once, and taken again when others end', async () => {
    const held = Array.from({ length: 4 }, () => open(''));
    await eventually(() => connections().then((count) => count === 4));
    const refused = open('GET /docs HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => refused.ended);
    expect(refused.told).toBe('');
    held[0]?.socket.destroy();
    await eventually(() => connections().then((count) => count === 3));
    expect(await ask('GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n')).toMatch(/^HTTP\/1.1 404 /);
  });
});
