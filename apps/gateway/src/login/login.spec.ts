import { createHash } from 'node:crypto';
import { Database } from '@mgw/postgres';
import { eventually } from '@mgw/testing';
import request from 'supertest';
import { PASSWORD, startDashboard, type Dashboard } from '../../test/dashboard.fixture';
import { LoginAttemptsStore } from '../users/login-attempts.store';

describe('login (spec §10)', () => {
  let dashboard: Dashboard;
  const login = (email: string, password: string) => dashboard.visitor.post('/api/client/login', { email, password });
  const cookieOf = (response: { headers: Record<string, unknown> }) =>
    String((response.headers['set-cookie'] as string[] | undefined)?.[0]);

  beforeAll(async () => {
    dashboard = await startDashboard({ loginIpLimit: 1000, trustedProxies: ['127.0.0.1', '::1'] });
  });
  afterAll(() => dashboard.close());

  it('spec §10: responds with the user and an opaque cookie that is stored only as a hash', async () => {
    const { email, id } = await dashboard.user('owner', await dashboard.business());
    const response = await login(email.toUpperCase(), PASSWORD).expect(200);
    expect(response.body).toEqual({ message: expect.any(String) as string, user: { id, email, name: 'Owner', role: 'owner' } });
    expect(cookieOf(response)).toMatch(/^token=[\w-]{43}; Max-Age=604800; Path=\/api; HttpOnly; SameSite=Lax$/);
    const token = /token=([\w-]+)/.exec(cookieOf(response))?.[1] ?? '';
    const stored = await dashboard.db.query<{ token_hash: Buffer }>('SELECT token_hash FROM access.sessions');
    expect(stored.map((row) => row.token_hash.toString('hex'))).toContain(createHash('sha256').update(token).digest('hex'));
  });

  it('spec §10: a wrong password and an unknown user get the same 401 body', async () => {
    const { email } = await dashboard.user('owner', await dashboard.business());
    const wrong = await login(email, 'not the password').expect(401);
    const unknown = await login('nobody@nowhere.example', PASSWORD).expect(401);
    expect(wrong.body).toEqual({ success: false, error: expect.any(String) as string, error_code: 'NOT_AUTHENTICATED' });
    expect(unknown.body).toEqual(wrong.body);
    expect(wrong.headers['set-cookie']).toBeUndefined();
  });

  it('spec §10: after five wrong logins in 15 minutes the sixth gets 429, even with the right password, for known and unknown users', async () => {
    const { email } = await dashboard.user('owner', await dashboard.business());
    for (const address of [email, 'stranger@nowhere.example']) {
      for (let attempt = 0; attempt < 5; attempt += 1) await login(address, 'wrong password').expect(401);
      const response = await login(address, PASSWORD).expect(429);
      expect(response.headers['set-cookie']).toBeUndefined();
      expect(Number(response.body.retry_after_seconds)).toBeGreaterThan(800);
    }
    await dashboard.db.query(`UPDATE access.login_attempts SET failures = ARRAY(SELECT f - interval '15 minutes' FROM unnest(failures) f)`);
    await login(email, PASSWORD).expect(200);
  });

  it('spec §10: fifty concurrent guesses over two replicas check at most five passwords', async () => {
    const { email } = await dashboard.user('owner', await dashboard.business());
    const replica = await dashboard.replica();
    const guess = (n: number) => (n % 2 ? dashboard : replica).visitor.post('/api/client/login', { email, password: `guess ${n}` });
    const responses = await Promise.all(Array.from({ length: 30 }, (_, n) => guess(n)));
    expect(responses.filter((response) => response.status === 401)).toHaveLength(5);
    expect(responses.filter((response) => response.status === 429)).toHaveLength(25);
    await replica.close();
  });

  it('spec §10: a right password resets the count of wrong ones', async () => {
    const { email } = await dashboard.user('owner', await dashboard.business());
    for (let round = 0; round < 3; round += 1) {
      for (let attempt = 0; attempt < 4; attempt += 1) await login(email, 'wrong password').expect(401);
      await login(email, PASSWORD).expect(200);
    }
  });

  it('spec §10: a right password at another business does not reset it', async () => {
    const { email } = await dashboard.user('owner', await dashboard.business());
    const other = await dashboard.session('owner', await dashboard.business());
    const twin = { email, name: 'Twin', role: 'agent', password: 'password over there' };
    await other.post('/api/client/team', twin).expect(200);
    for (let guess = 0; guess < 5; guess += 1) {
      await login(email, 'wrong password').expect(401);
      if (guess < 4) await login(email, twin.password).expect(200);
    }
    await login(email, PASSWORD).expect(429);
  });

  it('requires the account of a person with one password at several businesses (decision 709)', async () => {
    const { email, id } = await dashboard.user('owner', await dashboard.business());
    const other = await dashboard.session('owner', await dashboard.business());
    const twin = await other.post('/api/client/team', { email, name: 'Twin', role: 'agent', password: PASSWORD }).expect(200);
    const twinId = (twin.body as { id: number }).id;
    const asked = await login(email, PASSWORD).expect(401);
    expect(asked.body).toEqual({
      success: false,
      error_code: 'ACCOUNT_REQUIRED',
      error: 'Choose one of your accounts.',
      accounts: [
        { user_id: id, business: expect.any(String) as string, role: 'owner' },
        { user_id: twinId, business: expect.any(String) as string, role: 'agent' },
      ],
    });
    expect(asked.headers['set-cookie']).toBeUndefined();
    for (const user_id of [id, twinId]) {
      const { body } = await dashboard.visitor.post('/api/client/login', { email, password: PASSWORD, user_id }).expect(200);
      expect(body).toMatchObject({ user: { id: user_id } });
    }
    for (const user_id of [other.id, 999_999_999])
      await dashboard.visitor.post('/api/client/login', { email, password: PASSWORD, user_id }).expect(401, /NOT_AUTHENTICATED/);
    await dashboard.visitor.post('/api/client/login', { email, password: 'wrong password', user_id: id }).expect(401, /NOT_AUTHENTICATED/);
  });

  describe('an address that a stranger has added to their team (decision 718)', () => {
    const TWIN = 'password of the twin';
    const twins = async () => {
      const person = await dashboard.user('owner', await dashboard.business());
      const stranger = await dashboard.session('owner', await dashboard.business());
      const added = { email: person.email, name: 'Twin', role: 'agent', password: TWIN };
      const { body } = await stranger.post('/api/client/team', added).expect(200);
      return { ...person, twinId: (body as { id: number }).id };
    };
    const sessionOf = async (email: string, password: string) => {
      const response = await login(email, password).expect(200);
      return dashboard.withSession(/token=([\w-]+)/.exec(cookieOf(response))?.[1] ?? '');
    };
    /** Logs in as the twin, whose password is a guess at the person's. */
    const guess = async (email: string, times: number) => {
      for (let n = 0; n < times; n += 1) await login(email, TWIN).expect(200);
    };
    const loginTo = (user_id: number, email: string, password: string) =>
      dashboard.visitor.post('/api/client/login', { email, password, user_id });

    it('guesses at the other account end without showing whether one was right, until they expire', async () => {
      const { email, id, twinId } = await twins();
      await guess(email, 30);
      const twin = await sessionOf(email, TWIN);
      await twin.put('/api/client/me/password', { current_password: TWIN, new_password: PASSWORD }).expect(200);
      expect((await login(email, PASSWORD).expect(200)).body).toMatchObject({ user: { id: twinId } });
      await dashboard.db.query(
        `UPDATE access.login_attempts SET failures = ARRAY(SELECT f - interval '15 minutes' FROM unnest(failures) f)`,
      );
      await login(email, PASSWORD).expect(401, /ACCOUNT_REQUIRED/);
      await loginTo(id, email, PASSWORD).expect(200);
    });

    it('a login that names the other account counts as a wrong one', async () => {
      const { email, id, twinId } = await twins();
      for (let n = 0; n < 5; n += 1) await loginTo(id, email, TWIN).expect(401, /NOT_AUTHENTICATED/);
      await loginTo(id, email, PASSWORD).expect(429);
      await loginTo(twinId, email, TWIN).expect(429);
    });

    it('a login that names the account works over the limit and ends the count; five wrong ones are refused as ever', async () => {
      const { email, id } = await twins();
      await guess(email, 20);
      for (let n = 0; n < 4; n += 1) await loginTo(id, email, TWIN).expect(401, /NOT_AUTHENTICATED/);
      await login(email, PASSWORD).expect(401, /NOT_AUTHENTICATED/);
      await loginTo(id, email, PASSWORD).expect(429);
      await dashboard.db.query(`DELETE FROM access.login_attempts WHERE subject LIKE 'account:%'`);
      expect((await loginTo(id, email, PASSWORD).expect(200)).body).toMatchObject({ user: { id } });
      expect((await login(email, PASSWORD).expect(200)).body).toMatchObject({ user: { id } });
    });

    it('the person’s own password ends the count, and so does a link', async () => {
      const { email, id } = await twins();
      for (let round = 0; round < 2; round += 1) {
        await guess(email, 19);
        expect((await login(email, PASSWORD).expect(200)).body).toMatchObject({ user: { id } });
      }
      await guess(email, 20);
      await login(email, PASSWORD).expect(401);
      const operator = await dashboard.session('operator', null);
      const { body } = await operator.post(`/api/admin/users/${id}/reset`).expect(200);
      const token = (body as { reset_url: string }).reset_url.split('#token=')[1];
      await dashboard.visitor.post('/api/client/password', { token, new_password: 'a new password' }).expect(200);
      expect((await login(email, 'a new password').expect(200)).body).toMatchObject({ user: { id } });
    });
  });

  it('guarantees §9: the audit log has failed logins with account and business if known, and never what was typed', async () => {
    const business_id = await dashboard.business();
    const { email, id } = await dashboard.user('owner', business_id);
    for (let attempt = 0; attempt < 5; attempt += 1) await login(email, 'not the password').expect(401);
    await login('unknown@nowhere.example', 'not the password').set('x-forwarded-for', '2001:db8:1:fffe::1').expect(401);
    const entries = await dashboard.db.query<{ user_id: number; business_id: number; detail: { locked: boolean } }>(
      `SELECT user_id, business_id, detail FROM access.audit WHERE action = 'session.refused' AND (business_id = $1 OR business_id IS NULL)
        ORDER BY id DESC LIMIT 6`,
      [business_id],
    );
    expect(entries.map((entry) => [entry.user_id, entry.business_id, entry.detail.locked])).toEqual([
      [null, null, false],
      [id, business_id, true],
      ...Array.from({ length: 4 }, () => [id, business_id, false]),
    ]);
    expect(entries[0]?.detail).toMatchObject({
      account: expect.stringMatching(/^account:[0-9a-f]{64}$/) as string,
      network: '2001:db8:1:fffe::/64',
    });
    expect(JSON.stringify(entries)).not.toMatch(/nowhere|not the password/);
    // Anyone can add these entries, so old ones expire.
    await dashboard.db.query(`UPDATE access.audit SET at = at - interval '91 days' WHERE action = 'session.refused'`);
    await login('unknown@nowhere.example', 'not the password').expect(401);
    const left = await dashboard.db.query(`SELECT 1 FROM access.audit WHERE action = 'session.refused'`);
    expect(left).toHaveLength(1);
  });

  it('the audit log of each business of an address has its failed logins', async () => {
    const [owner, other] = [
      await dashboard.session('owner', await dashboard.business()),
      await dashboard.session('owner', await dashboard.business()),
    ];
    const twin = { email: owner.email, name: 'Twin', role: 'agent', password: 'password of the twin' };
    const { body } = await other.post('/api/client/team', twin).expect(200);
    const ids = [owner.id, (body as { id: number }).id];
    const refused = async () => {
      const logs = await Promise.all([owner, other].map((reader) => reader.get('/api/client/audit?action=session.refused').expect(200)));
      return logs.map((log) => (log.body as { entries: { target: string; detail: { locked: boolean } }[] }).entries);
    };
    await login(owner.email, 'wrong password').expect(401);
    for (const [n, entries] of (await refused()).entries())
      expect(entries).toMatchObject([{ target: `user:${ids[n]}`, detail: { locked: false } }]);
    // A login that names an account is for its business only.
    const credentials = { email: owner.email, password: 'wrong password', user_id: ids[1] };
    await dashboard.visitor.post('/api/client/login', credentials).expect(401);
    expect((await refused()).map(({ length }) => length)).toEqual([1, 2]);
    await dashboard.visitor.post('/api/client/login', { ...credentials, user_id: 999_999_999 }).expect(401);
    // Guesses through the twin: the business of the guessed account sees that they have reached the limit.
    for (let n = 0; n < 21; n += 1) await login(owner.email, twin.password).expect(200);
    const [guessed, own] = await refused();
    expect([guessed?.length, own?.length]).toEqual([3, 3]);
    expect(guessed?.[0]).toMatchObject({ target: `user:${owner.id}`, detail: { locked: true } });
    await login(owner.email, 'wrong password').expect(401);
    const [over, below] = await refused();
    expect([over?.[0], below?.[0]]).toMatchObject([{ detail: { locked: true } }, { detail: { locked: false } }]);
  });

  it('spec §10: ten concurrent right logins to one account all succeed', async () => {
    const { email } = await dashboard.user('owner', await dashboard.business());
    const responses = await Promise.all(Array.from({ length: 10 }, () => login(email, PASSWORD)));
    expect(responses.map((response) => response.status)).toEqual(Array(10).fill(200));
  });

  it('spec §10: each login creates a new session and ends the browser’s previous one', async () => {
    const owner = await dashboard.session('owner', await dashboard.business());
    const again = await owner.post('/api/client/login', { email: owner.email, password: PASSWORD }).expect(200);
    expect(cookieOf(again)).not.toContain(owner.token);
    await owner.get('/api/client/me').expect(401);
  });

  it('spec §10: logout ends the session on every gateway and clears the cookie; another browser stays logged in', async () => {
    const owner = await dashboard.session('owner', await dashboard.business());
    const other = await dashboard.visitor.post('/api/client/login', { email: owner.email, password: PASSWORD }).expect(200);
    const otherToken = /token=([\w-]+)/.exec(cookieOf(other))?.[1] ?? '';
    const replica = await dashboard.replica();
    await replica.withSession(owner.token).get('/api/client/me').expect(200);
    const response = await owner.post('/api/client/logout').expect(200);
    expect(cookieOf(response)).toMatch(/^token=; Max-Age=0; Path=\/api/);
    await replica.withSession(owner.token).get('/api/client/me').expect(401);
    await replica.withSession(otherToken).get('/api/client/me').expect(200);
    await replica.close();
  });

  it.each([
    ['12 hours after its last use', `last_used_at = now() - interval '12 hours'`, 401],
    ['7 days after its login, however much it was used', `created_at = now() - interval '7 days'`, 401],
    ['not a minute before either', `last_used_at = now() - interval '719 minutes', created_at = now() - interval '10079 minutes'`, 200],
  ])('spec §10: a session ends %s', async (_, change, status) => {
    const owner = await dashboard.session('owner', await dashboard.business());
    await dashboard.db.query(`UPDATE access.sessions SET ${change} WHERE user_id = $1`, [owner.id]);
    await owner.get('/api/client/me').expect(status);
  });

  it('spec §10: use keeps a session alive', async () => {
    const owner = await dashboard.session('owner', await dashboard.business());
    await dashboard.db.query(`UPDATE access.sessions SET last_used_at = now() - interval '11 hours' WHERE user_id = $1`, [owner.id]);
    await owner.get('/api/client/me').expect(200);
    const [row] = await dashboard.db.query<{ fresh: boolean }>(
      `SELECT last_used_at > now() - interval '1 minute' AS fresh FROM access.sessions WHERE user_id = $1`,
      [owner.id],
    );
    expect(row?.fresh).toBe(true);
  });

  it('spec §10: a page’s own requests succeed and do not keep a session alive', async () => {
    const owner = await dashboard.session('owner', await dashboard.business());
    await dashboard.db.query(`UPDATE access.sessions SET last_used_at = now() - interval '11 hours' WHERE user_id = $1`, [owner.id]);
    await owner.get('/api/client/me').set('x-unattended', '1').expect(200);
    const [row] = await dashboard.db.query<{ idle: boolean }>(
      `SELECT last_used_at < now() - interval '10 hours' AS idle FROM access.sessions WHERE user_id = $1`,
      [owner.id],
    );
    expect(row?.idle).toBe(true);
  });

  it('spec §10: every path of the dashboard and the operator responds 401 without a session', async () => {
    const paths = [
      'client/me',
      'client/api-keys',
      'client/webhooks',
      'client/connection',
      'client/templates',
      'admin/businesses',
      'admin/api-keys',
      'admin/limits',
    ];
    for (const path of paths) {
      const response = await dashboard.visitor.get(`/api/${path}`).expect(401);
      expect(response.body).toMatchObject({ success: false, error_code: 'NOT_AUTHENTICATED' });
    }
    await dashboard.withSession('A'.repeat(43)).get('/api/client/me').expect(401);
  });

  it.each([
    [{ email: 5, password: 'x' }, 'email'],
    [{ email: 'a@b.example' }, 'password'],
    [{ email: 'a@b.example', password: ['x'] }, 'password'],
    [{ email: 'a@b.example', password: 'x', remember: true }, 'remember'],
  ])('decisions 6, 7: refuses %j with 400 that names the field', async (body, field) => {
    const response = await dashboard.visitor.post('/api/client/login', body).expect(400);
    expect(response.body).toMatchObject({ success: false, error_code: 'VALIDATION_FAILED', details: [{ field }] });
  });
});

