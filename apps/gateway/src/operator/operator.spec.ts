import { BusinessChanged, KeyChanged, LimitsChanged, SuspendBusiness } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { PASSWORD, startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { ApiKeysStore } from '../api-keys/api-keys.store';
import { LimitsStore } from '../limits/limits.store';

const BUSINESSES = '/api/admin/businesses';

describe('the operator API (spec §11)', () => {
  let dashboard: Dashboard;
  let operator: Session;

  beforeAll(async () => {
    dashboard = await startDashboard();
    operator = await dashboard.session('operator', null);
  });
  afterAll(() => dashboard.close());

  const listed = async (id: number) => {
    const { body } = await operator.get(BUSINESSES).expect(200);
    return (body as { businesses: { id: number }[] }).businesses.find((business) => business.id === id);
  };
  const make = async (body: object) => (await operator.post(BUSINESSES, body).expect(200)).body as { id: number };

  it('spec §11: creates a business, in Asia/Kolkata by default (decision 20)', async () => {
    const { id } = await make({ name: 'Chai Point', plan: 'Growth' });
    const created_at = expect.stringMatching(/Z$/) as string;
    const broadcast_daily_limit = 1_000;
    expect(await listed(id)).toEqual({
      id,
      name: 'Chai Point',
      plan: 'Growth',
      timezone: 'Asia/Kolkata',
      broadcast_daily_limit,
      suspended: false,
      created_at,
    });
    expect(await listed((await make({ name: 'B', plan: 'Pro', timezone: 'America/New_York' })).id)).toMatchObject({
      timezone: 'America/New_York',
    });
  });

  it('decision 785: creates a business once however often its request is repeated, also at the same time', async () => {
    const create = (name: string) => operator.post(BUSINESSES).set('idempotency-key', 'riverside').send({ name, plan: 'Growth' });
    const responses = await Promise.all(Array.from({ length: 5 }, () => create('Riverside Books').expect(200)));
    expect(new Set(responses.map(({ body }) => (body as { id: number }).id)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(4);
    expect((await create('Riverside').expect(422)).body).toMatchObject({ error_code: 'IDEMPOTENCY_MISMATCH' });
    const { id } = responses[0]?.body as { id: number };
    const entries = await dashboard.db.query(`SELECT FROM access.audit WHERE action = 'business.created' AND business_id = $1`, [id]);
    expect(entries).toHaveLength(1);
  });

  it('spec §11: PATCH leaves absent fields unchanged and notifies every gateway', async () => {
    const { id } = await make({ name: 'A', plan: 'Growth' });
    const notified: number[] = [];
    const stop = dashboard.rpc.listen(BusinessChanged, ({ business_id }) => void notified.push(business_id));
    await dashboard.flushed();
    await operator.patch(`${BUSINESSES}/${id}`, { plan: 'Starter', timezone: 'utc', name: null }).expect(200);
    expect(await listed(id)).toMatchObject({ name: 'A', plan: 'Starter', timezone: 'UTC' });
    await eventually(() => {
      expect(notified).toEqual([id]);
      return true;
    });
    await operator.patch(`${BUSINESSES}/999999`, { plan: 'Pro' }).expect(404);
    stop();
  });

  it('decision 386: a suspended business sends nothing, and its keys get 403 until it is resumed', async () => {
    const { business_id, token } = await dashboard.apiKey();
    const suspended: boolean[] = [];
    dashboard.neighbours.respond(SuspendBusiness, (request) => {
      suspended.push(request.suspended);
      return {};
    });
    const health = () => dashboard.visitor.get('/api/v1/health').set('x-api-key', token);
    await health().expect(200);
    for (const [state, status] of [
      [true, 403],
      [false, 200],
    ] as const) {
      await operator.patch(`${BUSINESSES}/${business_id}`, { suspended: state }).expect(200);
      const { body } = await eventually(async () => {
        const response = await health();
        return response.status === status && response;
      });
      expect((body as { error_code?: string }).error_code).toBe(state ? 'BUSINESS_SUSPENDED' : undefined);
      expect(await listed(business_id)).toMatchObject({ suspended: state });
    }
    expect(suspended).toEqual([true, false]);
  });

  it('decision 386: finds businesses by name or id, and shows one with its parts, even while services do not respond', async () => {
    const { business_id } = await dashboard.apiKey();
    const owner = await dashboard.user('owner', business_id);
    const { body: found } = await operator.get(`${BUSINESSES}?q=${business_id}`).expect(200);
    expect((found as { businesses: { id: number }[] }).businesses.map(({ id }) => id)).toContain(business_id);
    expect((await operator.get(`${BUSINESSES}?q=nobody%20has%20it`).expect(200)).body).toEqual({ businesses: [] });
    const { body } = await operator.get(`${BUSINESSES}/${business_id}`).expect(200);
    expect(body).toMatchObject({
      business: { id: business_id },
      connection: { status: 'not_connected', quality_rating: null },
      users: [{ id: owner.id, role: 'owner' }],
      api_keys: [{ name: 'CRM' }],
      webhooks: [],
      problems: [],
    });
    expect(JSON.stringify(body)).not.toContain('password_hash');
    await operator.get(`${BUSINESSES}/999999`).expect(404);
    await (await dashboard.session('owner', business_id)).get(`${BUSINESSES}/${business_id}`).expect(403);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ plan: 'growth' }, 'plan'],
    [{ plan: ['Growth'] }, 'plan'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
    [{ timezone: '+05:30' }, 'timezone'],
    [{ timezone: 'IST-5:30' }, 'timezone'],
    [{ timezone: 'cet' }, 'timezone'],
    [{ id: 5 }, 'id'],
  ])('decisions 6, 7: refuses a business with %j with 400', async (body, field) => {
    const response = await operator.post(BUSINESSES, { name: 'A', plan: 'Growth', ...body }).expect(400);
    expect(response.body).toMatchObject({ success: false, error_code: 'VALIDATION_FAILED', details: [{ field }] });
  });

  it('spec §11: adds a user who can log in to that business, and refuses a second one with the address', async () => {
    const { id } = await make({ name: 'Chai Point', plan: 'Pro' });
    const user = { email: 'Owner@Chai.example', name: 'Asha', password: PASSWORD, role: 'owner' };
    const added = await operator.post(`${BUSINESSES}/${id}/users`, user).expect(200);
    expect(added.body).toEqual({ id: expect.any(Number) as number, message: expect.any(String) as string });
    await dashboard.visitor.post('/api/client/login', { email: 'owner@chai.example', password: PASSWORD }).expect(200);
    const again = await operator.post(`${BUSINESSES}/${id}/users`, { ...user, email: 'OWNER@chai.example' }).expect(409);
    expect(again.body).toMatchObject({ success: false, error_code: 'CONFLICT' });
    await operator.post(`${BUSINESSES}/999999/users`, { ...user, email: 'x@chai.example' }).expect(404);
  });

  it.each([
    [{ role: 'operator' }, 'role'],
    [{ email: 'nobody' }, 'email'],
    [{ password: 'short' }, 'password'],
    [{ name: 7 }, 'name'],
  ])('spec §11: refuses a user with %j with 400', async (body, field) => {
    const { id } = await make({ name: 'A', plan: 'Pro' });
    const user = { email: 'u@chai.example', name: 'U', password: PASSWORD, role: 'agent', ...body };
    const response = await operator.post(`${BUSINESSES}/${id}/users`, user).expect(400);
    expect(response.body).toMatchObject({ success: false, error_code: 'VALIDATION_FAILED', details: [{ field }] });
  });

  it("spec §11, decision 21: the operator's limits and expiry of a key override the plan's; every gateway is notified", async () => {
    const business_id = await dashboard.business({ plan: 'Growth' });
    const owner = await dashboard.session('owner', business_id);
    const made = await owner.post('/api/client/api-keys', { name: 'CRM', permissions: ['*'] }).expect(200);
    const { id, key } = made.body as { id: number; key: string };
    const notified: number[] = [];
    const stop = dashboard.rpc.listen(KeyChanged, ({ api_key_id }) => void notified.push(api_key_id));
    await dashboard.flushed();
    const change = { per_minute_limit: 100, daily_limit: 7, expires_at: '2099-01-01T00:00:00.000Z' };
    await operator.patch(`/api/admin/api-keys/${id}`, change).expect(200);
    const listed = async () =>
      ((await operator.get(`/api/admin/api-keys?business_id=${business_id}`).expect(200)).body as { api_keys: object[] }).api_keys;
    expect(await listed()).toMatchObject([{ id, business_id, ...change }]);
    await operator.patch(`/api/admin/api-keys/${id}`, { daily_limit: 8, per_minute_limit: null }).expect(200);
    const store = dashboard.get(ApiKeysStore);
    const [access] = await store.findActive([store.identityOf(key)]);
    expect(access).toMatchObject({ per_minute_limit: 100, daily_limit: 8 });
    await operator.patch(`/api/admin/api-keys/${id}`, { expires_at: null, never_expires: false }).expect(200);
    expect(await listed()).toMatchObject([{ ...change, daily_limit: 8 }]);
    const both = await operator.patch(`/api/admin/api-keys/${id}`, { expires_at: change.expires_at, never_expires: true }).expect(400);
    expect(both.body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [{ field: 'never_expires' }] });
    await operator.patch(`/api/admin/api-keys/${id}`, { never_expires: true }).expect(200);
    expect(await listed()).toMatchObject([{ expires_at: null, per_minute_limit: 100, daily_limit: 8 }]);
    await eventually(() => {
      expect(notified).toEqual([id, id, id, id]);
      return true;
    });
    await operator.patch('/api/admin/api-keys/999999', change).expect(404);
    stop();
  });

  it('spec §11: lists the API keys of all businesses by default', async () => {
    const { body } = await operator.get('/api/admin/api-keys').expect(200);
    const keys = await dashboard.db.query('SELECT id FROM access.api_keys');
    expect((body as { api_keys: unknown[] }).api_keys).toHaveLength(keys.length);
    await operator.get('/api/admin/api-keys?business_id=x').expect(400);
  });

  it.each([0, 100_001, 1.5, '60', true])('decision 46: refuses a limit of %j with 400', async (limit) => {
    await operator.patch('/api/admin/api-keys/1', { daily_limit: limit }).expect(400);
    await operator.patch('/api/admin/api-keys/1', { per_minute_limit: limit }).expect(400);
    await operator.put('/api/admin/limits', { global_per_minute: limit }).expect(400);
  });

  it('spec §8: the global limit is 120 a minute by default; a new limit notifies every gateway', async () => {
    expect((await operator.get('/api/admin/limits').expect(200)).body).toEqual({ global_per_minute: 120 });
    let notified = 0;
    const stop = dashboard.rpc.listen(LimitsChanged, () => void (notified += 1));
    await dashboard.flushed();
    await operator.put('/api/admin/limits', { global_per_minute: 1000 }).expect(200);
    expect(await dashboard.get(LimitsStore).globalPerMinute()).toBe(1000);
    await eventually(() => {
      expect(notified).toBe(1);
      return true;
    });
    await operator.put('/api/admin/limits', {}).expect(400);
    stop();
  });
});
