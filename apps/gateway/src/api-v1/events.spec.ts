import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BusinessChanged, FindNewestEvents, ListEvents, type FeedPage, type Permission, type Plan, type RequestOf } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';
import { KeyCache } from '../access/key-cache';
import { EventFeedService } from '../events/event-feed.service';

const POLLERS = 1_000;
const BUSINESSES = 20;

describe('GET /api/v1/events (decisions 350, 351)', () => {
  let dashboard: Dashboard;
  let url: string;
  /** The newest number of each business, as the dispatcher has it. */
  const newest = new Map<number, number>();
  let read: RequestOf<typeof ListEvents>[] = [];
  let looks = 0;

  beforeAll(async () => {
    // Waiting callers take half of the connections.
    dashboard = await startDashboard({ maxConnections: 3 * POLLERS, maxConnectionsPerAddress: 3 * POLLERS });
    await dashboard.db.query('UPDATE access.limits SET global_per_minute = 100000');
    const { server } = dashboard.visitor;
    // Callers wait longer than usual, and reuse each other's connections, so none may be closed as silent.
    server.setTimeout(0);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/events`;
    dashboard.neighbours.respond(ListEvents, (request) => {
      read.push(request);
      return page(newest.get(request.business_id) ?? 0, request.after ?? 0);
    });
    dashboard.neighbours.respond(FindNewestEvents, ({ business_ids }) => {
      looks += 1;
      return { newest: business_ids.map((id) => newest.get(id) ?? 0) };
    });
  });
  afterAll(() => dashboard.close());
  beforeEach(() => ([read, looks] = [[], 0]));

  /** The one event that is newer than `after`. */
  const page = (seq: number, after: number): FeedPage => ({
    events:
      seq > after ? [{ seq, event_id: `message.sent:${seq}`, event: 'message.sent', timestamp: '2026-01-02T03:04:05.678Z', data: {} }] : [],
    next_after: Math.max(seq, after),
    oldest: 1,
    gap: false,
  });
  const key = (permissions: Permission[] = ['read_messages'], plan: Plan = 'Growth') => dashboard.apiKey({ permissions, plan });
  const poll = async ({ token }: { token: string }, query: string, signal?: AbortSignal) => {
    const response = await fetch(`${url}?${query}`, { headers: { 'x-api-key': token }, ...(signal && { signal }) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('responds at once with the page of the dispatcher, to a key with read_messages, on every plan', async () => {
    const caller = await key(['read_messages'], 'Starter');
    const { business_id } = caller;
    newest.set(business_id, 7);
    expect(await poll(caller, '')).toEqual({ status: 200, body: { success: true, ...page(7, 0) } });
    expect(await poll(caller, 'after=6&limit=5&types=message.sent,ai.replied,message.sent&wait=25')).toMatchObject({ status: 200 });
    expect(await poll(caller, 'after=7')).toEqual({ status: 200, body: { success: true, ...page(7, 7) } });
    expect(read).toEqual([
      { business_id, limit: 100 },
      { business_id, limit: 5, after: 6, types: ['ai.replied', 'message.sent'] },
      { business_id, limit: 100, after: 7 },
    ]);
    const refused = await poll(await key(['send_text']), '');
    expect(refused).toMatchObject({ status: 403, body: { error_code: 'PERMISSION_DENIED' } });
  });

  it.each([
    ['after', '-1'],
    ['after', '1.5'],
    ['after', '9999999999999999'],
    ['limit', '0'],
    ['limit', '101'],
    ['types', 'message.exploded'],
    ['types', 'message.sent,'],
    ['wait', '26'],
    ['wait', 'forever'],
  ])('refuses %s=%s and names it', async (field, value) => {
    expect(await poll(await key(), `${field}=${value}`)).toMatchObject({
      status: 400,
      body: { error_code: 'VALIDATION_FAILED', details: [{ field }] },
    });
  });

  it('a thousand callers wait together for the price of one request, and each gets the next event', async () => {
    const callers = await Promise.all(Array.from({ length: BUSINESSES }, () => key()));
    const feed = dashboard.get(EventFeedService);
    // The first caller still waits when the last one begins, however long a slow machine takes to start them all.
    const readFeed = feed.read.bind(feed);
    const endless = jest.spyOn(feed, 'read').mockImplementation((request, _waitMs, gone) => readFeed(request, 600_000, gone));
    /** A busy gateway refuses a poll as retryable; its caller polls again. */
    const pollForEvent = async (caller: (typeof callers)[number]): Promise<unknown[]> => {
      const { status, body } = await poll(caller, 'after=0&wait=25');
      if (status === 200) return body['events'] as unknown[];
      expect(body).toMatchObject(status === 429 ? { retry_after_seconds: expect.any(Number) as number } : { retryable: true });
      return pollForEvent(caller);
    };
    const polls: Promise<unknown[]>[] = [];
    while (polls.length < POLLERS) {
      polls.push(...callers.map(pollForEvent));
      await eventually(() => feed.waitingCallers === polls.length);
    }
    // While all wait, three looks for news read no page.
    const [pages, looked] = [read.length, looks];
    await eventually(() => looks >= looked + 3);
    expect([feed.waitingCallers, read.length]).toEqual([POLLERS, pages]);
    for (const { business_id } of callers) newest.set(business_id, 1);
    const received = await Promise.all(polls);
    endless.mockRestore();
    expect(received.filter((events) => events.length === 1)).toHaveLength(POLLERS);
    expect(feed.waitingCallers).toBe(0);
  });

  it('does not wait for a caller that leaves while its key is looked up', async () => {
    const caller = await key();
    const find = KeyCache.prototype.find;
    let proceed = (): void => {};
    const held = new Promise<void>((resolve) => (proceed = resolve));
    const finds = jest.spyOn(KeyCache.prototype, 'find').mockImplementation(async function (this: KeyCache, ...args) {
      await held;
      return find.apply(this, args);
    });
    const feed = jest.spyOn(EventFeedService.prototype, 'read');
    let response: ServerResponse | undefined;
    dashboard.visitor.server.once('request', (_, leaving: ServerResponse) => (response = leaving));
    const leaving = new AbortController();
    const left = poll(caller, 'after=0&wait=25', leaving.signal).catch(() => 'left');
    await eventually(() => finds.mock.calls.length === 1);
    leaving.abort();
    expect(await left).toBe('left');
    await eventually(() => response?.destroyed);
    proceed();
    await eventually(() => feed.mock.calls.length === 1);
    expect(feed.mock.calls[0]?.[2].aborted).toBe(true);
    jest.restoreAllMocks();
  });

  it.each([
    ['a revoked key', 401, 'INVALID_API_KEY', 'UPDATE access.api_keys SET revoked_at = now() WHERE business_id = $1'],
    ['an expired key', 401, 'INVALID_API_KEY', 'UPDATE access.api_keys SET expires_at = now() WHERE business_id = $1'],
    ['another address', 403, 'IP_NOT_ALLOWED', `UPDATE access.api_keys SET allowed_ips = '{203.0.113.7}' WHERE business_id = $1`],
    ['a suspended business', 403, 'BUSINESS_SUSPENDED', 'UPDATE access.businesses SET suspended_at = now() WHERE id = $1'],
  ])('a wait delivers nothing if it ends with %s', async (_, status, error_code, change) => {
    const caller = await key();
    const waiting = poll(caller, 'after=0&wait=25');
    await eventually(() => dashboard.get(EventFeedService).waitingCallers === 1);
    await dashboard.db.query(change, [caller.business_id]);
    dashboard.rpc.announce(BusinessChanged, { business_id: caller.business_id });
    await eventually(async () => (await poll(caller, '')).status === status);
    newest.set(caller.business_id, 1);
    const { body, ...refused } = await waiting;
    expect({ ...refused, ...body }).toMatchObject({ status, error_code });
    expect(body).not.toHaveProperty('events');
  });

  it('ends a wait after its seconds, when the caller leaves, when the database was restored, and when the gateway stops', async () => {
    const caller = await key();
    newest.set(caller.business_id, 5);
    const feed = dashboard.get(EventFeedService);
    expect((await poll(caller, 'after=5&wait=1')).body).toEqual({ success: true, ...page(5, 5) });
    const leaving = new AbortController();
    const left = poll(caller, 'after=5&wait=25', leaving.signal).catch(() => 'left');
    await eventually(() => feed.waitingCallers === 1);
    leaving.abort();
    expect(await left).toBe('left');
    await eventually(() => feed.waitingCallers === 0);
    const restored = poll(caller, 'after=5&wait=25');
    await eventually(() => feed.waitingCallers === 1);
    dashboard.neighbours.respond(ListEvents, () => ({ ...page(3, 2), gap: true }));
    newest.set(caller.business_id, 3);
    expect((await restored).body).toEqual({ success: true, ...page(3, 2), gap: true });
    dashboard.neighbours.respond(ListEvents, () => page(3, 3));
    const stopped = poll(caller, 'after=3&wait=25');
    await eventually(() => feed.waitingCallers === 1);
    feed.beforeApplicationShutdown();
    expect((await stopped).body).toEqual({ success: true, ...page(3, 3) });
    expect((await poll(caller, 'after=3&wait=25')).status).toBe(200);
  });
});