describe('login by address (spec §10)', () => {
  it('spec §10: LOGIN_IP_LIMIT bounds wrong logins of one address over all accounts; right ones do not count', async () => {
    const dashboard = await startDashboard({ loginIpLimit: 20 });
    const { email } = await dashboard.user('owner', await dashboard.business());
    const login = (address: string, password: string) => dashboard.visitor.post('/api/client/login', { email: address, password });
    for (let n = 0; n < 20; n += 1) {
      await login(email, PASSWORD).expect(200);
      await login(`guess${n}@nowhere.example`, 'wrong password').expect(401);
    }
    await login(email, PASSWORD).expect(429);
    await dashboard.close();
  });

  it('a network over LOGIN_IP_LIMIT is refused without a query (decision 739)', async () => {
    const dashboard = await startDashboard({ loginIpLimit: 20 });
    const login = (n: number) => dashboard.visitor.post('/api/client/login', { email: `guess${n}@nowhere.example`, password: 'wrong' });
    for (let n = 0; n < 20; n += 1) await login(n).expect(401);
    const first = await login(20).expect(429);
    const transactions = jest.spyOn(LoginAttemptsStore.prototype, 'take');
    const queries = jest.spyOn(Database.prototype, 'query');
    const responses = await Promise.all(Array.from({ length: 50 }, (_, n) => login(n)));
    const ofLogins = queries.mock.calls.filter(([text]) => /access\.(login_attempts|sessions|users|audit)/.test(text));
    expect([transactions.mock.calls, ofLogins]).toEqual([[], []]);
    jest.restoreAllMocks();
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([429]));
    const [{ body }] = responses as [(typeof responses)[0]];
    expect(body).toEqual({ ...first.body, retry_after_seconds: expect.any(Number) as number });
    expect((body as { retry_after_seconds: number }).retry_after_seconds).toBeGreaterThan(800);
    await dashboard.close();
  });

  it('a network with a second left is not refused for longer', async () => {
    const dashboard = await startDashboard({ loginIpLimit: 20 });
    const login = (n: number) => dashboard.visitor.post('/api/client/login', { email: `guess${n}@nowhere.example`, password: 'wrong' });
    for (let n = 0; n < 20; n += 1) await login(n).expect(401);
    const age = (seconds: number) =>
      dashboard.db.query(
        `UPDATE access.login_attempts
            SET failures = ARRAY(SELECT clock_timestamp() - make_interval(secs => $1) FROM unnest(failures)) WHERE subject LIKE 'address:%'`,
        [seconds],
      );
    await age(898);
    expect((await login(20).expect(429)).body).toMatchObject({ retry_after_seconds: 2 });
    await age(900);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 2_000);
    await login(20).expect(401);
    jest.restoreAllMocks();
    await dashboard.close();
  });

  it('a right login makes room at once, even when another was refused while it ended', async () => {
    const dashboard = await startDashboard({ loginIpLimit: 20 });
    const { email } = await dashboard.user('owner', await dashboard.business());
    const login = (address: string, password: string) => dashboard.visitor.post('/api/client/login', { email: address, password });
    for (let n = 0; n < 19; n += 1) await login(`guess${n}@nowhere.example`, 'wrong').expect(401);
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let isHeld = false;
    const database = dashboard.get(LoginAttemptsStore)['db'];
    const query = database.query.bind(database) as (text: string, values?: unknown[]) => Promise<never>;
    jest.spyOn(database, 'query').mockImplementation(async (text: string, values?: unknown[]) => {
      if (text.includes('array_remove') && String(values?.[0]).startsWith('address:')) {
        isHeld = true;
        await held;
      }
      return query(text, values);
    });
    const right = login(email, PASSWORD).then(({ status }) => status);
    await eventually(() => isHeld);
    await login('guess19@nowhere.example', 'wrong').expect(429);
    release();
    expect(await right).toBe(200);
    await login('guess19@nowhere.example', 'wrong').expect(401);
    jest.restoreAllMocks();
    await dashboard.close();
  });

  it('guarantees N2: a lock of the account and the address does not affect existing sessions', async () => {
    const dashboard = await startDashboard({ loginIpLimit: 20 });
    const owner = await dashboard.session('owner', await dashboard.business());
    const { token } = await dashboard.apiKey();
    const login = (email: string) => dashboard.visitor.post('/api/client/login', { email, password: 'wrong password' });
    for (let n = 0; n < 5; n += 1) await login(owner.email).expect(401);
    for (let n = 0; n < 15; n += 1) await login(`guess${n}@nowhere.example`).expect(401);
    await login(owner.email).expect(429);
    await login('another@nowhere.example').expect(429);
    await owner.get('/api/client/me').expect(200);
    await owner.put('/api/client/settings', { timezone: 'UTC' }).expect(200);
    await request(dashboard.visitor.server).get('/api/v1/health').set('x-api-key', token).expect(200);
    await owner.post('/api/client/logout').expect(200);
    await dashboard.close();
  });
});
