import { PASSWORD, startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';

describe('writes come from our own pages (product §2)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  const key = { name: 'k', permissions: ['*'] };

  beforeAll(async () => {
    dashboard = await startDashboard();
    owner = await dashboard.session('owner', await dashboard.business());
  });
  afterAll(() => dashboard.close());

  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['our name on another port', { origin: 'http://localhost:1' }],
    ['a sandboxed page', { origin: 'null' }],
    ['junk', { origin: 'localhost' }],
    ['a browser that hides the origin', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling subdomain', { origin: 'http://localhost', 'sec-fetch-site': 'same-site', host: 'localhost' }],
    ['a browser without an origin', { 'sec-fetch-site': 'none' }],
  ])('product §2: from %s they are refused', async (_, headers) => {
    const answer = await owner.post('/api/client/api-keys', key).set(headers).expect(403);
    expect(answer.body).toMatchObject({ success: false, error_code: 'PERMISSION_DENIED' });
  });

  it.each([
    ['our own page', { origin: 'http://gateway.example', host: 'gateway.example', 'sec-fetch-site': 'same-origin' }],
    ['our own page behind a proxy that ends TLS', { origin: 'https://gateway.example', host: 'gateway.example' }],
    ['a program', {}],
  ])('product §2: from %s they are done', async (_, headers) => {
    await owner.post('/api/client/api-keys', key).set(headers).expect(200);
  });

  it('product §2: login is guarded too, and reads are not', async () => {
    const foreign = { origin: 'https://evil.example' };
    await dashboard.visitor.post('/api/client/login', { email: owner.email, password: PASSWORD }).set(foreign).expect(403);
    await owner.get('/api/client/me').set(foreign).expect(200);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])('product §2: %s is 415', async (type) => {
    const answer = await owner.raw('/api/client/api-keys', type, JSON.stringify(key)).expect(415);
    expect(answer.body).toMatchObject({ success: false, error_code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  it('product §2: a write that does not say what it carries is 415; a DELETE that carries nothing needs not say', async () => {
    await owner.bare('/api/client/logout').expect(415);
    await owner.delete('/api/client/api-keys/999999').expect(404);
  });
});
