import { DeleteWebhook, GatewayError, ListConversations, ListMessages } from '@mgw/contracts';
import { NO_COUNTS } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';

const PAGE = { messages: [], next_cursor: null, cursors: [] };

describe('guarantees §10, N2: concurrent requests of the dashboard API', () => {
  let dashboard: Dashboard;
  let release: () => void;
  let running: number;

  beforeAll(async () => {
    dashboard = await startDashboard();
    // A held search would end at its deadline of 5 s, perhaps before a slow machine has handled the others.
    const call = dashboard.rpc.call.bind(dashboard.rpc);
    jest
      .spyOn(dashboard.rpc, 'call')
      .mockImplementation((operation, request, context) => call(operation, request, { ...context, deadlineAt: Date.now() + 600_000 }));
    dashboard.neighbours.respond(ListConversations, () => ({
      conversations: [],
      counts: NO_COUNTS,
      waiting_since: null,
      next_cursor: null,
    }));
  });
  beforeEach(() => {
    running = 0;
    const held = new Promise<void>((resolve) => (release = resolve));
    dashboard.neighbours.respond(ListMessages, async () => {
      running += 1;
      await held;
      return PAGE;
    });
  });
  afterEach(() => release());
  afterAll(() => dashboard.close());

  /** Statuses and bodies of a number of searches. */
  const search = (session: Session, count: number) =>
    Array.from({ length: count }, () =>
      session.get('/api/client/messages?q=x').then(({ status, headers, body }) => ({ status, headers, body: body as object })),
    );

  it('allows six per user; a further one waits and gets 429, without delaying a colleague or another business', async () => {
    const business = await dashboard.business();
    const [owner, colleague] = [await dashboard.session('owner', business), await dashboard.session('agent', business)];
    const outsider = await dashboard.session('owner', await dashboard.business());
    const searches = search(owner, 40);
    const first = await Promise.race(searches);
    expect(first.status).toBe(429);
    expect(first.headers['retry-after']).toBe('2');
    expect(first.body).toEqual({
      success: false,
      error: 'You have too many requests running at once. Try again in 2 seconds.',
      error_code: 'RATE_LIMITED',
      retry_after_seconds: 2,
    });
    await eventually(() => running >= 6);
    await colleague.get('/api/client/conversations').expect(200);
    await outsider.get('/api/client/conversations').expect(200);
    expect(running).toBe(6);
    release();
    const statuses = (await Promise.all(searches)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(6);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    await owner.get('/api/client/conversations').expect(200);
  });

  it('allows twelve per business, for any number of users', async () => {
    const business = await dashboard.business();
    const people = await Promise.all(Array.from({ length: 5 }, () => dashboard.session('agent', business)));
    const outsider = await dashboard.session('owner', await dashboard.business());
    const searches = people.flatMap((person) => search(person, 6));
    const first = await Promise.race(searches);
    expect(first.body).toMatchObject({ error: 'Your business has too many requests running at once. Try again in 2 seconds.' });
    await eventually(() => running >= 12);
    await outsider.get('/api/client/conversations').expect(200);
    expect(running).toBe(12);
    release();
    expect((await Promise.all(searches)).filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(12);
  });

  it('bounds what a client calls an idle page too', async () => {
    const owner = await dashboard.session('owner', await dashboard.business());
    const searches = Array.from({ length: 40 }, () =>
      owner
        .get('/api/client/messages?q=x')
        .set('x-unattended', '1')
        .then(({ status }) => status),
    );
    expect(await Promise.race(searches)).toBe(429);
    release();
    await Promise.all(searches);
  });

  it('bounds changes on their own, so that a flood of them holds few connections of a service', async () => {
    const business = await dashboard.business();
    const owner = await dashboard.session('owner', business);
    const outsider = await dashboard.session('owner', await dashboard.business());
    dashboard.neighbours.respond(DeleteWebhook, async () => {
      running += 1;
      await new Promise<void>((resolve) => waiting.push(resolve));
      return {};
    });
    const waiting: (() => void)[] = [];
    const deletions = Array.from({ length: 100 }, () => owner.delete('/api/client/webhooks/1').then(({ status }) => status));
    expect(await Promise.race(deletions)).toBe(429);
    await eventually(() => running === 12);
    await owner.get('/api/client/conversations').expect(200);
    const other = outsider.delete('/api/client/webhooks/2').then(({ status }) => status);
    await eventually(() => running === 13);
    dashboard.neighbours.respond(DeleteWebhook, () => ({}));
    for (const end of waiting) end();
    expect(await other).toBe(200);
    expect(new Set(await Promise.all(deletions))).toEqual(new Set([200, 429]));
  });

  it('a search that took too long gets 503 and the remedy', async () => {
    const owner = await dashboard.session('owner', await dashboard.business());
    dashboard.neighbours.respond(ListMessages, () => {
      throw new GatewayError('QUERY_TIMEOUT', 'The search took too long.');
    });
    const { body } = await owner.get('/api/client/messages?q=x').expect(503);
    expect(body).toEqual({ success: false, error: 'The search took too long.', error_code: 'QUERY_TIMEOUT' });
  });
});
