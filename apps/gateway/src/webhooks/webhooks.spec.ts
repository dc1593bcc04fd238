import {
  CreateWebhook,
  DeleteWebhook,
  GatewayError,
  GetDelivery,
  ListDeliveries,
  ListWebhooks,
  RecoverDeliveries,
  UpdateWebhook,
  type RequestOf,
} from '@mgw/contracts';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';

const RECORD = {
  id: 7,
  name: 'CRM',
  url: 'https://crm.example/hook',
  events: ['message.received'],
  is_active: 1,
  has_secret: true,
  last_triggered_at: null,
  fail_count: 0,
  created_at: '2026-01-02T03:04:05.678Z',
};
const VALID = { name: 'CRM', url: 'https://crm.example/hook', events: ['message.received'] };

const DELIVERY = {
  id: 9,
  event: 'ai.replied',
  event_id: 'ai.replied:wamid.1',
  state: 'failed' as const,
  response_code: 500,
  duration_ms: 12,
  attempts: 1,
  reason: 'responded 500 instead of 200',
  created_at: '2027-01-31T00:00:00.000Z',
  response_body: 'out of memory',
  payload: { event: 'ai.replied' },
};

describe('webhook management (spec §4.9)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  let business_id: number;

  beforeAll(async () => {
    dashboard = await startDashboard();
    business_id = await dashboard.business();
    owner = await dashboard.session('owner', business_id);
  });
  beforeEach(() => dashboard.neighbours.reset());
  afterAll(() => dashboard.close());

  const update = async (body: object): Promise<Partial<RequestOf<typeof UpdateWebhook>>> => {
    let requested: RequestOf<typeof UpdateWebhook> | undefined;
    dashboard.neighbours.respond(UpdateWebhook, (request) => {
      requested = request;
      return {};
    });
    const response = await owner.put('/api/client/webhooks/7', body).expect(200);
    expect(response.body).toEqual({ message: expect.any(String) as string });
    return requested ?? {};
  };

  it('spec §4.9: POST responds 200 with id and message, seals the secret, and removes duplicate events', async () => {
    let requested: RequestOf<typeof CreateWebhook> | undefined;
    dashboard.neighbours.respond(CreateWebhook, (request) => {
      requested = request;
      return { id: 7 };
    });
    const body = { ...VALID, events: ['message.received', 'message.sent', 'message.received'], secret: 'hush' };
    const response = await owner.post('/api/client/webhooks', body).expect(200);
    expect(response.body).toEqual({ id: 7, message: expect.any(String) as string });
    expect(requested).toMatchObject({ business_id, name: 'CRM', url: VALID.url, events: ['message.received', 'message.sent'] });
    expect(requested?.secret_sealed).not.toContain('hush');
    expect(dashboard.sealer.open(requested?.secret_sealed ?? '', `webhook.secret:${business_id}`)).toBe('hush');
  });

  it.each([{}, { secret: null }])('spec §4.9: sets no secret for %j', async (body) => {
    let sealed: string | null | undefined;
    dashboard.neighbours.respond(CreateWebhook, (request) => {
      sealed = request.secret_sealed;
      return { id: 7 };
    });
    await owner.post('/api/client/webhooks', { ...VALID, ...body }).expect(200);
    expect(sealed).toBeNull();
  });

  it('decision 785: a creation passes its Idempotency-Key on as a hash of the user, and the audit log has it once', async () => {
    const passed: RequestOf<typeof CreateWebhook>['idempotency'][] = [];
    dashboard.neighbours.respond(CreateWebhook, ({ idempotency }) => {
      passed.push(idempotency);
      return { id: 7, ...(passed.length > 1 && { replayed: true }) };
    });
    const create = (key: string, body: object, by = owner) =>
      by
        .post('/api/client/webhooks')
        .set('idempotency-key', key)
        .send({ ...VALID, ...body });
    const [before] = await dashboard.db.query<{ count: number }>('SELECT count(*)::integer FROM access.audit');
    expect((await create('hook-1', { secret: 'hush' }).expect(200)).headers).not.toHaveProperty('idempotency-replayed');
    const repeated = await create('hook-1', { secret: 'hush' }).expect(200);
    expect([repeated.body, repeated.headers['idempotency-replayed']]).toEqual([{ id: 7, message: 'Webhook created.' }, 'true']);
    expect(await dashboard.db.query('SELECT count(*)::integer FROM access.audit')).toEqual([{ count: (before?.count ?? 0) + 1 }]);
    await create('hook-1', { secret: 'other' }).expect(200);
    await create('hook-1', { secret: 'hush' }, await dashboard.session('owner', business_id)).expect(200);
    const [first, again, changed, foreign] = passed;
    expect(first).toEqual({
      key: expect.stringMatching(/^user:\d+:[0-9a-f]{64}$/) as string,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(again).toEqual(first);
    expect(changed).toMatchObject({ key: first?.key });
    expect(changed?.fingerprint).not.toBe(first?.fingerprint);
    expect(foreign?.key).not.toBe(first?.key);
    await create('no token', {}).expect(400);
  });

  it('spec §2.8: GET lists the webhooks without their secrets', async () => {
    dashboard.neighbours.respond(ListWebhooks, (request) => ({ webhooks: request.business_id === business_id ? [RECORD] : [] }));
    const response = await owner.get('/api/client/webhooks').expect(200);
    expect(response.body).toEqual({ webhooks: [RECORD] });
  });

  it('spec §4.9: PUT passes on only the fields of the request, and accepts none', async () => {
    expect(await update({ name: 'New' })).toEqual({ business_id, id: 7, name: 'New' });
    expect(await update({})).toEqual({ business_id, id: 7 });
    expect(await update({ name: null, url: null, events: null, is_active: null })).toEqual({ business_id, id: 7 });
  });

  it('spec §4.9: PUT removes the secret with null and replaces it with a text', async () => {
    expect(await update({ secret: null })).toEqual({ business_id, id: 7, secret_sealed: null });
    const { secret_sealed } = await update({ secret: 'new' });
    expect(dashboard.sealer.open(secret_sealed ?? '', `webhook.secret:${business_id}`)).toBe('new');
  });

  it('decision 280: PUT passes on how long the old secret is kept, and refuses it without a new secret', async () => {
    expect(await update({ secret: 'new', keep_old_minutes: 60 })).toMatchObject({ keep_old_minutes: 60 });
    expect(await update({ secret: 'new', keep_old_minutes: null })).not.toHaveProperty('keep_old_minutes');
    for (const body of [{ keep_old_minutes: 60 }, { keep_old_minutes: 60, secret: null }]) {
      const { body: refusal } = (await owner.put('/api/client/webhooks/7', body).expect(400)) as { body: object };
      expect(refusal).toMatchObject({
        error_code: 'VALIDATION_FAILED',
        details: [{ field: 'keep_old_minutes', message: 'needs a new secret' }],
      });
    }
    for (const keep_old_minutes of [-1, 1_441, 1.5, '60'])
      await owner.put('/api/client/webhooks/7', { secret: 'new', keep_old_minutes }).expect(400);
  });

  it.each([
    [true, true],
    [false, false],
    [1, true],
    [0, false],
  ])('decision 34b: reads is_active %j as %j', async (sent, is_active) => {
    expect(await update({ is_active: sent })).toEqual({ business_id, id: 7, is_active });
  });

  it('spec §4.9: DELETE passes on the 404 of the dispatcher for an unknown or foreign id', async () => {
    dashboard.neighbours.respond(DeleteWebhook, ({ id }) => {
      if (id !== 7) throw new GatewayError('NOT_FOUND', 'There is no such webhook.');
      return {};
    });
    const response = await owner.delete('/api/client/webhooks/7').expect(200);
    expect(response.body).toEqual({ message: expect.any(String) as string });
    const unknown = await owner.delete('/api/client/webhooks/8').expect(404);
    expect(unknown.body).toMatchObject({ success: false, error_code: 'NOT_FOUND' });
    await owner.put('/api/client/webhooks/abc', {}).expect(404);
  });

  it('decision 285: the delivery log filters by event, state and time, and each delivery has an address', async () => {
    const requests: object[] = [];
    dashboard.neighbours.respond(ListDeliveries, (request) => {
      requests.push(request);
      return { deliveries: [], next_cursor: null };
    });
    const log = '/api/client/webhooks/7/deliveries';
    await owner.get(log).expect(200);
    await owner.get(`${log}?state=failed&event=ai.replied&from=2027-01-31T00:00:00%2B01:00&to=2027-01-31T00:00Z`).expect(200);
    const every = { business_id, webhook_id: 7, limit: 50, cursor: null };
    expect(requests).toEqual([
      { ...every, state: null },
      { ...every, state: 'failed', event: 'ai.replied', from: '2027-01-30T23:00:00.000Z', to: '2027-01-31T00:00:00.000Z' },
    ]);
    for (const query of ['event=message.exploded', 'from=2027-01-31', 'to=yesterday']) {
      const { body } = (await owner.get(`${log}?${query}`).expect(400)) as { body: object };
      expect(body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [{ field: query.split('=')[0] }] });
    }
    dashboard.neighbours.respond(GetDelivery, ({ delivery_id }) => {
      if (delivery_id !== 9) throw new GatewayError('NOT_FOUND', 'No delivery of this webhook has this id.');
      return { delivery: DELIVERY };
    });
    expect((await owner.get(`${log}/9`).expect(200)).body).toEqual({ delivery: DELIVERY });
    await owner.get(`${log}/8`).expect(404);
    await owner.get(`${log}/x`).expect(404);
  });

  it('decision 32: an address that the dispatcher refuses gets 400', async () => {
    const details = [{ field: 'url', message: 'must be a public address' }];
    dashboard.neighbours.respond(CreateWebhook, () => {
      throw new GatewayError('VALIDATION_FAILED', 'url must be a public address', { details });
    });
    const response = await owner.post('/api/client/webhooks', { ...VALID, url: 'https://10.0.0.1/' }).expect(400);
    expect(response.body).toEqual({ success: false, error: 'url must be a public address', error_code: 'VALIDATION_FAILED', details });
  });

  const bad = [
    [{ name: '' }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ url: 5 }, 'url'],
    [{ url: 'https://x.example/' + 'x'.repeat(2048) }, 'url'],
    [{ events: [] }, 'events'],
    [{ events: ['message.exploded'] }, 'events'],
    [{ events: 'message.sent' }, 'events'],
    [{ secret: '' }, 'secret'],
    [{ secret: 'x'.repeat(257) }, 'secret'],
    [{ secret: 5 }, 'secret'],
    [{ colour: 'red' }, 'colour'],
  ] as const;

  it.each(bad)('decisions 6, 7, 33: POST refuses %j with 400', async (body, field) => {
    const response = await owner.post('/api/client/webhooks', { ...VALID, ...body }).expect(400);
    expect(response.body).toMatchObject({ success: false, error_code: 'VALIDATION_FAILED', details: [{ field }] });
  });

  it.each([...bad, [{ is_active: 'true' }, 'is_active'], [{ is_active: 2 }, 'is_active']] as const)(
    'decisions 6, 7, 34b: PUT refuses %j with 400',
    async (body, field) => {
      const response = await owner.put('/api/client/webhooks/7', body).expect(400);
      expect(response.body).toMatchObject({ success: false, error_code: 'VALIDATION_FAILED', details: [{ field }] });
    },
  );

  it('decision 353: a recovery has a period, and reports what it queued and where the next one begins', async () => {
    const asked: unknown[] = [];
    dashboard.neighbours.respond(RecoverDeliveries, (request) => {
      asked.push(request);
      return { queued: 10_000, next_since: '2026-11-22T10:00:00.000Z' };
    });
    const recover = (body: object) => owner.post('/api/client/webhooks/7/recover', body);
    const since = '2026-11-22T10:00:00+01:00';
    expect((await recover({ since, until: '2026-11-22T11:00:00Z', states: ['failed', 'failed'] }).expect(200)).body).toEqual({
      queued: 10_000,
      next_since: '2026-11-22T10:00:00.000Z',
      message: '10000 deliveries are queued, the oldest first. The period has more: recover again from 2026-11-22T10:00:00.000Z.',
    });
    await recover({ since }).expect(200);
    expect(asked).toEqual([
      { business_id, webhook_id: 7, since: '2026-11-22T09:00:00.000Z', until: '2026-11-22T11:00:00.000Z', states: ['failed'] },
      { business_id, webhook_id: 7, since: '2026-11-22T09:00:00.000Z', states: ['failed', 'skipped'] },
    ]);
    for (const [field, body] of [
      ['since', {}],
      ['since', { since: '2026-11-22' }],
      ['until', { since, until: '2026-11-22T08:59:59Z' }],
      ['states', { since, states: ['succeeded'] }],
      ['states', { since, states: [] }],
    ] as const)
      expect((await recover(body).expect(400)).body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [{ field }] });
  });
});
