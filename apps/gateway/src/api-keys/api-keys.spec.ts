import request from 'supertest';
import { GetDailyUsage, GetUsage, KeyChanged, ListApprovedTemplates, SendText } from '@mgw/contracts';
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
    dashboard = await startDashboard({ trustedProxies: ['127.0.0.1'] });
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
      sends_as: id,
      name: 'CRM',
      permissions: ['send_text', 'send_otp'],
      prefix: `mgw_live_${id}_`,
      last_four: key.slice(-4),
      per_minute_limit: 60,
      daily_limit: 150,
      used_today: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      last_used_at: null,
      last_ip: null,
      allowed_ips: [],
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
      sends_as: id,
      allowsFrom: expect.any(Function) as () => boolean,
      api_key_name: 'CRM',
      permissions: ['send_text'],
      per_minute_limit: 60,
      daily_limit: 150,
      expires_at: null,
      business: {
        ...{ id: business_id, name: 'Chai Point', plan: 'Growth', suspended: false },
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

  describe('a repeated Idempotency-Key (decision 785)', () => {
    const repeat = (key: string, body: object = {}, by = owner) =>
      by
        .post('/api/client/api-keys')
        .set('idempotency-key', key)
        .send({ name: 'CRM', permissions: ['*'], ...body });
    const made = async (key: string) => (await repeat(key).expect(200)).body as { id: number; key: string };

    it('gives the same key a new secret, which the response of the first request may not have delivered', async () => {
      const first = await made('orders-1');
      const notified: number[] = [];
      const stop = dashboard.rpc.listen(KeyChanged, ({ api_key_id }) => void notified.push(api_key_id));
      await dashboard.flushed();
      const again = await repeat('orders-1').expect(200);
      expect(again.headers).toHaveProperty('idempotency-replayed', 'true');
      const { id, key } = again.body as { id: number; key: string };
      expect(id).toBe(first.id);
      expect(await allFound(first.key, key)).toEqual([null, expect.objectContaining({ api_key_id: id })]);
      expect(await listed(id)).toMatchObject({ last_four: key.slice(-4) });
      await eventually(() => {
        expect(notified).toEqual([id]);
        return true;
      });
      stop();
    });

    it('creates one key for requests at the same time, and the last secret works', async () => {
      const responses = await Promise.all(Array.from({ length: 5 }, () => made('orders-2')));
      expect(new Set(responses.map(({ id }) => id)).size).toBe(1);
      const working = (await allFound(...responses.map(({ key }) => key))).filter((access) => access !== null);
      expect(working).toHaveLength(1);
    });

    it('leaves a key alone that is in use, has ended, or is older than a day', async () => {
      const changes = ['last_used_at = now()', 'revoked_at = now()', `created_at = now() - interval '25 hours'`];
      for (const [n, change] of changes.entries()) {
        const { id, key } = await made(`orders-3-${n}`);
        await dashboard.db.query(`UPDATE access.api_keys SET ${change} WHERE id = $1`, [id]);
        expect((await repeat(`orders-3-${n}`).expect(409)).body).toMatchObject({ error_code: 'CONFLICT' });
        expect(await listed(id)).toMatchObject({ last_four: key.slice(-4) });
      }
    });

    it('gets 422 with another request, and creates a key of its own for another person', async () => {
      const { id } = await made('orders-4');
      expect((await repeat('orders-4', { name: 'ERP' }).expect(422)).body).toMatchObject({ error_code: 'IDEMPOTENCY_MISMATCH' });
      const other = await repeat('orders-4', {}, await dashboard.session('owner', business_id)).expect(200);
      expect((other.body as { id: number }).id).not.toBe(id);
    });
  });

  describe('rotation', () => {
    const rotate = (id: number, grace_minutes: unknown, by = owner) => by.post(`/api/client/api-keys/${id}/rotate`, { grace_minutes });
    const heirOf = async (id: number, grace_minutes: number) =>
      (await rotate(id, grace_minutes).expect(200)).body as {
        id: number;
        key: string;
        expires_at: string | null;
        old_expires_at: string;
        message: string;
      };
    const graceLeft = (expiry: string) => Math.round((Date.parse(expiry) - Date.now()) / 60_000);

    it('the heir has name, permissions, limits, addresses and lifetime; both keys work until the grace ends', async () => {
      const expires_at = new Date(Date.now() + 90 * 86_400_000).toISOString();
      const { id, key } = await create({ permissions: ['send_text'], expires_at });
      await owner.patch(`/api/client/api-keys/${id}`, { allowed_ips: ['10.0.0.0/8'] }).expect(200);
      const operator = await dashboard.session('operator', null);
      await operator.patch(`/api/admin/api-keys/${id}`, { per_minute_limit: 7, daily_limit: 9 }).expect(200);
      const heir = await heirOf(id, 60);
      expect(heir).toEqual({
        id: expect.any(Number) as number,
        key: expect.stringMatching(`^mgw_live_${heir.id}_`) as string,
        expires_at: expect.any(String) as string,
        old_expires_at: expect.any(String) as string,
        message: expect.any(String) as string,
      });
      expect(graceLeft(heir.old_expires_at)).toBe(60);
      expect(await listed(id)).toMatchObject({ expires_at: heir.old_expires_at });
      const inherited = { name: 'CRM', permissions: ['send_text'], per_minute_limit: 7, daily_limit: 9, allowed_ips: ['10.0.0.0/8'] };
      const shown = (await listed(heir.id)) as unknown as { expires_at: string };
      expect(shown).toMatchObject({ ...inherited, revoked_at: null });
      expect(shown.expires_at).toBe(heir.expires_at);
      expect(graceLeft(shown.expires_at)).toBe(90 * 24 * 60);
      expect((await allFound(key, heir.key)).map((access) => [access?.api_key_id, access?.sends_as])).toEqual([
        [id, id],
        [heir.id, id],
      ]);
    });

    it('without a grace the old key ends at once; never later than before', async () => {
      const { id, key } = await create();
      const heir = await heirOf(id, 0);
      expect([await found(key), (await found(heir.key))?.api_key_id]).toEqual([null, heir.id]);
      // A repeat after a lost response finds the key that works now.
      const repeated = (await rotate(id, 0).expect(409)).body as { error: string };
      expect(repeated.error).toContain('Rotate the key that replaced it');
      const ending = await create({ expires_at: new Date(Date.now() + 5 * 60_000).toISOString() });
      expect(graceLeft((await heirOf(ending.id, 1_440)).old_expires_at)).toBe(5);
    });

    it('sends of both keys, and of a further heir, count as those of the first key, which shows everywhere', async () => {
      const first = await create();
      const second = await heirOf(first.id, 15);
      const third = await heirOf(second.id, 15);
      const senders: unknown[] = [];
      dashboard.neighbours.respond(SendText, ({ sender, to }) => {
        senders.push(sender.api_key_id);
        return { message_id: 'wamid.A', phone: to, replayed: false };
      });
      dashboard.neighbours.respond(GetDailyUsage, ({ api_keys }) => ({
        used: api_keys.map(({ api_key_id }) => ({ api_key_id, used: api_key_id === first.id ? 42 : 0 })),
      }));
      for (const { key } of [first, second, third])
        await request(dashboard.visitor.server)
          .post('/api/v1/send-text')
          .set('x-api-key', key)
          .send({ phone: '+12015550100', message: 'Hi' })
          .expect(200);
      expect(senders).toEqual([first.id, first.id, first.id]);
      for (const { id } of [first, second, third]) expect(await listed(id)).toMatchObject({ used_today: 42, sends_as: first.id });
      dashboard.neighbours.respond(GetUsage, () => ({ usage: [], billing: [], currency: null }));
      const { keys } = (await owner.get('/api/client/usage').expect(200)).body as { keys: { id: number; used_today: number }[] };
      expect(keys.filter(({ used_today }) => used_today === 42)).toMatchObject([{ id: third.id }]);
      dashboard.neighbours.reset();
    });

    it.each([
      ['never expires', null],
      ['expires in 90 days', 90 * 24 * 60],
    ])('decision 297: after its heir was revoked, the further heir of a key that %s has this lifetime too', async (_, minutes) => {
      const { id } = await create(minutes === null ? {} : { expires_at: new Date(Date.now() + minutes * 60_000).toISOString() });
      for (let i = 0; i < 3; i++) {
        const heir = await heirOf(id, 60);
        expect(heir.expires_at && graceLeft(heir.expires_at)).toBe(minutes);
        expect(await listed(heir.id)).toMatchObject({ expires_at: heir.expires_at });
        await owner.delete(`/api/client/api-keys/${heir.id}`).expect(200);
      }
      expect(graceLeft((await heirOf(id, 1_440)).old_expires_at)).toBe(60);
    });

    it('an expiry that is set within the grace is the lifetime of the next heir', async () => {
      const { id } = await create();
      const heir = await heirOf(id, 60);
      await owner.delete(`/api/client/api-keys/${heir.id}`).expect(200);
      await owner.patch(`/api/client/api-keys/${id}`, { expires_at: new Date(Date.now() + 5 * 60_000).toISOString() }).expect(200);
      const next = await heirOf(id, 60);
      expect([next.expires_at, next.old_expires_at].map((at) => graceLeft(at ?? ''))).toEqual([5, 5]);
    });

    it('is refused for a key that has an heir, has ended, or is of another business, and for agents', async () => {
      const { id } = await create();
      const heir = await heirOf(id, 15);
      expect((await rotate(id, 15).expect(409)).body).toMatchObject({ error_code: 'CONFLICT' });
      await owner.delete(`/api/client/api-keys/${heir.id}`).expect(200);
      await rotate(heir.id, 15).expect(409);
      await heirOf(id, 0);
      await rotate(id, 0).expect(409);
      await owner.patch(`/api/client/api-keys/${id}`, { expires_at: '2099-01-01T00:00:00Z' }).expect(409);
      const outsider = await dashboard.session('owner', await dashboard.business());
      const agent = await dashboard.session('agent', business_id);
      for (const [by, status] of [[outsider, 404] as const, [agent, 403] as const]) {
        await rotate(heir.id, 0, by).expect(status);
        await by.patch(`/api/client/api-keys/${heir.id}`, { name: 'x' }).expect(status);
      }
      for (const grace of [1, -15, '15', null, undefined]) await rotate(heir.id, grace).expect(400);
    });
  });

  it('are renamed, expire earlier or later, and keep what a request leaves out', async () => {
    const { id, key } = await create();
    await owner.patch(`/api/client/api-keys/${id}`, { name: 'Shop', allowed_ips: ['2001:db8::/32'] }).expect(200);
    await owner.patch(`/api/client/api-keys/${id}`, { expires_at: '2099-01-01T00:00:00Z', name: null }).expect(200);
    const expected = { name: 'Shop', allowed_ips: ['2001:db8::/32'], expires_at: '2099-01-01T00:00:00.000Z' };
    expect(await listed(id)).toMatchObject(expected);
    expect(await found(key)).toMatchObject({ api_key_name: 'Shop' });
  });

  it('lose their expiry by never_expires only, because null leaves a field unchanged (decision 44)', async () => {
    const { id, key } = await create({ expires_at: '2099-01-01T00:00:00Z' });
    const edit = (change: object) => owner.patch(`/api/client/api-keys/${id}`, change);
    await edit({ expires_at: null, never_expires: false }).expect(200);
    await edit({ never_expires: null }).expect(200);
    const both = await edit({ expires_at: '2098-01-01T00:00:00Z', never_expires: true }).expect(400);
    expect(both.body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [{ field: 'never_expires' }] });
    await edit({ never_expires: 'yes' }).expect(400);
    expect(await listed(id)).toMatchObject({ expires_at: '2099-01-01T00:00:00.000Z' });
    await edit({ never_expires: true }).expect(200);
    expect(await listed(id)).toMatchObject({ expires_at: null });
    expect(await found(key)).toMatchObject({ expires_at: null });
  });

  it('work from allowed addresses only, as a trusted proxy names them; other requests cost the key nothing', async () => {
    const { id, key } = await create();
    const call = (address: string) =>
      request(dashboard.visitor.server).get('/api/v1/templates').set('x-api-key', key).set('x-forwarded-for', address);
    await owner.patch(`/api/client/api-keys/${id}`, { allowed_ips: ['203.0.113.7', '2001:db8::/32'] }).expect(200);
    const refused = await call('198.51.100.1').expect(403);
    expect(refused.body).toMatchObject({ success: false, error_code: 'IP_NOT_ALLOWED' });
    expect(refused.headers).not.toHaveProperty('ratelimit-remaining');
    // The client wrote the first address itself; the proxy appended the second one.
    await call('203.0.113.7, 198.51.100.1').expect(403);
    expect(await listed(id)).toMatchObject({ last_ip: '198.51.100.1' });
    dashboard.neighbours.respond(ListApprovedTemplates, () => ({ templates: [] }));
    for (const [nth, address] of ['203.0.113.7', '2001:db8::5'].entries())
      expect((await call(address).expect(200)).headers).toMatchObject({ 'ratelimit-remaining': String(59 - nth) });
    await dashboard.db.query(`UPDATE access.api_keys SET last_used_at = NULL WHERE id = $1`, [id]);
    await owner.patch(`/api/client/api-keys/${id}`, { allowed_ips: [] }).expect(200);
    // Gateways read the change a moment later.
    await eventually(async () => (await call('198.51.100.2')).status === 200);
    expect(await listed(id)).toMatchObject({ last_ip: '198.51.100.2', allowed_ips: [] });
    dashboard.neighbours.reset();
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ expires_at: '2000-01-01T00:00:00Z' }, 'expires_at'],
    [{ allowed_ips: '10.0.0.1' }, 'allowed_ips'],
    [{ allowed_ips: Array.from({ length: 21 }, (_, nth) => `10.0.0.${nth}`) }, 'allowed_ips'],
    ...[
      '10.0.0.0/33',
      '0.0.0.0/0',
      '::/0',
      '10/8',
      '010.0.0.1',
      '::/129',
      'localhost',
      'loopback',
      '10.0.0.0/255.0.0.0',
      '::ffff:10.0.0.1',
      'fe80::1%eth0',
      '',
    ].map((one): [object, string] => [{ allowed_ips: [one] }, 'allowed_ips']),
    [{ permissions: ['*'] }, 'permissions'],
  ])('refuses the change %j with 400 that names the field', async (body, field) => {
    const response = await owner.patch('/api/client/api-keys/1', body).expect(400);
    expect(response.body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [{ field }] });
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
    dashboard.neighbours.respond(GetDailyUsage, () => dashboard.neighbours.noResponse());
    expect(await listed(id)).toMatchObject({ used_today: null });
    dashboard.neighbours.reset();
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
