import { PASSWORD, startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { OidcProvider } from '../../test/oidc-provider.fixture';
import { GatewayConfig } from '../gateway.config';

const BEGIN = '/api/client/oidc';
const CALLBACK = '/api/client/oidc/callback';
const CLIENT = { oidcClientId: 'gateway', oidcClientSecret: 'a secret of the client' };

describe('login with an OpenID Connect provider (additions §7, decision 375)', () => {
  let provider: OidcProvider;
  let dashboard: Dashboard;
  let business: number;
  let owner: Session;
  beforeAll(async () => {
    provider = await OidcProvider.start(`https://gateway.example${CALLBACK}`);
    dashboard = await startDashboard({ publicUrl: 'https://gateway.example', oidcIssuer: provider.issuer, ...CLIENT });
  });
  afterAll(async () => {
    await dashboard.close();
    await provider.stop();
  });
  beforeEach(async () => {
    business = await dashboard.business();
    owner = await dashboard.session('owner', business);
  });

  const cookieOf = (response: { headers: Record<string, unknown> }, name: string) =>
    new RegExp(`${name}=([^;]+)`).exec(String(response.headers['set-cookie']))?.[1];
  const begin = async (next = '/inbox') => {
    const response = await dashboard.visitor.get(`${BEGIN}?next=${encodeURIComponent(next)}`).expect(302);
    return { url: response.get('location') ?? '', cookie: cookieOf(response, 'oidc') ?? '' };
  };
  const finish = (search: string, cookie: string) =>
    dashboard.visitor.get(`${CALLBACK}${search}`).set('cookie', `oidc=${cookie}`).expect(302);
  const expectProblem = async (search: string, cookie: string, problem: string) => {
    const response = await finish(search, cookie);
    expect([response.get('location'), cookieOf(response, 'token')]).toEqual([`/login?problem=${problem}`, undefined]);
  };
  /** A request of the gateway as its browser keeps it. */
  const opened = (cookie: string) => JSON.parse(dashboard.sealer.open(cookie, 'oidc.request')) as Record<string, string | number>;
  const changed = (cookie: string, change: object) =>
    dashboard.sealer.seal(JSON.stringify({ ...opened(cookie), ...change }), 'oidc.request');

  it('logs a known person in, returns to their page, and leaves the second step to the provider', async () => {
    await owner.put('/api/client/settings', { require_totp: true }).expect(200);
    const { url, cookie } = await begin();
    const asked = new URL(url).searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked.get(name)).toMatch(/^[\w-]{43}$/);
    const response = await finish(await provider.logIn(url, owner.email.toUpperCase()), cookie);
    expect(response.get('location')).toBe('/inbox');
    const session = dashboard.withSession(cookieOf(response, 'token') ?? '');
    expect((await session.get('/api/client/audit?limit=1').expect(200)).body).toMatchObject({
      entries: [{ action: 'session.opened', user: { id: owner.id }, detail: { oidc: true } }],
    });
    await owner.get('/api/client/audit').expect(403);
  });

  it('creates nobody, and takes verified addresses only', async () => {
    for (const [login, problem] of [
      ['nobody@elsewhere.example', 'unknown'],
      [`unverified:${owner.email}`, 'unverified'],
    ] as const) {
      const { url, cookie } = await begin();
      await expectProblem(await provider.logIn(url, login), cookie, problem);
    }
  });

  it('requires the account if another business has invited the address, so that an invitation keeps nobody out (decision 709)', async () => {
    const other = await dashboard.session('owner', await dashboard.business());
    const invited = await other.post('/api/client/team', { email: owner.email, name: 'Asha', role: 'agent' }).expect(200);
    const { url, cookie } = await begin();
    const response = await finish(await provider.logIn(url, owner.email), cookie);
    expect([response.get('location'), cookieOf(response, 'token')]).toEqual(['/login?choose=true&next=%2Finbox', undefined]);
    const seal = cookieOf(response, 'oidc') ?? '';
    const choose = (body: object, value = seal) => dashboard.visitor.post('/api/client/oidc/login', body).set('cookie', `oidc=${value}`);
    const asked = await choose({}).expect(401);
    expect(asked.body).toMatchObject({
      error_code: 'ACCOUNT_REQUIRED',
      accounts: [
        { user_id: owner.id, business: expect.any(String) as string, role: 'owner' },
        { user_id: (invited.body as { id: number }).id, role: 'agent' },
      ],
    });
    await choose({ user_id: other.id }).expect(401);
    await choose({ user_id: owner.id }, cookie).expect(401);
    await choose({ user_id: owner.id }, '').expect(401);
    const late = dashboard.sealer.seal(JSON.stringify({ email: owner.email, until: Date.now() - 1 }), 'oidc.verified');
    await choose({ user_id: owner.id }, late).expect(401);
    const chosen = await choose({ user_id: owner.id }).expect(200);
    expect(chosen.body).toMatchObject({ user: { id: owner.id } });
    const cookies = chosen.headers['set-cookie'] as unknown as string[];
    expect(cookies.find((one) => one.startsWith('oidc='))).toMatch(/^oidc=; Max-Age=0/);
    const token = /token=([^;]+)/.exec(cookies.join())?.[1] ?? '';
    const { body } = await dashboard.withSession(token).get('/api/client/me').expect(200);
    expect(body).toMatchObject({ business: { id: business } });
  });

  it.each(['audience', 'issuer', 'expiry', 'signature'])('refuses an ID token with a wrong %s', async (fault) => {
    const { url, cookie } = await begin();
    await expectProblem(await provider.logIn(url, `${fault}:${owner.email}`), cookie, 'refused');
  });

  it('refuses a wrong state, nonce, verifier, issuer or client, and a used code', async () => {
    const { url, cookie } = await begin();
    const search = await provider.logIn(url, owner.email);
    await expectProblem(search, changed(cookie, { state: 'another' }), 'refused');
    await expectProblem(search.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example'), cookie, 'refused');
    await expectProblem(search, changed(cookie, { verifier: 'x'.repeat(43) }), 'refused');
    for (const [change, from] of [
      [{ nonce: 'another' }, 'gateway'],
      [{}, 'another'],
    ] as const) {
      const request = await begin();
      const code = await provider.logIn(request.url.replace('client_id=gateway', `client_id=${from}`), owner.email);
      await expectProblem(code, changed(request.cookie, change), 'refused');
    }
    const right = await begin();
    const once = await provider.logIn(right.url, owner.email);
    expect((await finish(once, right.cookie)).get('location')).toBe('/inbox');
    await expectProblem(once, right.cookie, 'refused');
  });

  it('refuses a request that is late, missing or changed, and the provider’s own refusal', async () => {
    const { url, cookie } = await begin();
    const search = await provider.logIn(url, owner.email);
    await expectProblem(search, changed(cookie, { until: Date.now() - 1 }), 'expired');
    await expectProblem(search, '', 'expired');
    await expectProblem(search, `${cookie.slice(0, -4)}AAAA`, 'expired');
    const { state } = opened(cookie);
    await expectProblem(`?error=access_denied&state=${state}&iss=${encodeURIComponent(provider.issuer)}`, cookie, 'refused');
  });

  it('spec §10: a page of another site that calls the callback uses up no logins of the network', async () => {
    const strict = await startDashboard({ publicUrl: 'https://gateway.example', oidcIssuer: provider.issuer, ...CLIENT, loginIpLimit: 3 });
    const { email } = await strict.user('owner', await strict.business());
    const cookie = cookieOf(await strict.visitor.get(BEGIN).expect(302), 'oidc') ?? '';
    for (let i = 0; i < 5; i += 1) {
      await strict.visitor.get(`${CALLBACK}?code=c&state=s`).expect(302);
      await strict.visitor.get(`${CALLBACK}?code=c&state=s`).set('cookie', `oidc=${cookie}`).expect(302);
    }
    await strict.visitor.post('/api/client/login', { email, password: PASSWORD }).expect(200);
    await strict.close();
  });

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/\t/evil.example'])('does not return to %j', async (next) => {
    const { cookie } = await begin(next);
    expect(opened(cookie)).toMatchObject({ next: '/' });
  });

  it('explains a provider that does not respond, and that none is configured', async () => {
    await dashboard.visitor.get('/api/client/login/options').expect(200, { oidc: true });
    const config = dashboard.get(GatewayConfig);
    const { oidcIssuer } = config;
    for (const [issuer, problem] of [
      ['http://127.0.0.1:1', 'unavailable'],
      ['', 'off'],
    ]) {
      Object.assign(config, { oidcIssuer: issuer });
      const replica = await dashboard.replica();
      expect((await replica.visitor.get(BEGIN).expect(302)).get('location')).toBe(`/login?problem=${problem}`);
      await replica.close();
    }
    Object.assign(config, { oidcIssuer });
  });
});
