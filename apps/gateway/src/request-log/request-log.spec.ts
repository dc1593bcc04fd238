import { GatewayError, ListApprovedTemplates, SendText } from '@mgw/contracts';
import { metricsText } from '@mgw/telemetry';
import { eventually, testRedis } from '@mgw/testing';
import { Redis } from 'ioredis';
import request from 'supertest';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { ApiKeysStore } from '../api-keys/api-keys.store';
import { BusinessesStore } from '../businesses/businesses.store';
import { RequestLogStore } from './request-log.store';

interface Logged {
  at: string;
  request_id: string;
  route: string;
  status: number;
  error_code: string;
  fields: string[];
  count: number;
}

const PATH = '/api/client/requests';
const PHONE = '919000055501';

describe('the request log (decision 660)', () => {
  let redis: Awaited<ReturnType<typeof testRedis>>;
  let dashboard: Dashboard;
  let key: Awaited<ReturnType<Dashboard['apiKey']>>;
  let manager: Session;
  beforeAll(async () => {
    redis = await testRedis();
    dashboard = await startDashboard({ redisUrl: redis.url });
  });
  afterAll(async () => {
    await dashboard.close();
    await redis.stop();
  });
  beforeEach(async () => {
    dashboard.neighbours.reset();
    key = await dashboard.apiKey();
    manager = await dashboard.session('manager', key.business_id);
  });

  const http = () => request(dashboard.visitor.server);
  const send = (body: object, requestId = 'req-1', token = key.token) =>
    http().post('/api/v1/send-text').set({ 'x-api-key': token, 'x-request-id': requestId }).send(body);
  const list = async (query = '', session = manager) =>
    ((await session.get(`${PATH}${query}`).expect(200)).body as { requests: Logged[] }).requests;
  /** The log as soon as it has an entry with this request id. */
  const listWith = (requestId: string, query = '') =>
    eventually(async () => {
      const requests = await list(query);
      return requests.some(({ request_id }) => request_id === requestId) && requests;
    });
  const droppedByRedis = async () => {
    const { text } = await metricsText();
    return Number(/^mgw_request_log_dropped_total\{reason="redis"\} (\d+)/m.exec(text)?.[1] ?? 0);
  };

  it('has a refused request with its reason, key and address, and no successful one', async () => {
    dashboard.neighbours.respond(SendText, ({ to }) => ({ message_id: 'wamid.X', phone: to, replayed: false }));
    await send({ phone: PHONE, message: 'Hello' }, 'fine').expect(200);
    await send({ phone: 5, message: '' }, 'refused').expect(400);
    const { body } = await eventually(async () => {
      const response = await manager.get(PATH).expect(200);
      return (response.body as { requests: Logged[] }).requests.length > 0 && response;
    });
    expect(body).toEqual({
      kept: 200,
      requests: [
        {
          at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
          request_id: 'refused',
          method: 'POST',
          route: '/api/v1/send-text',
          status: 400,
          error_code: 'VALIDATION_FAILED',
          fields: ['message', 'phone'],
          duration_ms: expect.any(Number) as number,
          api_key: { id: key.id, name: 'CRM' },
          ip: '127.0.0.1',
          count: 1,
        },
      ],
    });
  });

  it('guarantees §9: stores no path, query, body, unknown field or key', async () => {
    await http().get(`/api/v1/conversations/${PHONE}?canary=1`).set({ 'x-api-key': key.token, 'x-request-id': 'path' }).expect(500);
    const { body } = await send({ phone: PHONE, message: 'canary', [`canary${PHONE}`]: 'a\0b' }, 'body').expect(400);
    expect(body).toMatchObject({ details: [{ field: `canary${PHONE}` }] });
    await http().get('/api/v1/quick-send').query({ phone: PHONE, message: '', apikey: key.token }).set('x-request-id', 'quick').expect(400);
    await listWith('quick');
    await listWith('body');
    const requests = await listWith('path');
    expect(new Set(requests.map(({ route }) => route))).toEqual(
      new Set(['/api/v1/conversations/:phone', '/api/v1/send-text', '/api/v1/quick-send']),
    );
    const stored = JSON.stringify(await dashboard.get(RequestLogStore).list(key.business_id));
    expect(stored).not.toMatch(new RegExp(`canary|${PHONE}|${key.token.slice(-30)}`));
  });

  it('has refusals of a valid key by its addresses and by a suspension, and of no unknown key', async () => {
    const limited = await dashboard.db.transaction((tx) =>
      dashboard
        .get(ApiKeysStore)
        .add(tx, { business_id: key.business_id, name: 'Shop', permissions: ['*'], expires_at: null, allowed_ips: ['10.0.0.1'] }),
    );
    await send({}, 'address', limited.token).expect(403);
    await send({}, 'stranger', `${key.token.slice(0, -4)}0000`).expect(401);
    const [entry] = await listWith('address');
    expect(entry).toMatchObject({ status: 403, error_code: 'IP_NOT_ALLOWED', api_key: { id: limited.id, name: 'Shop' } });
    expect((await list()).map(({ request_id }) => request_id)).toEqual(['address']);
    const other = await dashboard.apiKey();
    await dashboard.db.transaction((tx) => dashboard.get(BusinessesStore).change(tx, other.business_id, { suspended: true }));
    await send({}, 'suspended', other.token).expect(403);
    manager = await dashboard.session('manager', other.business_id);
    expect((await listWith('suspended'))[0]).toMatchObject({ error_code: 'BUSINESS_SUSPENDED' });
  });

  it('filters by class of status and by key, bounds its length, and shows codes as the response had them', async () => {
    dashboard.neighbours.respond(ListApprovedTemplates, () => {
      throw new GatewayError('OVERLOADED', 'no');
    });
    await send({}, 'bad').expect(400);
    await http().get('/api/v1/templates').set({ 'x-api-key': key.token, 'x-request-id': 'down' }).expect(500);
    await listWith('down');
    await listWith('bad');
    const ids = async (query: string) => (await list(query)).map(({ request_id }) => request_id);
    expect(await ids('?status=4xx')).toEqual(['bad']);
    expect(await list('?status=5xx')).toEqual([expect.objectContaining({ request_id: 'down', error_code: 'INTERNAL' })]);
    expect(await ids(`?api_key_id=${key.id}&limit=1`)).toEqual(['down']);
    expect(await ids(`?api_key_id=${key.id + 1}`)).toEqual([]);
    for (const query of ['?status=400', '?limit=201', '?api_key_id=x']) await manager.get(`${PATH}${query}`).expect(400);
  });

  it('counts a flood in few entries, and keeps the other kinds', async () => {
    const limited = await dashboard.apiKey({ limit: 1 });
    manager = await dashboard.session('manager', limited.business_id);
    await send({}, 'first', limited.token).expect(400);
    await Promise.all(Array.from({ length: 60 }, (_, i) => send({}, `flood-${i}`, limited.token).expect(429)));
    const requests = await eventually(async () => {
      const all = await list();
      const counted = all.filter(({ status }) => status === 429).reduce((sum, { count }) => sum + count, 0);
      return counted === 60 && all;
    });
    expect(requests.length).toBeLessThan(10);
    expect(requests).toContainEqual(expect.objectContaining({ request_id: 'first', count: 1 }));
  });

  it('keeps the newest 200 entries of a business for seven days', async () => {
    const store = dashboard.get(RequestLogStore);
    await send({}, 'one').expect(400);
    const [one] = await eventually(async () => {
      const stored = await store.list(key.business_id);
      return stored.length > 0 && stored;
    });
    const many = Array.from({ length: 250 }, (_, i) => ({ ...(one as NonNullable<typeof one>), request_id: String(i) }));
    await store.add(new Map([[key.business_id, many]]));
    const kept = await list('?limit=200');
    expect([kept.length, kept[0]?.request_id, kept.at(-1)?.request_id]).toEqual([200, '249', '50']);
    const client = new Redis(redis.url);
    const week = await client.ttl(`requests:${key.business_id}`);
    client.disconnect();
    expect(week).toBeGreaterThan(6 * 86_400);
    expect(week).toBeLessThanOrEqual(7 * 86_400);
  });

  it('is for owners and managers of the business only', async () => {
    await send({}, 'own').expect(400);
    await listWith('own');
    await (await dashboard.session('agent', key.business_id)).get(PATH).expect(403);
    expect(await list('', await dashboard.session('owner', await dashboard.business()))).toEqual([]);
  });

  it.each(['is gone', 'hangs'])(
    'while Redis %s requests fail as before, the log responds 503, and it continues afterwards',
    async (fault) => {
      const resume = fault === 'hangs' ? redis.suspend() : (await redis.kill(), redis.start);
      const before = await droppedByRedis();
      await send({}, 'lost').expect(400);
      await eventually(async () => (await manager.get(PATH)).status === 503);
      const { body } = await manager.get(PATH).expect(503);
      expect(body).toEqual({
        success: false,
        error: 'The request log does not respond. Try again shortly.',
        error_code: 'INTERNAL',
        retryable: true,
      });
      await eventually(async () => (await droppedByRedis()) > before);
      await resume();
      await eventually(async () => (await manager.get(PATH)).status === 200);
      const another = await dashboard.apiKey();
      manager = await dashboard.session('manager', another.business_id);
      await send({}, 'after', another.token).expect(400);
      expect(await listWith('after')).toHaveLength(1);
    },
  );
});
