import {
  CheckConnection,
  CountTemplates,
  GatewayError,
  GetCallbackTimes,
  GetConnection,
  ListTemplates,
  notConnected,
  SetConnection,
  SyncTemplates,
  type Connection,
  type RequestOf,
} from '@mgw/contracts';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';

describe('the connection and its templates (spec §10)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  let agent: Session;
  let business_id: number;

  beforeAll(async () => {
    dashboard = await startDashboard({ publicUrl: 'https://gateway.example' });
    business_id = await dashboard.business({ name: 'Chai Point', plan: 'Pro' });
    owner = await dashboard.session('owner', business_id);
    agent = await dashboard.session('agent', business_id);
  });
  beforeEach(() => dashboard.neighbours.reset());
  afterAll(() => dashboard.close());

  const stored = (change: Partial<Connection> = {}): Connection => ({
    business_id,
    phone_number_id: '111',
    business_account_id: '222',
    access_token_sealed: dashboard.sealer.seal('EAA-token', `connection.access_token:${business_id}`),
    app_secret_sealed: dashboard.sealer.seal('app-secret', `connection.app_secret:${business_id}`),
    previous_app_secret_sealed: null,
    verify_token_sealed: dashboard.sealer.seal('paste-me', `connection.verify_token:${business_id}`),
    status: 'problem',
    checked_at: '2026-01-02T03:04:05.678Z',
    problem: 'the token has expired',
    restriction: null,
    ...change,
  });

  it('spec §10: GET shows ids, status, verify token and callback URL, but no secret', async () => {
    const number = {
      display_phone_number: '+91 98765 43210',
      verified_name: 'Kaveri Looms',
      quality_rating: 'GREEN',
      messaging_limit: 'TIER_10K',
      throughput: 'STANDARD',
    };
    dashboard.neighbours.respond(GetConnection, () => ({ connection: stored({ number }) }));
    const response = await owner.get('/api/client/connection').expect(200);
    expect(response.body).toEqual({
      ...number,
      phone_number_id: '111',
      business_account_id: '222',
      verify_token: 'paste-me',
      status: 'problem',
      checked_at: '2026-01-02T03:04:05.678Z',
      problem: 'the token has expired',
      callback_url: 'https://gateway.example/webhooks/whatsapp',
    });
  });

  it('decision 720: GET shows a connection whose verify token does not open, without the token', async () => {
    dashboard.neighbours.respond(GetConnection, () => ({ connection: stored({ verify_token_sealed: 'test.damaged' }) }));
    const response = await owner.get('/api/client/connection').expect(200);
    expect(response.body).toMatchObject({ phone_number_id: '111', verify_token: null });
  });

  it('spec §10: GET without a connection still shows the callback URL', async () => {
    const response = await owner.get('/api/client/connection').expect(200);
    expect(response.body).toMatchObject({
      status: 'not_connected',
      phone_number_id: null,
      callback_url: 'https://gateway.example/webhooks/whatsapp',
    });
  });

  it('spec §10: PUT passes on only the secrets of the request, sealed for their column', async () => {
    const requested: RequestOf<typeof SetConnection>[] = [];
    dashboard.neighbours.respond(SetConnection, (request) => {
      requested.push(request);
      return { connection: stored() };
    });
    const ids = { phone_number_id: '111', business_account_id: '222' };
    const response = await owner.put('/api/client/connection', { ...ids, access_token: 'EAA-new', app_secret: null }).expect(200);
    expect(response.text).not.toMatch(/EAA|sealed/);
    expect(Object.keys(requested[0] ?? {}).sort()).toEqual([
      'access_token_sealed',
      'business_account_id',
      'business_id',
      'phone_number_id',
    ]);
    expect(dashboard.sealer.open(requested[0]?.access_token_sealed ?? '', `connection.access_token:${business_id}`)).toBe('EAA-new');
    const audit = await dashboard.db.query<{ row: string; secrets: string[] }>(
      `SELECT a::text AS row, detail -> 'secrets' AS secrets FROM access.audit a WHERE action = 'connection.set'`,
    );
    expect(audit.map(({ secrets }) => secrets)).toEqual([['access_token']]);
    expect(audit[0]?.row).not.toContain('EAA');
  });

  it.each([
    [{ phone_number_id: 111 }, 'phone_number_id'],
    [{ phone_number_id: '+91 111' }, 'phone_number_id'],
    [{ business_account_id: '' }, 'business_account_id'],
    [{ access_token: '' }, 'access_token'],
    [{ app_secret: 5 }, 'app_secret'],
    [{ status: 'connected' }, 'status'],
  ])('decisions 6, 7: PUT refuses %j with 400', async (body, field) => {
    const response = await owner.put('/api/client/connection', { phone_number_id: '1', business_account_id: '2', ...body }).expect(400);
    expect(response.body).toMatchObject({ success: false, error_code: 'VALIDATION_FAILED', details: [{ field }] });
  });

  it.each([
    ['connected', true],
    ['unchecked', false],
    ['problem', false],
  ] as const)('spec §10: me shows a connection with status %s as whatsapp_connected %j', async (status, whatsapp_connected) => {
    dashboard.neighbours.respond(GetConnection, () => ({ connection: stored({ status }) }));
    const response = await owner.get('/api/client/me').expect(200);
    expect(response.body).toEqual({
      user: { id: owner.id, email: owner.email, name: 'Owner', role: 'owner' },
      business: {
        ...{ id: business_id, name: 'Chai Point', plan: 'Pro', timezone: 'Asia/Kolkata', broadcast_daily_limit: 20_000 },
        whatsapp_connected,
      },
    });
  });

  it('spec §10: me does not fail with the template service; an operator has no business', async () => {
    dashboard.neighbours.respond(GetConnection, () => {
      throw new GatewayError('INTERNAL', 'no');
    });
    const response = await owner.get('/api/client/me').expect(200);
    expect(response.body).toMatchObject({ business: { whatsapp_connected: null } });
    const operator = await (await dashboard.session('operator', null)).get('/api/client/me').expect(200);
    expect(operator.body).toMatchObject({ user: { role: 'operator' }, business: null });
  });

  describe('decision 530: the check list', () => {
    const token = { name: 'token', state: 'ok', message: 'The access token works and never expires', fix: null, at: null } as const;
    const received = async () => {
      const { body } = (await owner.get('/api/client/connection/checks').expect(200)) as { body: { checks: { name: string }[] } };
      expect(body.checks[0]).toEqual(token);
      return body.checks.find(({ name }) => name === 'received');
    };
    beforeEach(() => {
      dashboard.neighbours.respond(CheckConnection, ({ callback_url }) => {
        expect(callback_url).toBe('https://gateway.example/webhooks/whatsapp');
        return { checks: [token] };
      });
    });

    it.each([
      [
        { callback_at: null, handshake_at: null },
        { state: 'problem', fix: expect.stringContaining('Verify and save') as string, at: null },
      ],
      [
        { callback_at: null, handshake_at: '2026-01-02T03:04:05.678Z' },
        { state: 'ok', fix: null, at: '2026-01-02T03:04:05.678Z' },
      ],
      [
        { callback_at: '2026-01-03T03:04:05.678Z', handshake_at: '2026-01-02T03:04:05.678Z' },
        { state: 'ok', fix: null, at: '2026-01-03T03:04:05.678Z' },
      ],
    ])('adds what has arrived from outside: %j', async (times, check) => {
      dashboard.neighbours.respond(GetCallbackTimes, () => times);
      expect(await received()).toMatchObject({ name: 'received', ...check });
    });

    it('reports unknown if the arrival of callbacks cannot be read', async () => {
      dashboard.neighbours.respond(GetCallbackTimes, () => {
        throw new GatewayError('INTERNAL', 'no');
      });
      expect(await received()).toMatchObject({ state: 'unknown', at: null });
    });

    it('responds 400 NOT_CONNECTED without a connection', async () => {
      dashboard.neighbours.respond(CheckConnection, () => {
        throw notConnected();
      });
      const response = await owner.get('/api/client/connection/checks').expect(400);
      expect(response.body).toMatchObject({ success: false, error_code: 'NOT_CONNECTED' });
    });
  });

  it('spec §10: lists templates with status and components, and starts a sync', async () => {
    const sync = { state: 'running' as const, started_at: '2026-01-02T03:04:05.678Z', finished_at: null, found: 0, problem: null };
    const template = {
      ...{ id: 1, name: 'order', display_name: 'Order', content: 'Hi', category: 'UTILITY', language: 'en', variables: [], components: [] },
      ...{ header_type: null, header_text: null, footer_text: null, quality: null, rejected_reason: null },
      ...{ status: 'APPROVED', updated_at: '2026-01-02T03:04:05.678Z' },
    };
    dashboard.neighbours.respond(ListTemplates, () => ({ templates: [template, { ...template, name: 'offer' }], sync }));
    dashboard.neighbours.respond(CountTemplates, ({ timezone }) => {
      expect(timezone).toBe('Asia/Kolkata');
      return { templates: [{ name: 'order', sent: 7 }] };
    });
    dashboard.neighbours.respond(SyncTemplates, () => ({ state: sync.state, started_at: sync.started_at }));
    expect((await agent.get('/api/client/templates').expect(200)).body).toEqual({
      templates: [
        { ...template, sent_7_days: 7 },
        { ...template, name: 'offer', sent_7_days: 0 },
      ],
      sync,
    });
    dashboard.neighbours.respond(CountTemplates, () => {
      throw new GatewayError('INTERNAL', 'no');
    });
    const { body } = (await agent.get('/api/client/templates').expect(200)) as { body: { templates: { sent_7_days: number | null }[] } };
    expect(body.templates.map(({ sent_7_days }) => sent_7_days)).toEqual([null, null]);
    const started = await agent.post('/api/client/templates/sync').expect(200);
    expect(started.body).toEqual({ message: expect.any(String) as string, sync: { state: 'running', started_at: sync.started_at } });
  });

  it('spec §7: a sync without a connection gets 400 NOT_CONNECTED', async () => {
    dashboard.neighbours.respond(SyncTemplates, () => {
      throw new GatewayError('NOT_CONNECTED', 'Connect a number first.');
    });
    const response = await owner.post('/api/client/templates/sync').expect(400);
    expect(response.body).toMatchObject({ success: false, error_code: 'NOT_CONNECTED' });
  });
});
