import { eventually } from '@mgw/testing';
import { PASSWORD, startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';

const TEAM = '/api/client/team';

describe('the team of a business', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.close());

  const waiting = async (count: number) => {
    const rows = await dashboard.db.query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    return rows.length === count;
  };

  it('an owner removes a person, whose session ends at once', async () => {
    const business_id = await dashboard.business();
    const owner = await dashboard.session('owner', business_id);
    const agent = await dashboard.session('agent', business_id);
    await owner.delete(`${TEAM}/${agent.id}`).expect(200);
    await agent.get('/api/client/me').expect(401);
    await owner.delete(`${TEAM}/${agent.id}`).expect(404);
    await owner.delete(`${TEAM}/${owner.id}`).expect(409);
  });

  const roles = async (session: Session) =>
    ((await session.get(TEAM).expect(200)).body as { users: { role: string }[] }).users.map(({ role }) => role);

  it('decision 371: an owner changes roles, which hold from the next request; the last owner stays one', async () => {
    const business_id = await dashboard.business();
    const owner = await dashboard.session('owner', business_id);
    const person = await dashboard.session('agent', business_id);
    const outsider = await dashboard.session('agent', await dashboard.business());
    const change = (id: number, role: string) => owner.patch(`${TEAM}/${id}`, { role });
    await person.get('/api/client/webhooks').expect(403);
    await change(person.id, 'manager').expect(200);
    await person.get('/api/client/webhooks').expect(200);
    await change(outsider.id, 'owner').expect(404);
    await change(person.id, 'operator').expect(400);
    await owner.post(TEAM, { email: 'invited@people.example', name: 'I', role: 'owner' }).expect(200);
    expect((await change(owner.id, 'agent').expect(409)).body).toMatchObject({ error_code: 'CONFLICT' });
    await change(person.id, 'owner').expect(200);
    const { body } = await owner.post(`${TEAM}/${person.id}/reset`).expect(200);
    await change(owner.id, 'agent').expect(200);
    expect(await roles(owner)).toEqual(['owner', 'owner', 'agent']);
    await owner.post(TEAM, { email: 'x@people.example', name: 'X', role: 'agent' }).expect(403);
    const token = (body as { reset_url: string }).reset_url.split('=')[1];
    await dashboard.visitor.post('/api/client/password', { token, new_password: 'a new long password' }).expect(400);
  });

  it('decision 371: a member is an agent, even one of the previous version', async () => {
    const business_id = await dashboard.business();
    const owner = await dashboard.session('owner', business_id);
    const { email } = await dashboard.user('agent', business_id);
    await dashboard.db.query(`UPDATE access.users SET role = 'member' WHERE email = $1`, [email]);
    await owner.post(TEAM, { email: 'named@people.example', name: 'N', role: 'member' }).expect(200);
    expect(await roles(owner)).toEqual(['owner', 'agent', 'agent']);
    const { body } = await dashboard.visitor.post('/api/client/login', { email, password: PASSWORD }).expect(200);
    expect(body).toMatchObject({ user: { role: 'agent' } });
  });

  it('has at most 500 people, whoever adds them', async () => {
    const business_id = await dashboard.business();
    const [owner, operator] = [await dashboard.session('owner', business_id), await dashboard.session('operator', null)];
    await dashboard.db.query(
      `INSERT INTO access.users (business_id, email, name, role, password_hash, invited)
       SELECT $1, n || '@crowd.example', 'Agent', 'agent', '', false FROM generate_series(1, 498) n`,
      [business_id],
    );
    const person = (email: string) => ({ email, name: 'Ravi', role: 'agent' });
    const responses = await Promise.all(['a', 'b'].map((name) => owner.post(TEAM, person(`${name}@people.example`))));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(responses.find(({ status }) => status === 409)?.body).toMatchObject({ error_code: 'CONFLICT' });
    await operator.post(`/api/admin/businesses/${business_id}/users`, person('c@people.example')).expect(409, /at most 500 people/);
    const added = responses.find(({ status }) => status === 200)?.body as { id: number };
    await owner.delete(`${TEAM}/${added.id}`).expect(200);
    await operator.post(`/api/admin/businesses/${business_id}/users`, person('c@people.example')).expect(200);
  });

  it('keeps one owner when two owners remove each other at once', async () => {
    const business_id = await dashboard.business();
    const owners = [await dashboard.session('owner', business_id), await dashboard.session('owner', business_id)] as const;
    const remove = (by: 0 | 1) => owners[by].delete(`${TEAM}/${owners[1 - by]?.id}`).then(({ status }) => status);
    // Holds both transactions until both have started.
    const responses = await dashboard.db.transaction(
      async (tx) => {
        await tx.query('SELECT 1 FROM access.users WHERE business_id = $1 FOR UPDATE', [business_id]);
        const both = [remove(0), remove(1)];
        await eventually(() => waiting(2));
        return both;
      },
      { mayPause: true },
    );
    expect((await Promise.all(responses)).sort()).toEqual([200, 401]);
    const left = await dashboard.db.query(`SELECT id FROM access.users WHERE business_id = $1 AND role = 'owner'`, [business_id]);
    expect(left).toHaveLength(1);
  });

  describe('an email address with users at two businesses (guarantees §9)', () => {
    const person = (email: string, password: string) => ({ email, name: 'Ravi', password, role: 'agent' });
    const login = (email: string, password: string) => dashboard.visitor.post('/api/client/login', { email, password });

    it('is accepted like a new one; each password logs in to its own business', async () => {
      const [here, there] = [await dashboard.business(), await dashboard.business()];
      const [owner, other] = [await dashboard.session('owner', here), await dashboard.session('owner', there)];
      await other.post(TEAM, person('ravi@people.example', 'password over there')).expect(200);
      const taken = await owner.post(TEAM, person('RAVI@people.example', 'password over here')).expect(200);
      const free = await owner.post(TEAM, person('nobody@people.example', 'password over here')).expect(200);
      const id = expect.any(Number) as number;
      expect(taken.body).toEqual({ ...(free.body as object), id });
      // An address is unique within a business.
      await owner.post(TEAM, person('ravi@people.example', 'yet another one')).expect(409);
      const listed = ((await owner.get(TEAM).expect(200)).body as { users: { email: string }[] }).users;
      expect(listed.filter(({ email }) => email === 'ravi@people.example')).toHaveLength(1);
      for (const [password, business] of [
        ['password over there', there],
        ['password over here', here],
      ] as const) {
        const response = await login('ravi@people.example', password).expect(200);
        const token = /token=([\w-]{43})/.exec(String(response.get('set-cookie')))?.[1] ?? '';
        expect((await dashboard.withSession(token).get('/api/client/me').expect(200)).body).toMatchObject({ business: { id: business } });
      }
      await login('ravi@people.example', 'yet another one').expect(401);
    });

    it('can be added by two businesses at once, and both passwords work', async () => {
      const owners = await Promise.all([1, 2].map(async () => dashboard.session('owner', await dashboard.business())));
      const passwords = ['the first password', 'the second password'];
      await Promise.all(owners.map((owner, i) => owner.post(TEAM, person('mina@people.example', passwords[i] ?? '')).expect(200)));
      for (const password of passwords) await login('mina@people.example', password).expect(200);
    });
  });

  it.each(['2147483648', '9007199254740991', '0', 'x', '%00'])('guarantees §9: the user id %s gets 404', async (id) => {
    const owner = await dashboard.session('owner', await dashboard.business());
    await owner.delete(`${TEAM}/${id}`).expect(404);
  });
});
