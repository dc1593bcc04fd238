import request from 'supertest';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';

describe('wrong API keys (decisions 22, 163)', () => {
  let dashboard: Dashboard;
  beforeAll(async () => (dashboard = await startDashboard({ trustedProxies: ['127.0.0.1'] })));
  afterAll(() => dashboard.close());

  it('count for the network of the caller: a host usually owns a /64 of IPv6', async () => {
    const from = async (ip: string, key: string) =>
      (await request(dashboard.visitor.server).get('/api/v1/health').set('x-api-key', key).set('x-forwarded-for', ip)).status;
    const statuses: number[] = [];
    for (let n = 1; n <= 31; n++) statuses.push(await from(`2001:db8::${n}`, 'mgw_live_1_wrong'));
    expect(statuses).toEqual([...Array<number>(30).fill(401), 429]);
    expect(await from('2001:db8:0:1::1', 'mgw_live_1_wrong')).toBe(401);
    const { token } = await dashboard.apiKey();
    expect(await from('2001:db8::1', token)).toBe(200);
  });
});
