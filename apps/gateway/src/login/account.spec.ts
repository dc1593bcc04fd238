import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import request from 'supertest';
import { eventually } from '@mgw/testing';
import { PASSWORD, startDashboard, type Dashboard, type Session, type User } from '../../test/dashboard.fixture';
import { MailServer } from '../../test/mail-server.fixture';

const NEW_PASSWORD = 'a much longer phrase';
const OWN_PASSWORD = '/api/client/me/password';
const OWN_SESSIONS = '/api/client/me/sessions';
const SET_PASSWORD = '/api/client/password';
const FORGOTTEN = '/api/client/password/forgotten';
const TEAM = '/api/client/team';

interface SessionList {
  sessions: { id: number; ip: string; user_agent: string | null; current: boolean; created_at: string; last_used_at: string }[];
}

describe('people keep their accounts', () => {
  let dashboard: Dashboard;
  let business: number;
  let owner: Session;
  let agent: Session;

  beforeAll(async () => {
    dashboard = await startDashboard({ publicUrl: 'https://gateway.example' });
    dashboard.visitor.server.listen(0, '127.0.0.1');
  });
  afterAll(() => dashboard.close());
  beforeEach(async () => {
    business = await dashboard.business();
    owner = await dashboard.session('owner', business);
    agent = await dashboard.session('agent', business);
  });

  const login = (email: string, password: string) => dashboard.visitor.post('/api/client/login', { email, password });
  const anotherSession = async ({ email }: User, password = PASSWORD) => {
    const cookie = String((await login(email, password).expect(200)).get('set-cookie'));
    return dashboard.withSession(/token=([\w-]{43})/.exec(cookie)?.[1] ?? '');
  };
  const change = (session: Session, current_password = PASSWORD) =>
    session.put(OWN_PASSWORD, { current_password, new_password: NEW_PASSWORD });
  const tokenOf = (url: string) => url.split('#token=')[1] ?? '';
  const reset = async (person: User, by = owner) => {
    const { body } = await by.post(`${TEAM}/${person.id}/reset`).expect(200);
    return tokenOf((body as { reset_url: string }).reset_url);
  };
  const setPassword = (token: string, new_password = NEW_PASSWORD) => dashboard.visitor.post(SET_PASSWORD, { token, new_password });

  describe('a changed password', () => {
    it('ends all other sessions on every gateway, and keeps the current one', async () => {
      const [other, replica] = [await anotherSession(owner), await dashboard.replica()];
      await change(owner).expect(200);
      await owner.get('/api/client/me').expect(200);
      await replica.withSession(other.token).get('/api/client/me').expect(401);
      await agent.get('/api/client/me').expect(200);
      await login(owner.email, PASSWORD).expect(401);
      await login(owner.email, NEW_PASSWORD).expect(200);
      await replica.close();
    });

    it('is for operators as well', async () => {
      const operator = await dashboard.session('operator', null);
      await change(operator).expect(200);
      await login(operator.email, NEW_PASSWORD).expect(200);
    });

    it('needs the current one; the sixth wrong try within 15 minutes gets 429, and logins still work', async () => {
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const { body } = await change(owner, 'not the password').expect(400);
        expect(body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [{ field: 'current_password' }] });
      }
      await change(owner).expect(429);
      await login(owner.email, PASSWORD).expect(200);
    });

    it.each([['short'], ['x'.repeat(257)], [7]])('cannot be %j', async (new_password) => {
      const { body } = await owner.put(OWN_PASSWORD, { current_password: PASSWORD, new_password }).expect(400);
      expect(body).toMatchObject({ details: [{ field: 'new_password' }] });
      await login(owner.email, PASSWORD).expect(200);
    });

    it('ends an unused link', async () => {
      const token = await reset(agent);
      await change(agent).expect(200);
      await setPassword(token, 'the password of a thief').expect(400);
    });

    it('leaves no session to a login that checked the old password', async () => {
      // Stands for the change: it holds the user's row until the login waits for it.
      const late = await dashboard.db.transaction(
        async (tx) => {
          await tx.query('SELECT 1 FROM access.users WHERE id = $1 FOR NO KEY UPDATE', [owner.id]);
          const status = login(owner.email, PASSWORD).then((response) => response.status);
          await eventually(async () => {
            const waiting = await dashboard.db.query(
              `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            );
            return waiting.length === 1;
          });
          await tx.query(`UPDATE access.users SET password_hash = 'changed' WHERE id = $1`, [owner.id]);
          return { status };
        },
        { mayPause: true },
      );
      expect(await late.status).toBe(401);
    });

    it('ends live tails of the ended sessions', async () => {
      const other = await anotherSession(owner);
      const intervals = jest.spyOn(global, 'setInterval');
      const { port } = dashboard.visitor.server.address() as AddressInfo;
      const headers = { cookie: `token=${other.token}` };
      const stream = await fetch(`http://127.0.0.1:${port}/api/client/events/stream`, { headers });
      const ended = stream.text();
      await change(owner).expect(200);
      const beats = intervals.mock.calls.filter(([, ms]) => ms === 4_000);
      expect(beats).toHaveLength(1);
      for (const [beat] of beats) (beat as () => void)();
      expect(await ended).toContain('retry');
      jest.restoreAllMocks();
    });
  });

  describe('sessions', () => {
    const list = async (session: { get: Session['get'] }) => ((await session.get(OWN_SESSIONS).expect(200)).body as SessionList).sessions;

    it('are listed with address and browser, the own one marked; nobody else’s', async () => {
      await request(dashboard.visitor.server)
        .post('/api/client/login')
        .set('user-agent', 'Firefox/200')
        .send({ email: owner.email, password: PASSWORD })
        .expect(200);
      const sessions = await list(owner);
      expect(sessions).toHaveLength(2);
      expect(sessions.filter(({ current }) => current)).toHaveLength(1);
      expect(sessions.find(({ current }) => !current)).toEqual({
        id: expect.any(Number) as number,
        created_at: expect.stringMatching(/Z$/) as string,
        last_used_at: expect.stringMatching(/Z$/) as string,
        ip: expect.stringContaining('127.0.0.1') as string,
        user_agent: 'Firefox/200',
        current: false,
      });
      expect(JSON.stringify(sessions)).not.toContain(owner.token);
    });

    it('end one by one on every gateway; another person’s id gets 404', async () => {
      const [other, replica] = [await anotherSession(owner), await dashboard.replica()];
      const id = (await list(owner)).find(({ current }) => !current)?.id ?? 0;
      await agent.delete(`${OWN_SESSIONS}/${id}`).expect(404);
      await owner.delete(`${OWN_SESSIONS}/${id}`).expect(200);
      await replica.withSession(other.token).get('/api/client/me').expect(401);
      await owner.delete(`${OWN_SESSIONS}/${id}`).expect(404);
      await owner.get('/api/client/me').expect(200);
      await replica.close();
    });
  });

  describe('invitations', () => {
    const invite = async (email: string, by = owner) => {
      const { body } = await by.post(TEAM, { email, name: 'Ravi', role: 'agent' }).expect(200);
      return body as { id: number; invite_url: string; expires_at: string; message: string };
    };

    it('the link sets the first password once, within 24 hours', async () => {
      const invited = await invite('ravi@people.example');
      expect(invited).toEqual({
        id: expect.any(Number) as number,
        invite_url: expect.stringMatching(/^https:\/\/gateway\.example\/password#token=[\w-]{43}$/) as string,
        expires_at: expect.any(String) as string,
        message: expect.any(String) as string,
      });
      const hours = (Date.parse(invited.expires_at) - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(23.9);
      expect(hours).toBeLessThanOrEqual(24);
      const flagged = async () =>
        ((await owner.get(TEAM)).body as { users: { id: number; invited: boolean }[] }).users.find(({ id }) => id === invited.id)?.invited;
      expect(await flagged()).toBe(true);
      const token = tokenOf(invited.invite_url);
      await setPassword(token, 'short').expect(400);
      await setPassword(token).expect(200);
      expect(await flagged()).toBe(false);
      await login('ravi@people.example', NEW_PASSWORD).expect(200);
      await setPassword(token, 'another password').expect(400);
      await login('ravi@people.example', 'another password').expect(401);
    });

    it('only its hash is stored', async () => {
      const token = tokenOf((await invite('hash@people.example')).invite_url);
      const rows = await dashboard.db.query<{ row: string; token_hash: Buffer }>(
        'SELECT l::text AS row, token_hash FROM access.password_links l',
      );
      expect(JSON.stringify(rows)).not.toContain(token);
      expect(rows.map((row) => row.token_hash.toString('hex'))).toContain(createHash('sha256').update(token).digest('hex'));
    });

    it('an address that another business knows gets the same response', async () => {
      const other = await dashboard.session('owner', await dashboard.business());
      const [first, second] = [await invite('both@people.example', other), await invite('both@people.example')];
      expect(Object.keys(second)).toEqual(Object.keys(first));
      await setPassword(tokenOf(first.invite_url), 'the first password').expect(200);
      await setPassword(tokenOf(second.invite_url), 'the second password').expect(200);
      for (const password of ['the first password', 'the second password']) await login('both@people.example', password).expect(200);
    });

    it('a removed person’s link is over, and an agent invites nobody', async () => {
      const invited = await invite('gone@people.example');
      await owner.delete(`${TEAM}/${invited.id}`).expect(200);
      await setPassword(tokenOf(invited.invite_url)).expect(400);
      await agent.post(TEAM, { email: 'x@people.example', name: 'X', role: 'agent' }).expect(403);
    });

    it('an operator invites the first owner of a business', async () => {
      const operator = await dashboard.session('operator', null);
      const person = { email: 'first@people.example', name: 'First', role: 'owner' };
      const { body } = await operator.post(`/api/admin/businesses/${business}/users`, person).expect(200);
      await setPassword(tokenOf((body as { invite_url: string }).invite_url)).expect(200);
    });
  });

  describe('resets', () => {
    it('the link ends all sessions on every gateway; until then the old password works', async () => {
      const replica = await dashboard.replica();
      const token = await reset(agent);
      await login(agent.email, PASSWORD).expect(200);
      await setPassword(token).expect(200);
      await replica.withSession(agent.token).get('/api/client/me').expect(401);
      await login(agent.email, PASSWORD).expect(401);
      await login(agent.email, NEW_PASSWORD).expect(200);
      await replica.close();
    });

    it('a new link replaces the one before', async () => {
      const [first, second] = [await reset(agent), await reset(agent)];
      await setPassword(first).expect(400);
      await setPassword(second).expect(200);
    });

    it('a link ends when the owner who made it is removed, or sets a new password', async () => {
      const second = await dashboard.session('owner', business);
      const [ofRemoved, ofChanged] = [await reset(owner, second), await reset(agent)];
      await owner.delete(`${TEAM}/${second.id}`).expect(200);
      await setPassword(ofRemoved).expect(400);
      await change(owner).expect(200);
      await setPassword(ofChanged).expect(400);
    });

    it('two uses of one link at once: one sets the password', async () => {
      const token = await reset(agent);
      const responses = await Promise.all(['the first password', 'the second password'].map((password) => setPassword(token, password)));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    });

    it('a token that is unknown, malformed, used or expired gets the same body', async () => {
      const [used, expired] = [await reset(agent), await reset(owner, await dashboard.session('owner', business))];
      await setPassword(used).expect(200);
      await dashboard.db.query(`UPDATE access.password_links SET expires_at = now() WHERE user_id = $1`, [owner.id]);
      const bodies = [];
      for (const token of [used, expired, 'A'.repeat(43), 'x']) bodies.push((await setPassword(token).expect(400)).body as object);
      for (const body of bodies) expect(body).toEqual(bodies[0]);
      expect(bodies[0]).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [{ field: 'token' }] });
      await login(owner.email, PASSWORD).expect(200);
    });

    it('wrong logins before do not keep the person out', async () => {
      for (let attempt = 0; attempt < 5; attempt += 1) await login(agent.email, 'forgotten').expect(401);
      await setPassword(await reset(agent)).expect(200);
      await login(agent.email, NEW_PASSWORD).expect(200);
    });

    it('a link of another business does not end the lock of an address', async () => {
      const other = await dashboard.session('owner', await dashboard.business());
      const { body } = await other.post(TEAM, { email: agent.email, name: 'M', role: 'agent' }).expect(200);
      for (let attempt = 0; attempt < 5; attempt += 1) await login(agent.email, 'guessed').expect(401);
      await setPassword(tokenOf((body as { invite_url: string }).invite_url)).expect(200);
      await login(agent.email, PASSWORD).expect(429);
    });

    it('two owners use at once the links that they made for each other', async () => {
      for (let round = 0; round < 10; round += 1) {
        const [one, two] = [await dashboard.session('owner', business), await dashboard.session('owner', business)];
        const links = [await reset(one, two), await reset(two, one)];
        const responses = await Promise.all(links.map((token) => setPassword(token)));
        expect(responses.map(({ status }) => status)).toContain(200);
        expect(responses.map(({ status }) => status)).not.toContain(500);
      }
    });

    it('nobody resets themselves, an agent resets nobody, and other businesses’ people get 404', async () => {
      const stranger = await dashboard.session('agent', await dashboard.business());
      await owner.post(`${TEAM}/${owner.id}/reset`).expect(409);
      await agent.post(`${TEAM}/${owner.id}/reset`).expect(403);
      for (const id of [stranger.id, 999_999, '9007199254740991', 'x']) await owner.post(`${TEAM}/${id}/reset`).expect(404);
    });

    it('an operator resets the owner who forgot their password', async () => {
      const operator = await dashboard.session('operator', null);
      const { body } = await operator.post(`/api/admin/users/${owner.id}/reset`).expect(200);
      await setPassword(tokenOf((body as { reset_url: string }).reset_url)).expect(200);
      await login(owner.email, NEW_PASSWORD).expect(200);
      await owner.get('/api/client/me').expect(401);
      await operator.post(`/api/admin/users/${operator.id}/reset`).expect(409);
      await operator.post('/api/admin/users/999999/reset').expect(404);
      await agent.post(`/api/admin/users/${owner.id}/reset`).expect(403);
    });

    it('another site cannot set a password', async () => {
      const token = await reset(agent);
      await setPassword(token).set('origin', 'https://elsewhere.example').expect(403);
      await setPassword(token).expect(200);
    });
  });
});

describe('guessed links', () => {
  it('count like wrong logins of the address', async () => {
    const dashboard = await startDashboard({ loginIpLimit: 3 });
    const guess = () => dashboard.visitor.post(SET_PASSWORD, { token: 'A'.repeat(43), new_password: NEW_PASSWORD });
    for (let attempt = 0; attempt < 3; attempt += 1) await guess().expect(400);
    const { body } = await guess().expect(429);
    expect(body).toMatchObject({ error_code: 'RATE_LIMITED', retry_after_seconds: expect.any(Number) as number });
    await dashboard.close();
  });
});

describe('links by mail', () => {
  const mails = new MailServer();
  let dashboard: Dashboard;
  let business: number;
  let owner: Session;
  beforeAll(async () => {
    dashboard = await startDashboard({ smtpUrl: await mails.start(), publicUrl: 'https://gateway.example' });
    business = await dashboard.business({ name: 'Chai Point' });
    owner = await dashboard.session('owner', business);
  });
  afterAll(async () => {
    await dashboard.close();
    await mails.stop();
  });

  const forgot = (email: string) => dashboard.visitor.post(FORGOTTEN, { email });
  const arrived = (address: string, count = 1) =>
    eventually(() => {
      const texts = mails.to(address);
      expect(texts).toHaveLength(count);
      return texts;
    });
  const linkIn = (text = '') => /https:\/\/gateway\.example\/password#token=[\w-]{43}/.exec(text)?.[0];
  const setPassword = (url = '') => dashboard.visitor.post(SET_PASSWORD, { token: url.split('#token=')[1], new_password: NEW_PASSWORD });

  it('invitations and resets are mailed as well', async () => {
    const invited = await owner.post(TEAM, { email: 'Ravi@mail.example', name: 'Ravi', role: 'agent' }).expect(200);
    const { id, invite_url } = invited.body as { id: number; invite_url: string };
    const [invitation] = await arrived('ravi@mail.example');
    expect(invitation).toContain('Subject: Your invitation to Chai Point');
    expect(linkIn(invitation)).toBe(invite_url);
    const { body } = await owner.post(`${TEAM}/${id}/reset`).expect(200);
    const [, reset] = await arrived('ravi@mail.example', 2);
    expect(linkIn(reset)).toBe((body as { reset_url: string }).reset_url);
    await setPassword(linkIn(reset)).expect(200);
  });

  it('whoever forgot a password gets one mail with a link for each business; unknown people get the same response and no mail', async () => {
    const other = await dashboard.session('owner', await dashboard.business({ name: 'Kaveri\r\nBcc: thief@mail.example' }));
    await other.post(TEAM, { email: owner.email, name: 'Owner', role: 'agent', password: PASSWORD }).expect(200);
    const [known, unknown] = [await forgot(owner.email.toUpperCase()).expect(200), await forgot('nobody@mail.example').expect(200)];
    expect(unknown.body).toEqual(known.body);
    const [text = ''] = await arrived(owner.email);
    expect(text).toMatch(/^Subject: Your passwords\r$/m);
    expect(text).not.toMatch(/^Bcc:/m);
    const links = [...text.matchAll(/^(.*):\r?\n(https:.*#token=[\w-]{43})\r?$/gm)];
    expect(links.map(([, place]) => place)).toEqual(['Chai Point', 'Kaveri Bcc: thief@mail.example']);
    const { body } = await owner.get('/api/client/audit?action=password.forgotten').expect(200);
    expect(body).toMatchObject({ entries: [{ user: { id: owner.id }, ip: null }] });
    for (const [, , link] of links) await setPassword(link).expect(200);
    await owner.get('/api/client/me').expect(401);
    expect(mails.to('nobody@mail.example')).toEqual([]);
  });

  it('a forgotten password ends no link that somebody handed over, unless it has expired (decision 299)', async () => {
    const email = 'asha@mail.example';
    const [colleague, other] = [await dashboard.session('owner', business), await dashboard.session('owner', await dashboard.business())];
    const { body } = await colleague.post(TEAM, { email, name: 'Asha', role: 'agent' }).expect(200);
    const { id, invite_url } = body as { id: number; invite_url: string };
    await arrived(email);
    // A request goes through the people in the order of their ids, so the mail for this one shows that Asha's turn is over.
    await other.post(TEAM, { email, name: 'Asha', role: 'agent', password: PASSWORD }).expect(200);
    await forgot(email).expect(200);
    await arrived(email, 2);
    await setPassword(invite_url).expect(200);
    await colleague.post(`${TEAM}/${id}/reset`).expect(200);
    await arrived(email, 3);
    // Three mails are the most within 15 minutes.
    await dashboard.db.query('DELETE FROM access.login_attempts');
    await dashboard.db.query('UPDATE access.password_links SET expires_at = now() WHERE user_id = $1', [id]);
    await forgot(email).expect(200);
    await arrived(email, 4);
  });

  it('the fourth invitation or reset for an address within 15 minutes is not mailed, at whatever business (decision 719)', async () => {
    const email = 'much.mailed@mail.example';
    const [colleague, other] = [await dashboard.session('owner', business), await dashboard.session('owner', await dashboard.business())];
    const { id } = (await colleague.post(TEAM, { email, name: 'Ravi', role: 'agent' }).expect(200)).body as { id: number };
    await colleague.post(`${TEAM}/${id}/reset`).expect(200);
    await forgot(email).expect(200);
    const { body } = await other.post(TEAM, { email, name: 'Ravi', role: 'agent' }).expect(200);
    const { message, invite_url } = body as { message: string; invite_url: string };
    expect(message).toContain('No mail was sent. Send the person this link');
    await forgot(email).expect(429);
    const operator = await dashboard.session('operator', null);
    const reset = (await operator.post(`/api/admin/users/${id}/reset`).expect(200)).body as { message: string };
    expect(reset.message).toContain('No mail was sent');
    await setPassword(invite_url).expect(200);
    await dashboard.db.query(`UPDATE access.login_attempts SET failures = ARRAY(SELECT f - interval '15 minutes' FROM unnest(failures) f)`);
    await operator.post(`/api/admin/users/${id}/reset`).expect(200, /on its way by mail/);
    // The first two, and this one: a link that somebody handed over stays, so the request mailed none.
    await arrived(email, 3);
  });

  it('the fourth request for an address within 15 minutes gets 429, known or not, and the log has one a day (decision 420)', async () => {
    const { id, email } = await dashboard.user('agent', business);
    for (const address of [email, 'stranger@mail.example']) {
      for (let request = 0; request < 3; request += 1) await forgot(address).expect(200);
      expect((await forgot(address).expect(429)).body).toMatchObject({ error_code: 'RATE_LIMITED' });
    }
    await arrived(email, 3);
    const logged = await dashboard.db.query(`SELECT ip FROM access.audit WHERE action = 'password.forgotten' AND user_id = $1`, [id]);
    expect(logged).toEqual([{ ip: expect.any(String) as string }]);
    await forgot('no address').expect(400);
    await forgot(email).set('origin', 'https://evil.example').expect(403);
  });
});

describe('requests of links by mail', () => {
  const mails = new MailServer();
  it('use up no logins of the network, and have a limit of their own', async () => {
    const dashboard = await startDashboard({ smtpUrl: await mails.start(), loginIpLimit: 3 });
    const { email } = await dashboard.user('agent', await dashboard.business());
    const forgot = (address: string) => dashboard.visitor.post(FORGOTTEN, { email: address });
    for (let i = 0; i < 3; i += 1) await forgot(`stranger${i}@mail.example`).expect(200);
    await forgot('another@mail.example').expect(429);
    await dashboard.visitor.post('/api/client/login', { email, password: PASSWORD }).expect(200);
    await dashboard.close();
    await mails.stop();
  });
});

describe('a mail server that never responds', () => {
  const waiting = new Set<Socket>();
  const silent = createServer((socket) => void waiting.add(socket.once('close', () => waiting.delete(socket))));
  let dashboard: Dashboard;
  beforeAll(async () => {
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    dashboard = await startDashboard({ smtpUrl: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}` });
  });
  afterAll(async () => {
    for (const socket of waiting) socket.destroy();
    silent.close();
    await dashboard.close();
  });

  it('delays nobody, and its links work by hand', async () => {
    const owner = await dashboard.session('owner', await dashboard.business());
    const invited = await owner.post(TEAM, { email: 'ravi@mail.example', name: 'Ravi', role: 'agent' }).expect(200);
    const token = (invited.body as { invite_url: string }).invite_url.split('#token=')[1];
    await dashboard.visitor.post(FORGOTTEN, { email: owner.email }).expect(200);
    await dashboard.visitor.post(SET_PASSWORD, { token, new_password: NEW_PASSWORD }).expect(200);
    // Both mails still wait for the server after all responses.
    await eventually(() => waiting.size === 2);
  });
});
