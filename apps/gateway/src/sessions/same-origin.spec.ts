import { PASSWORD, startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';

describe('writes only from the dashboard’s own pages (spec §10)', () => {
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
  ])('spec §10: refuses them from %s', async (_, headers) => {
    const response = await owner.post('/api/client/api-keys', key).set(headers).expect(403);
    expect(response.body).toMatchObject({ success: false, error_code: 'PERMISSION_DENIED' });
  });

  it.each([
    ['our own page', { origin: 'http://gateway.example', host: 'gateway.example', 'sec-fetch-site': 'same-origin' }],
    ['our own page behind a proxy that ends TLS', { origin: 'https://gateway.example', host: 'gateway.example' }],
    ['a program', {}],
  ])('spec §10: accepts them from %s', async (_, headers) => {
    await owner.post('/api/client/api-keys', key).set(headers).expect(200);
  });

  it('spec §10: guards login too, but not reads', async () => {
    const foreign = { origin: 'https://evil.example' };
    await dashboard.visitor.post('/api/client/login', { email: owner.email, password: PASSWORD }).set(foreign).expect(403);
    await owner.get('/api/client/me').set(foreign).expect(200);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])('spec §10: refuses %s with 415', async (type) => {
    const response = await owner.raw('/api/client/api-keys', type, JSON.stringify(key)).expect(415);
    expect(response.body).toMatchObject({ success: false, error_code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  it('spec §10: refuses a write without a content type with 415, except a DELETE without a body', async () => {
    await owner.bare('/api/client/logout').expect(415);
    await owner.delete('/api/client/api-keys/999999').expect(404);
  });
});
