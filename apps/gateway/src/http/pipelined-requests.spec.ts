import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { GetConnection, ImportSuppressions, ListSuppressions, ListTemplates } from '@mgw/contracts';
import { EventTail } from '@mgw/events';
import { eventually } from '@mgw/testing';
import fastify from 'fastify';
import request from 'supertest';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { FairQueue } from './fair-queue';
import { closeWaitingResponses } from './response-end';

/** Requests in flight of one address: half of all. */
const PLACES = 8;
const ROWS = { rows: [{ phone: '12015550100', state: 'blocked', reason: 'x'.repeat(400) }] };
/** More than 64 kB, so that it waits for the turn of large bodies. */
const LARGE = JSON.stringify(ROWS).padEnd(70_000);
const IMPORT = '/api/client/suppressions/import';

describe('pipelined requests whose responses never get their connection (guarantees N1, N2)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  let other: Session;
  let otherBusiness: number;
  /** Ends the requests that hold up those behind them. */
  let release = () => {};
  let ended: Promise<void>;
  /** Their businesses. */
  let held: number[] = [];

  beforeAll(async () => {
    dashboard = await startDashboard({ maxConnections: 2 * PLACES, trustedProxies: ['127.0.0.1'] });
    await new Promise<void>((listening) => dashboard.visitor.server.listen(0, '127.0.0.1', listening));
    owner = await dashboard.session('owner', await dashboard.business());
    otherBusiness = await dashboard.business();
    other = await dashboard.session('owner', otherBusiness);
  });
  beforeEach(() => {
    held = [];
    ended = new Promise<void>((resolve) => (release = resolve));
    dashboard.neighbours.respond(GetConnection, async ({ business_id }) => {
      held.push(business_id);
      await ended;
      return { connection: null };
    });
  });
  afterEach(() => {
    release();
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    const { server } = dashboard.visitor;
    await new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    });
    await dashboard.close();
  });

  const get = (path: string, { token }: Session, address = '127.0.0.1') =>
    `GET ${path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${address}\r\ncookie: token=${token}\r\n\r\n`;
  const heldRequest = () => get('/api/client/me', owner);
  const largeImport = () =>
    `POST ${IMPORT} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncookie: token=${owner.token}\r\ncontent-length: ${LARGE.length}\r\n\r\n${LARGE}`;
  const connections = () => new Promise<number>((resolve) => dashboard.visitor.server.getConnections((_, count) => resolve(count)));

  /** Sends the requests on one connection, and closes it when they have begun and `whileOpen` has ended. */
  async function abandon(requests: string[], haveBegun: () => boolean, whileOpen?: () => Promise<unknown>) {
    const { port } = dashboard.visitor.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(requests.join(''));
    await eventually(haveBegun);
    await whileOpen?.();
    socket.destroy();
    await eventually(() => connections().then((count) => count === 0));
  }

  it('release their places among the requests in flight', async () => {
    await abandon(Array<string>(PLACES).fill(heldRequest()), () => held.length > 0);
    const another = other.get('/api/client/me').then(({ status }) => status);
    await eventually(() => held.includes(otherBusiness));
    await request(dashboard.visitor.server).get('/nothing').expect(404);
    release();
    expect(await another).toBe(200);
  });

  it('release the turn for large bodies to other businesses, even before the connection closes', async () => {
    let imported = 0;
    dashboard.neighbours.respond(ImportSuppressions, () => {
      imported += 1;
      return { added: 1, unchanged: 0 };
    });
    const another = () => other.raw(IMPORT, 'application/json', LARGE).expect(200);
    await abandon([get('/api/client/events/stream', owner), largeImport()], () => imported > 0, another);
  });

  it('drop large bodies that wait for their turn, and keep the turn until the handler has ended', async () => {
    let imported = 0;
    dashboard.neighbours.respond(ImportSuppressions, async () => {
      imported += 1;
      await ended;
      return { added: 1, unchanged: 0 };
    });
    const takes = jest.spyOn(FairQueue.prototype, 'take');
    await abandon([largeImport()], () => imported > 0);
    await abandon([largeImport(), largeImport(), largeImport()], () => takes.mock.calls.length === 4);
    await expect(takes.mock.results[3]?.value).rejects.toThrow('the caller disconnected');
    const another = other.raw(IMPORT, 'application/json', LARGE).then(({ status }) => status);
    const turn = await eventually(() => takes.mock.results[4]);
    const onTurn = jest.fn();
    void (turn.value as Promise<unknown>).then(onTurn);
    await request(dashboard.visitor.server).get('/nothing').expect(404);
    expect(onTurn).not.toHaveBeenCalled();
    release();
    expect(await another).toBe(200);
    expect(imported).toBe(2);
  });

  it('close their connection if a path behind another request cannot be decoded', async () => {
    const { port } = dashboard.visitor.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(`${heldRequest()}GET /%zz HTTP/1.1\r\nhost: x\r\n\r\n`);
    const [received] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [])]);
    expect(received).toBeUndefined();
  });

  it('release their places among the downloads of a business', async () => {
    const suppression = { phone: '12015550100', state: 'blocked' as const, reason: 'x'.repeat(500), since: new Date().toISOString() };
    const suppressions = Array.from({ length: 100 }, () => ({ ...suppression, source: 'dashboard' }));
    let pages = 0;
    dashboard.neighbours.respond(ListSuppressions, () => {
      pages += 1;
      return { suppressions, next_cursor: 'more' } as never;
    });
    const download = '/api/client/suppressions?format=csv';
    await abandon([heldRequest(), get(download, owner), get(download, owner)], () => held.length > 0 && pages > 4);
    dashboard.neighbours.respond(ListSuppressions, () => ({ suppressions: [], next_cursor: null }));
    await eventually(() => owner.get(download).then(({ status }) => status === 200));
  });

  it('decision 767: leave places for the template lists of other businesses', async () => {
    const thirdBusiness = await dashboard.business();
    const third = await dashboard.session('owner', thirdBusiness);
    const template = {
      ...{ id: 1, name: 'order', display_name: 'Order', content: 'x'.repeat(1024), category: 'UTILITY', language: 'en', variables: [] },
      ...{ components: [], header_type: null, header_text: null, footer_text: null, quality: null, rejected_reason: null },
      ...{ status: 'APPROVED', updated_at: '2026-01-02T03:04:05.678Z' },
    };
    const templates = Array<typeof template>(100).fill(template);
    const sync = { state: 'never' as const, started_at: null, finished_at: null, found: 0, problem: null };
    let lists = 0;
    dashboard.neighbours.respond(ListTemplates, ({ business_id, cursor }) => {
      if (cursor === null) lists += 1;
      const isLast = business_id === thirdBusiness && cursor !== null;
      return { templates, sync, next_cursor: isLast ? null : 'more' };
    });
    const list = '/api/client/templates';
    const four = (session: Session, address: string) =>
      Array<string>(4)
        .fill(get(list, session, address))
        .join('');
    await abandon(
      [four(owner, '203.0.113.7'), four(other, '203.0.113.8')],
      () => lists === 8,
      () => third.get(list).expect(200),
    );
  });

  it('release the places of live tails, and stop following events', async () => {
    let following = 0;
    const follow = EventTail.prototype.follow;
    jest.spyOn(EventTail.prototype, 'follow').mockImplementation(async function (this: EventTail, ...args) {
      const stop = await follow.apply(this, args);
      following += 1;
      return () => {
        following -= 1;
        stop();
      };
    });
    // A business may have 50 of them open.
    for (let i = 0; i < 8; i++) {
      const before = following;
      await abandon(Array<string>(8).fill(get('/api/client/events/stream', owner)), () => following >= before + 7);
    }
    expect(following).toBe(0);
    const { port } = dashboard.visitor.server.address() as AddressInfo;
    const leaving = new AbortController();
    const response = await fetch(`http://127.0.0.1:${port}/api/client/events/stream`, {
      headers: { cookie: `token=${owner.token}` },
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    leaving.abort();
  });
});

it.each(['GET', 'HEAD'])(
  'a response to %s whose connection closed while it waited sends its header and ends without harm',
  async (method) => {
    const server = fastify();
    closeWaitingResponses(server);
    const responses: ServerResponse[] = [];
    server.all('/', (_, reply) => {
      reply.hijack();
      responses.push(reply.raw);
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    try {
      const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
      socket.write(`GET / HTTP/1.1\r\nhost: x\r\n\r\n${method} / HTTP/1.1\r\nhost: x\r\n\r\n`);
      const waiting = await eventually(() => responses[1]);
      let closed = 0;
      waiting.on('close', () => (closed += 1));
      socket.destroy();
      await eventually(() => closed > 0);
      waiting.writeHead(200, { 'content-length': 0 });
      waiting.flushHeaders();
      waiting.end();
      // Node.js would end the process now.
      await new Promise(setImmediate);
      responses[0]?.end();
      await new Promise(setImmediate);
      expect(closed).toBe(1);
    } finally {
      await server.close();
    }
  },
);
