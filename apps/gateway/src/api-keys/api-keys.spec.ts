import { GetDailyUsage, KeyChanged } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { ApiKeysStore } from './api-keys.store';

describe('API keys (spec §2.7, §5, §10)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  let business_id: number;
  let store: ApiKeysStore;

  const create = async (body: object = {}, by = owner) => {
    const response = await by.post('/api/client/api-keys', { name: 'CRM', permissions: ['*'], ...body }).expect(200);
    return response.body as { id: number; key: string; message: string };
  };
  const listed = async (id: number, by = owner) => {
    const { body } = await by.get('/api/client/api-keys').expect(200);
    return (body as { api_keys: { id: number }[] }).api_keys.find((key) => key.id === id);
  };

  beforeAll(async () => {
    dashboard = await startDashboard();
    business_id = await dashboard.business({ plan: 'Growth', name: 'Chai Point' });
    owner = await dashboard.session('owner', business_id);
    store = dashboard.get(ApiKeysStore);
  });
  afterAll(() => dashboard.close());

  it('spec §2.7: are shown once, and stored only as a MAC', async () => {
    const { id, key } = await create();
    expect(key).toMatch(new RegExp(`^mgw_live_${id}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$`));
    const { text } = await owner.get('/api/client/api-keys').expect(200);
    expect(text).not.toContain(key.split('_')[3]);
    const [stored] = await dashboard.db.query<{ row: string }>(`SELECT k::text AS row FROM access.api_keys k WHERE id = $1`, [id]);
    expect(stored?.row).not.toContain(key.split('_')[3]);
  });

  it('spec §10: the list has exactly these fields', async () => {
    const { id, key } = await create({ permissions: ['send_text', 'send_otp', 'send_text'], expires_at: '2099-01-31T05:30:00+05:30' });
    expect(await listed(id)).toEqual({
      id,
      name: 'CRM',
      permissions: ['send_text', 'send_otp'],
      prefix: `mgw_live_${id}_`,
      last_four: key.slice(-4),
      per_minute_limit: 60,
      daily_limit: 150,
      used_today: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      last_used_at: null,
      expires_at: '2099-01-31T00:00:00.000Z',
      revoked_at: null,
    });
  });

  const allFound = (...tokens: string[]) => store.findActive(tokens.map((token) => store.identityOf(token)));
  const found = async (token: string) => (await allFound(token))[0];

  it('spec §5: authenticate with business, permissions and limits, and record their last use', async () => {
    const { id, key } = await create({ permissions: ['send_text'] });
    expect(await found(key)).toEqual({
      api_key_id: id,
      api_key_name: 'CRM',
      permissions: ['send_text'],
      per_minute_limit: 60,
      daily_limit: 150,
      expires_at: null,
      business: {
        ...{ id: business_id, name: 'Chai Point', plan: 'Growth' },
        zones: { timezone: 'Asia/Kolkata', previous_timezone: null, timezone_from: null, cap_resets_at: null },
      },
    });
    expect(await listed(id)).toMatchObject({ last_used_at: expect.any(String) as string });
  });

  it('record their last use without waiting for a concurrent change', async () => {
    const { id, key } = await create();
    await dashboard.db.transaction(async (tx) => {
      await tx.query('SELECT FROM access.api_keys WHERE id = $1 FOR UPDATE', [id]);
      expect(await found(key)).toMatchObject({ api_key_id: id });
    });
    expect(await listed(id)).toMatchObject({ last_used_at: null });
    await found(key);
    expect(await listed(id)).toMatchObject({ last_used_at: expect.any(String) as string });
  });

  it('spec §5.3: a wrong, unknown, revoked or expired key does not authenticate', async () => {
    const { id, key } = await create();
    const other = await create();
    await dashboard.db.query(`UPDATE access.api_keys SET token_mac = (SELECT token_mac FROM access.api_keys WHERE id = $2) WHERE id = $1`, [
      id,
      other.id,
    ]);
    expect(await found(key)).toBeNull();
    await dashboard.db.query(`UPDATE access.api_keys SET expires_at = now() WHERE id = $1`, [other.id]);
    expect(await found(other.key)).toBeNull();
    const [third, fourth] = [await create(), await create()];
    const ids = (await allFound(fourth.key, key, 'junk', third.key, other.key)).map((access) => access?.api_key_id ?? null);
    expect(ids).toEqual([fourth.id, null, null, third.id, null]);
    for (const text of ['', 'mgw_live_1', key.replace(/_\d+_/, '_999999_'), `${key}'--`]) expect(await found(text)).toBeNull();
  });

  it('spec §10: revoking takes effect at once, notifies every replica and shows in the list; a second time gets 404', async () => {
    const { id, key } = await create();
    const notified: number[] = [];
    const stop = dashboard.rpc.listen(KeyChanged, ({ api_key_id }) => void notified.push(api_key_id));
    await dashboard.flushed();
    await owner.delete(`/api/client/api-keys/${id}`).expect(200);
    expect(await found(key)).toBeNull();
    expect(await listed(id)).toMatchObject({ revoked_at: expect.any(String) as string });
    await eventually(() => {
      expect(notified).toEqual([id]);
      return true;
    });
    await owner.delete(`/api/client/api-keys/${id}`).expect(404);
    stop();
  });

  it("guarantees §9: another business's key and an unknown one get the same 404 and stay unchanged", async () => {
    const { id, key } = await create();
    const outsider = await dashboard.session('owner', await dashboard.business());
    const foreign = await outsider.delete(`/api/client/api-keys/${id}`).expect(404);
    for (const unknown of ['999999', '0', '-1', 'abc', '1e3', '99999999999999999999']) {
      const response = await outsider.delete(`/api/client/api-keys/${unknown}`).expect(404);
      expect(response.body).toEqual(foreign.body);
    }
    expect(await listed(id, outsider)).toBeUndefined();
    expect(await found(key)).not.toBeNull();
  });

  it('spec §10: used_today comes from the send service in the time zone of the business; null if it does not respond within a second', async () => {
    const { id } = await create();
    dashboard.neighbours.respond(GetDailyUsage, ({ api_keys }) => {
      expect(api_keys.every((key) => key.timezone === 'Asia/Kolkata')).toBe(true);
      return { used: [{ api_key_id: id, used: 42 }] };
    });
    expect(await listed(id)).toMatchObject({ used_today: 42 });
    dashboard.neighbours.respond(GetDailyUsage, () => new Promise(() => undefined));
    expect(await listed(id)).toMatchObject({ used_today: null });
    dashboard.neighbours.reset();
  });

  it('spec §10: a member sees the keys but cannot create or revoke them; an operator has none', async () => {
    const { id } = await create();
    const member = await dashboard.session('member', business_id);
    expect(await listed(id, member)).toMatchObject({ id });
    const refused = await member.post('/api/client/api-keys', { name: 'x', permissions: ['*'] }).expect(403);
    expect(refused.body).toMatchObject({ success: false, error_code: 'PERMISSION_DENIED' });
    await member.delete(`/api/client/api-keys/${id}`).expect(403);
    const operator = await dashboard.session('operator', null);
    await operator.get('/api/client/api-keys').expect(403);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 5 }, 'name'],
    [{ permissions: [] }, 'permissions'],
    [{ permissions: ['send_everything'] }, 'permissions'],
    [{ permissions: 'send_text' }, 'permissions'],
    [{ permissions: null }, 'permissions'],
    [{ expires_at: '2000-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: '2099-01-01' }, 'expires_at'],
    [{ expires_at: 4102444800000 }, 'expires_at'],
    [{ business_id: 1 }, 'business_id'],
  ])('decisions 6, 7, 44: refuses %j with 400 that names the field', async (body, field) => {
    const response = await owner.post('/api/client/api-keys', { name: 'CRM', permissions: ['*'], ...body }).expect(400);
    expect(response.body).toMatchObject({ success: false, error_code: 'VALIDATION_FAILED', details: [{ field }] });
  });

  it('guarantees §9: the audit log has who created and revoked a key, but not the key', async () => {
    const { id, key } = await create();
    await owner.delete(`/api/client/api-keys/${id}`).expect(200);
    const rows = await dashboard.db.query<{ action: string; user_id: number; detail: unknown }>(
      `SELECT action, user_id, detail FROM access.audit WHERE target = 'api-key:' || $1 ORDER BY id`,
      [String(id)],
    );
    expect(rows.map((row) => [row.action, row.user_id])).toEqual([
      ['api-key.created', owner.id],
      ['api-key.revoked', owner.id],
    ]);
    expect(JSON.stringify(rows)).not.toContain(key.split('_')[3]);
  });
});
