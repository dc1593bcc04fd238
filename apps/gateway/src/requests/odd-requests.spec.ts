import {
  CheckBroadcast,
  CreateBroadcast,
  GetThread,
  GetTimeline,
  GetUsage,
  ListAutoReplies,
  ListBroadcasts,
  ListConversations,
  ListDeliveries,
  ListMessages,
  ListRecipients,
  ListSuppressions,
  TestWebhook,
} from '@mgw/contracts';
import { readCursor } from '@mgw/postgres';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';

const KEYS = '/api/client/api-keys';
const ZONED = ['2099-01-31T00:00Z', '2099-01-31T00:00:00.5Z', '2099-01-31T05:30:00+05:30', '2099-01-31T05:30:00+0530'];
const INVALID_TIMES = [
  '2099-W05-1T00:00Z',
  '20990131T000000Z',
  '2099-031T00:00Z',
  '2099-01-31T00:00:00,5Z',
  '2099-01-31T24:00:30Z',
  '2099-02-30T00:00:00Z',
  '2099-01-31',
  '2099-01-31T00:00:00',
  '+002099-01-31T00:00:00Z',
  '0000-01-01T00:00:00+05:00',
  '9999-12-31T23:59:59-05:00',
  'tomorrow',
];

/** Values that once caused a 500, or could have. */
describe('malformed requests to the dashboard and operator APIs (spec §10, §11; guarantees §9)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  let operator: Session;
  /** Requests that reached a service. */
  let requested: string[];

  beforeAll(async () => {
    dashboard = await startDashboard();
    owner = await dashboard.session('owner', await dashboard.business());
    operator = await dashboard.session('operator', null);
  });
  afterAll(() => dashboard.close());
  beforeEach(() => {
    requested = [];
    for (const op of [CheckBroadcast, CreateBroadcast, GetThread, GetTimeline, GetUsage, ListConversations, ListMessages, TestWebhook])
      dashboard.neighbours.respond(op, () => {
        requested.push(op.subject);
        throw new Error('not to be requested');
      });
  });

  it.each([
    ['messages?q=%00', 'q'],
    ['messages?q=a%1Bb', 'q'],
    ['messages?phone=%00', 'phone'],
    ['messages?cursor=%00', 'cursor'],
    ['conversations?q=%00', 'q'],
    ['conversations/1/messages?cursor=%00', 'cursor'],
    ['suppressions?cursor=%00', 'cursor'],
    ['suppressions/%00', 'phone'],
    ['usage?from=%00', 'from'],
    ['usage?to=0000-01-01', 'to'],
    ['usage?from=0000-12-31&to=2026-01-01', 'from'],
    ['usage?to=2026-02-30', 'to'],
  ])('decision 9: refuses GET %s with 400 that names %s', async (path, field) => {
    const { status, body } = await owner.get(`/api/client/${path}`);
    expect({ status, body: body as unknown }).toMatchObject({
      status: 400,
      body: { error_code: 'VALIDATION_FAILED', details: [{ field }] },
    });
    expect(requested).toEqual([]);
  });

  it('decision 758: refuses a name that is only spaces', async () => {
    const name = ' ';
    const person = { email: 'ben@kaveri.example', password: 'a long phrase to remember', role: 'agent' };
    for (const [caller, path, body] of [
      [owner, 'post /api/client/api-keys', { permissions: ['*'] }],
      [owner, 'patch /api/client/api-keys/1', {}],
      [owner, 'post /api/client/team', person],
      [owner, 'post /api/client/broadcasts', { template_name: 'order_update', csv: 'phone\n1' }],
      [owner, 'post /api/client/labels', { color: 'orange' }],
      [owner, 'put /api/client/labels/1', {}],
      [operator, 'post /api/admin/businesses', { plan: 'Growth' }],
      [operator, 'patch /api/admin/businesses/1', {}],
    ] as const) {
      const [method, url = ''] = path.split(' ') as ['post' | 'put' | 'patch', string];
      const response = await caller[method](url, { ...body, name });
      const details = [{ field: 'name', message: 'must not be blank' }];
      expect({ path, status: response.status, body: response.body as unknown }).toMatchObject({ path, status: 400, body: { details } });
    }
    const shortcut = { shortcut: name, text: 'Hello' };
    expect((await owner.post('/api/client/quick-replies', shortcut).expect(400)).body).toMatchObject({ details: [{ field: 'shortcut' }] });
    expect((await owner.patch('/api/client/conversations/1', { labels: [name] }).expect(400)).body).toMatchObject({
      details: [{ field: 'labels' }],
    });
    expect(requested).toEqual([]);
  });

  it('decision 49: every list refuses an invalid cursor with 400 that names it, however long it is', async () => {
    const read = ({ cursor }: { cursor: string | null }): never => {
      readCursor(cursor, ['id']);
      throw new Error('not to be requested');
    };
    const lists = [GetThread, ListAutoReplies, ListBroadcasts, ListConversations, ListDeliveries, ListMessages, ListRecipients];
    for (const list of [...lists, ListSuppressions]) dashboard.neighbours.respond(list as typeof ListBroadcasts, read);
    const { token } = await dashboard.apiKey();
    const { body: document } = await owner.get('/openapi.json').expect(200);
    const paths = Object.entries((document as { paths: Record<string, { get?: { parameters: { name: string }[] } }> }).paths)
      .filter(([, { get }]) => get?.parameters.some(({ name }) => name === 'cursor'))
      .map(([path]) => path.replace(/\{\w+\}/, '1'));
    expect(paths.length).toBeGreaterThan(10);
    // class-validator counts a character with its variation selector as one.
    const cursors = [...[1_500, 1_501, 4_000, 4_001].map((length) => 'A'.repeat(length)), '%E2%98%8E%EF%B8%8F'.repeat(2_500)];
    for (const path of paths) {
      const caller = path.startsWith('/api/admin/') ? operator : owner;
      for (const cursor of cursors) {
        const url = `${path}?cursor=${cursor}`;
        const { status, body } = await (path.startsWith('/api/v1/') ? owner.get(url).set('x-api-key', token) : caller.get(url));
        expect({ path, status, body: body as unknown }).toMatchObject({
          ...{ path, status: 400 },
          body: { error_code: 'VALIDATION_FAILED', details: [{ field: 'cursor' }] },
        });
      }
    }
  });

  it.each([
    ['put', '/api/client/settings', { business_id: 2, stop_words: [] }],
    ['put', '/api/client/auto-reply', { business_id: 2, enabled: true }],
    ['post', '/api/client/login', { email: 5, password: 'x' }],
    ['post', '/api/client/password', { token: 5, new_password: '1' }],
    ['post', '/api/client/team', { email: 'a@b.example', name: 'A', role: 'operator' }],
  ] as const)('guarantees §9: dry_run does not switch off the checks of %s %s', async (method, path, body) => {
    for (const dry_run of [true, '1']) expect((await owner[method](path, { ...body, dry_run })).status).toBe(400);
  });

  it('guarantees §9: dry_run does not switch off the checks of a query', async () => {
    for (const path of ['audit?user_id=x', 'messages?limit=9999', 'usage?from=x'])
      expect([path, (await owner.get(`/api/client/${path}&dry_run=1`)).status]).toEqual([path, 400]);
  });

  it.each(['messages/', 'messages/%00', 'messages/a%20b', 'messages/%F0%9F%91%8B', 'conversations/%00/messages'])(
    'decision 25: GET %s gets 404',
    async (path) => {
      const { status, body } = await owner.get(`/api/client/${path}`);
      expect({ status, body: body as unknown }).toMatchObject({ status: 404, body: { error_code: 'NOT_FOUND' } });
      expect(requested).toEqual([]);
    },
  );

  describe('spec §10, §11: times', () => {
    it.each(INVALID_TIMES)('refuses %s, which is no zoned time, with 400', async (time) => {
      const broadcast = { name: 'A', template_name: 'a', recipients: [{ phone: '+1 201 555 0100' }], scheduled_at: time };
      const responses = [
        ['expires_at', await owner.post(KEYS, { name: 'CRM', permissions: ['*'], expires_at: time })],
        ['expires_at', await operator.patch('/api/admin/api-keys/1', { expires_at: time })],
        ['scheduled_at', await owner.post('/api/client/broadcasts', broadcast)],
      ] as const;
      for (const [field, { status, body }] of responses)
        expect({ status, body: body as unknown }).toMatchObject({ status: 400, body: { details: [{ field }] } });
      expect(requested).toEqual([]);
    });

    it.each(ZONED)('accepts %s', async (time) => {
      await owner.post(KEYS, { name: 'CRM', permissions: ['*'], expires_at: time }).expect(200);
      const { body } = await owner.get(KEYS).expect(200);
      const times = (body as { api_keys: { expires_at: string }[] }).api_keys.map(({ expires_at }) => expires_at);
      expect(times).toContain(new Date(time).toISOString());
    });
  });

  it('spec §10: the test of a webhook needs no body', async () => {
    dashboard.neighbours.respond(TestWebhook, ({ event }) => {
      requested.push(String(event));
      return { delivery_id: 7 };
    });
    const path = '/api/client/webhooks/1/test';
    await owner.post(path, {}).expect(200);
    await owner.raw(path, 'application/json', '').expect(200);
    await owner.post(path, { event: 'message.sent' }).expect(200);
    expect(requested).toEqual(['null', 'null', 'message.sent']);
    await owner.raw(path, 'application/json', 'null').expect(400);
    await owner.raw(KEYS, 'application/json', '').expect(400);
    // Writes need a content type (spec §10).
    await owner.bare(path).expect(415);
  });
});
