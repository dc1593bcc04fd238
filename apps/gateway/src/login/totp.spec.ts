import { randomBytes } from 'node:crypto';
import { Sealer } from '@mgw/sealing';
import { eventually } from '@mgw/testing';
import { startDashboard, PASSWORD, SEALING_KEYS, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { codeOf, setUpTwoSteps } from '../../test/two-steps.fixture';
import { GatewayConfig } from '../gateway.config';

const OWN_TOTP = '/api/client/me/totp';
const LOGIN = '/api/client/login';
const TEAM = '/api/client/team';

describe('two-step login (additions §7, decision 372)', () => {
  let dashboard: Dashboard;
  let business: number;
  let owner: Session;
  beforeAll(async () => {
    dashboard = await startDashboard({ publicUrl: 'https://gateway.example' });
  });
  afterAll(() => dashboard.close());
  beforeEach(async () => {
    business = await dashboard.business();
    owner = await dashboard.session('owner', business);
  });

  const login = (email: string, code?: string, password = PASSWORD, at = dashboard.visitor) =>
    at.post(LOGIN, { email, password, ...(code !== undefined && { code }) });
  const stateOf = async (session: Session) => (await session.get(OWN_TOTP).expect(200)).body as object;

  it('begins with a code of the app, which ends the other sessions', async () => {
    const cookie = String((await login(owner.email).expect(200)).get('set-cookie'));
    const other = dashboard.withSession(/token=([\w-]{43})/.exec(cookie)?.[1] ?? '');
    expect(await stateOf(owner)).toEqual({ enabled: false, required: false, recovery_codes_left: 0 });
    await owner.put(OWN_TOTP, { code: '123456' }).expect(409);
    const { body } = await owner.post(OWN_TOTP).expect(200);
    const { secret, otpauth_url } = body as { secret: string; otpauth_url: string };
    expect(otpauth_url).toMatch(/^otpauth:\/\/totp\/gateway\.example:owner\d+%40business\.example\?/);
    expect(new URL(otpauth_url).searchParams.get('secret')).toBe(secret);
    expect((await owner.put(OWN_TOTP, { code: '12345' }).expect(400)).body).toMatchObject({ details: [{ field: 'code' }] });
    await login(owner.email).expect(200);
    const confirmed = await owner.put(OWN_TOTP, { code: codeOf(secret) }).expect(200);
    const { recovery_codes } = confirmed.body as { recovery_codes: string[] };
    expect(new Set(recovery_codes).size).toBe(10);
    expect(await stateOf(owner)).toEqual({ enabled: true, required: false, recovery_codes_left: 10 });
    await other.get('/api/client/me').expect(401);
    await owner.post(OWN_TOTP).expect(409);
    const stored = JSON.stringify(await dashboard.db.query('SELECT totp::text FROM access.totp'));
    for (const text of [secret, ...recovery_codes]) expect(stored).not.toContain(text);
  });

  it('needs a code after the right password, and a code works once, whichever gateway gets it', async () => {
    const { secret, code: used } = await setUpTwoSteps(owner);
    const asked = await login(owner.email).expect(401);
    expect([asked.body, asked.get('set-cookie')]).toMatchObject([{ error_code: 'TOTP_REQUIRED' }, undefined]);
    expect((await login(owner.email, codeOf(secret, 1), 'wrong').expect(401)).body).toMatchObject({ error_code: 'NOT_AUTHENTICATED' });
    expect((await login(owner.email, used).expect(401)).body).toMatchObject({ error_code: 'NOT_AUTHENTICATED' });
    const replica = await dashboard.replica();
    const code = codeOf(secret, 1);
    const both = await Promise.all([login(owner.email, code), login(owner.email, code, PASSWORD, replica.visitor)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    await replica.close();
  });

  it('takes each recovery code once, however it is typed', async () => {
    const { recoveryCodes } = await setUpTwoSteps(owner);
    for (const code of ['éééééé', '１２３４５６', '٠٠٠٠٠٠']) await login(owner.email, code).expect(401);
    const [first = '', second = ''] = recoveryCodes;
    await login(owner.email, first.toLowerCase()).expect(200);
    await login(owner.email, first).expect(401);
    await login(owner.email, second.replaceAll('-', '')).expect(200);
    expect(await stateOf(owner)).toMatchObject({ recovery_codes_left: 8 });
  });

  it('a damaged secret leaves the recovery codes, and one that is not confirmed yet can be replaced', async () => {
    const damage = (id: number) =>
      dashboard.db.query(`UPDATE access.totp SET secret_sealed = left(secret_sealed, -8) || 'AAAAAAAA' WHERE user_id = $1`, [id]);
    const { secret, recoveryCodes } = await setUpTwoSteps(owner);
    await damage(owner.id);
    await login(owner.email, codeOf(secret, 1)).expect(401, /NOT_AUTHENTICATED/);
    for (const code of recoveryCodes.slice(0, 6)) await login(owner.email, code).expect(200);
    await owner.delete(OWN_TOTP, { password: PASSWORD }).expect(200);
    const agent = await dashboard.session('agent', business);
    await agent.post(OWN_TOTP).expect(200);
    await damage(agent.id);
    await agent.put(OWN_TOTP, { code: '123456' }).expect(409, /Request a new one/);
    await setUpTwoSteps(agent);
  });

  it('refuses the right code after five wrong ones; the same address at another business clears nothing', async () => {
    const { secret } = await setUpTwoSteps(owner);
    const other = await dashboard.session('owner', await dashboard.business());
    const password = 'password over there';
    await other.post(TEAM, { email: owner.email, name: 'Twin', role: 'agent', password }).expect(200);
    for (let guess = 0; guess < 5; guess += 1) {
      await login(owner.email, '000000').expect(401);
      await login(owner.email, undefined, password).expect(200);
    }
    await login(owner.email, codeOf(secret, 1)).expect(429);
  });

  it('ends with the password, or by an owner or an operator for somebody else, whose sessions end', async () => {
    const [agent, operator] = [await dashboard.session('agent', business), await dashboard.session('operator', null)];
    for (const session of [owner, agent]) await setUpTwoSteps(session);
    expect((await owner.delete(OWN_TOTP, { password: 'wrong' }).expect(400)).body).toMatchObject({ details: [{ field: 'password' }] });
    await owner.delete(OWN_TOTP, { password: PASSWORD }).expect(200);
    await owner.delete(OWN_TOTP, { password: PASSWORD }).expect(409);
    await login(owner.email).expect(200);
    expect((await owner.get(TEAM)).body).toMatchObject({ users: [{ totp: false }, { totp: true }] });
    await owner.delete(`${TEAM}/${owner.id}/totp`).expect(409);
    const stranger = await dashboard.session('owner', await dashboard.business());
    await stranger.delete(`${TEAM}/${agent.id}/totp`).expect(404);
    await owner.delete(`${TEAM}/${agent.id}/totp`).expect(200);
    await agent.get('/api/client/me').expect(401);
    await login(agent.email).expect(200);
    await owner.delete(`${TEAM}/${agent.id}/totp`).expect(404);
    await setUpTwoSteps(owner);
    await operator.delete(`/api/admin/users/${owner.id}/totp`).expect(200);
    await login(owner.email).expect(200);
  });

  it('leaves people without it their own account only, if the business requires it', async () => {
    const [agent, manager] = [await dashboard.session('agent', business), await dashboard.session('manager', business)];
    const settings = '/api/client/settings';
    await manager.put(settings, { require_totp: true }).expect(403);
    await owner.put(settings, { require_totp: true }).expect(200);
    expect((await agent.get(TEAM).expect(403)).body).toMatchObject({ error_code: 'TOTP_SETUP_REQUIRED' });
    await agent.get('/api/client/me').expect(200);
    expect(await stateOf(agent)).toMatchObject({ enabled: false, required: true });
    await setUpTwoSteps(agent);
    await agent.get(TEAM).expect(200);
    await owner.put(settings, { require_totp: false }).expect(403);
  });

  it('holds for operators with OPERATOR_TOTP=required', async () => {
    const operator = await dashboard.session('operator', null);
    const config = dashboard.get(GatewayConfig);
    await operator.get('/api/admin/limits').expect(200);
    Object.assign(config, { operatorTotp: 'required' });
    await operator.get('/api/admin/limits').expect(403);
    await owner.get(TEAM).expect(200);
    await setUpTwoSteps(operator);
    await operator.get('/api/admin/limits').expect(200);
    Object.assign(config, { operatorTotp: 'optional' });
  });

  it('a login that checked no code opens no session once two-step login is on', async () => {
    const status = await dashboard.db.transaction(
      async (tx) => {
        await tx.query('UPDATE access.users SET totp = true WHERE id = $1', [owner.id]);
        // It has checked password and code when it waits for the row.
        const waiting = login(owner.email).then((response) => response.status);
        const locks = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        await eventually(async () => (await dashboard.db.query(locks)).length === 1);
        return [waiting];
      },
      { mayPause: true },
    );
    expect(await status[0]).toBe(401);
  });

  it('decision 712: stays on when the sealing key is replaced, and a gateway without its key does not start', async () => {
    const { secret } = await setUpTwoSteps(owner);
    const context = (id: number) => `erasure.person:${id}`;
    const [erasure] = await dashboard.db.query<{ id: number }>(
      `INSERT INTO access.erasures (business_id, contact, reason, due_at) VALUES ($1, '…0100', 'Asked for it.', 'infinity') RETURNING id`,
      [business],
    );
    const id = erasure?.id ?? 0;
    await dashboard.db.query('UPDATE access.erasures SET person_sealed = $2 WHERE id = $1', [
      id,
      dashboard.sealer.seal('Ann', context(id)),
    ]);
    const added = `new:${randomBytes(32).toString('base64')}`;
    await expect(dashboard.replica({ sealer: new Sealer(added) })).rejects.toThrow('"test"');

    const rotating = await dashboard.replica({ sealer: new Sealer(`${added},${SEALING_KEYS}`) });
    const sealed = () =>
      dashboard.db.query<{ sealed: string }>(
        `SELECT secret_sealed AS sealed FROM access.totp UNION ALL SELECT person_sealed FROM access.erasures WHERE person_sealed <> ''`,
      );
    await eventually(async () => (await sealed()).every((row) => row.sealed.startsWith('new.')));
    await rotating.close();
    const sealer = new Sealer(added);
    const rotated = await dashboard.replica({ sealer });
    await login(owner.email, codeOf(secret, 1), PASSWORD, rotated.visitor).expect(200);
    const [open] = await dashboard.db.query<{ person_sealed: string }>('SELECT person_sealed FROM access.erasures WHERE id = $1', [id]);
    expect(sealer.open(open?.person_sealed ?? '', context(id))).toBe('Ann');
    await rotated.close();
  });
});
