import { GatewayError } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import request from 'supertest';
import { PASSWORD, startDashboard, type Dashboard } from '../../test/dashboard.fixture';

const argon2 = jest.requireActual<typeof import('@node-rs/argon2')>('@node-rs/argon2');
const LOGIN = '/api/client/login';

describe('password checks under load (guarantees N2)', () => {
  let dashboard: Dashboard;
  let release = () => {};

  beforeAll(async () => {
    dashboard = await startDashboard({ loginIpLimit: 5, trustedProxies: ['127.0.0.1', '::1', '::ffff:127.0.0.1'] });
    dashboard.visitor.server.listen(0, '127.0.0.1');
  });
  afterEach(() => {
    release();
    jest.restoreAllMocks();
  });
  afterAll(() => dashboard.close());

  const login = (email: string, ip: string) =>
    request(dashboard.visitor.server).post(LOGIN).set('x-forwarded-for', ip).send({ email, password: PASSWORD });
  const refuse = (times: number) => {
    const hash = jest.spyOn(argon2, 'hash');
    for (let n = 0; n < times; n++) hash.mockRejectedValueOnce(new GatewayError('RATE_LIMITED', 'Too many at once.'));
  };

  it('five logins refused because of load lock out neither the person nor the network', async () => {
    const { email } = await dashboard.user('owner', await dashboard.business());
    refuse(5);
    for (let n = 0; n < 5; n++) await login(email, '203.0.113.1').expect(429, /Too many/);
    await login(email, '203.0.113.1').expect(200);
  });

  it('refused checks at an address with several accounts count as guesses at none (decision 718)', async () => {
    const { email } = await dashboard.user('owner', await dashboard.business());
    const other = await dashboard.session('owner', await dashboard.business());
    await other.post('/api/client/team', { email, name: 'Twin', role: 'agent', password: 'password over there' }).expect(200);
    refuse(20);
    for (let n = 0; n < 20; n++) await login(email, `203.0.113.${n}`).expect(429);
    await login(email, '203.0.113.20').expect(200);
  });

  it('five changes of a password refused because of load do not refuse the sixth', async () => {
    const owner = await dashboard.session('owner', await dashboard.business());
    const change = () => owner.put('/api/client/me/password', { current_password: PASSWORD, new_password: 'a much longer phrase' });
    refuse(5);
    for (let n = 0; n < 5; n++) await change().expect(429);
    await change().expect(200);
  });

  it('five uses of links refused because of load do not refuse the network’s sixth', async () => {
    const use = () =>
      request(dashboard.visitor.server)
        .post('/api/client/password')
        .set('x-forwarded-for', '198.51.100.1')
        .send({ token: 'A'.repeat(43), new_password: 'a much longer phrase' });
    refuse(5);
    for (let n = 0; n < 5; n++) await use().expect(429);
    await use().expect(400);
  });

  it('people whom a business adds at once leave connections of the database to others', async () => {
    const owner = await dashboard.session('owner', await dashboard.business());
    const other = await dashboard.session('owner', await dashboard.business());
    const held = new Promise<void>((resolve) => (release = resolve));
    const { hash } = argon2;
    const hashing = jest.spyOn(argon2, 'hash').mockImplementation(async (...given) => {
      await held;
      return hash(...given);
    });
    let begun = 0;
    const count = () => void (begun += 1);
    dashboard.visitor.server.on('request', count);
    const additions = Array.from({ length: 12 }, (_, n) =>
      owner.post('/api/client/team', { email: `colleague${n}.${owner.id}@there.example`, name: 'N', role: 'agent', password: PASSWORD }),
    ).map((addition) => addition.then(({ status }) => status));
    await eventually(() => begun === 12 && hashing.mock.calls.length > 0);
    await other.get('/api/client/team').expect(200);
    release();
    expect(await Promise.all(additions)).toEqual(Array(12).fill(200));
    dashboard.visitor.server.off('request', count);
  });

  it('the networks of a /48 leave places to others', async () => {
    const { email } = await dashboard.user('owner', await dashboard.business());
    const held = new Promise<void>((resolve) => (release = resolve));
    const { hash } = argon2;
    let running = 0;
    jest.spyOn(argon2, 'hash').mockImplementation(async (...given) => {
      running += 1;
      await held;
      return hash(...given);
    });
    let refused = 0;
    const flood = Array.from({ length: 170 }, async (_, n) => {
      const { status } = await login(`guess${n}@nowhere.example`, `2001:db8:1:${n.toString(16)}::1`);
      if (status === 429) refused += 1;
    });
    // 32 places and the room for 128 that wait.
    await eventually(() => refused >= 10);
    const before = running;
    const response = login(email, '192.0.2.1').then(({ status }) => status);
    await Promise.race([response, eventually(() => running > before)]);
    release();
    expect(await response).toBe(200);
    await Promise.all(flood);
  });
});
