import { FindAccess, type Access } from '@mgw/contracts';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';

describe('decision 705: what holds now, for other services', () => {
  let dashboard: Dashboard;
  let operator: Session;
  beforeAll(async () => {
    dashboard = await startDashboard();
    operator = await dashboard.session('operator', null);
  });
  afterAll(() => dashboard.close());

  const find = async (business_id: number, api_key_id: number | null): Promise<Access | null | undefined> =>
    (await dashboard.rpc.call(FindAccess, { parties: [{ business_id, api_key_id }] })).found[0];

  it('follows the limits of the key, the plan and the zone in force (decisions 21, 53)', async () => {
    const { id, business_id } = await dashboard.apiKey();
    expect(await find(business_id, id)).toEqual({ plan: 'Growth', timezone: 'Asia/Kolkata', daily_limit: 150 });
    await operator.patch(`/api/admin/api-keys/${id}`, { daily_limit: 7 }).expect(200);
    await operator.patch(`/api/admin/businesses/${business_id}`, { plan: 'Pro', timezone: 'UTC' }).expect(200);
    expect(await find(business_id, id)).toEqual({ plan: 'Pro', timezone: 'Asia/Kolkata', daily_limit: 7 });
    await dashboard.db.query(`UPDATE access.businesses SET timezone_from = now() WHERE id = $1`, [business_id]);
    expect(await find(business_id, id)).toEqual({ plan: 'Pro', timezone: 'UTC', daily_limit: 7 });
    await operator.patch(`/api/admin/businesses/${business_id}`, { plan: 'Starter' }).expect(200);
    expect(await find(business_id, id)).toMatchObject({ plan: 'Starter', daily_limit: 0 });
    expect(await find(business_id, null)).toEqual({ plan: 'Starter', timezone: 'UTC', daily_limit: null });
  });

  it('goes by the newest heir of a rotated key, and knows no revoked or expired key', async () => {
    const { id, business_id } = await dashboard.apiKey();
    const owner = await dashboard.session('owner', business_id);
    const { body } = await owner.post(`/api/client/api-keys/${id}/rotate`, { grace_minutes: 60 }).expect(200);
    const heir = (body as { id: number }).id;
    await operator.patch(`/api/admin/api-keys/${heir}`, { daily_limit: 9 }).expect(200);
    expect(await find(business_id, id)).toMatchObject({ daily_limit: 9 });
    await owner.delete(`/api/client/api-keys/${heir}`).expect(200);
    expect(await find(business_id, id)).toMatchObject({ daily_limit: 150 });
    await operator.patch(`/api/admin/api-keys/${id}`, { expires_at: '2026-01-01T00:00:00Z' }).expect(200);
    expect(await find(business_id, id)).toBeNull();
  });

  it('responds in the order of the request, and knows no key of another business', async () => {
    const [one, other] = [await dashboard.apiKey(), await dashboard.apiKey({ plan: 'Pro' })];
    const { found } = await dashboard.rpc.call(FindAccess, {
      parties: [
        { business_id: other.business_id, api_key_id: other.id },
        { business_id: one.business_id, api_key_id: other.id },
        { business_id: 999_999, api_key_id: null },
        { business_id: one.business_id, api_key_id: one.id },
      ],
    });
    expect(found.map((access) => access && access.plan)).toEqual(['Pro', null, null, 'Growth']);
  });
});
