import { CheckConnection, GetConnection, SubscribeToAccount, type ConnectionCheck } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { codeOf, startTemplate, type TemplateFixture } from '../template.fixture';

const URL = 'https://gateway.example/webhooks/whatsapp';
const SCOPES = ['whatsapp_business_messaging', 'whatsapp_business_management'];
const refusal = (code: number, message: string, error_subcode?: number) => ({ error: { code, message, error_subcode } });
const tokenNode = (change: object = {}) => ({ data: { is_valid: true, app_id: '5', expires_at: 0, scopes: SCOPES, ...change } });
const apps = (...ids: string[]) => ({ data: ids.map((id) => ({ whatsapp_business_api_data: { id } })) });
const posts = (webhook_configuration: object) => ({ id: '701', webhook_configuration });

/** The responses of a working connection; a test replaces some. */
const WORKING = {
  '/debug_token': tokenNode(),
  '/801/subscribed_apps': apps('4', '5'),
  webhook_configuration: posts({ application: URL }),
  appsecret_proof: { id: '701' },
  '/701?fields=id,': { id: '701', display_phone_number: '+91 98765 43210', verified_name: 'Kaveri Looms', status: 'CONNECTED' },
};
type Part = keyof typeof WORKING;

describe('decision 530: the check list of a connection (additions §9)', () => {
  let fixture: TemplateFixture;
  beforeAll(async () => {
    fixture = await startTemplate();
    await fixture.connect();
    await fixture.synced();
  });
  afterAll(() => fixture.harness.close());

  const respond = (changes: Partial<Record<Part, object>>) => {
    fixture.platform.fixed = Object.entries({ ...WORKING, ...changes }).map(([part, body]) => ({
      part,
      body,
      status: 'error' in body ? 400 : 200,
    }));
  };
  const check = async () => (await fixture.harness.rpc.call(CheckConnection, { business_id: 1, callback_url: URL })).checks;
  const problems = async () => (await check()).filter(({ state }) => state === 'problem');

  it('is green when each part works, and calls the platform for each', async () => {
    respond({});
    const before = fixture.graph.requests.length;
    const checks = await check();
    expect(checks.map(({ name, state, fix }) => [name, state, fix])).toEqual(
      ['token', 'permissions', 'number', 'app_secret', 'subscription', 'callback'].map((name) => [name, 'ok', null]),
    );
    expect(checks.find(({ name }) => name === 'number')?.message).toBe('+91 98765 43210 (Kaveri Looms) can send messages');
    const calls = fixture.graph.requests.slice(before);
    expect(calls).toHaveLength(5);
    expect(calls.every(({ headers }) => headers.authorization === 'Bearer access_token 1')).toBe(true);
  });

  const day = 86_400;
  const now = Math.floor(Date.now() / 1_000);
  it.each<[string, Partial<Record<Part, object>>, ConnectionCheck['name'], string, string]>([
    ['a token that ended', { '/debug_token': tokenNode({ is_valid: false }) }, 'token', 'refuses the access token', 'System users'],
    ['a token that ends soon', { '/debug_token': tokenNode({ expires_at: now + day }) }, 'token', 'expires', 'never expires'],
    [
      'a missing scope',
      { '/debug_token': tokenNode({ scopes: SCOPES.slice(1) }) },
      'permissions',
      'lacks whatsapp_business_messaging',
      'again',
    ],
    [
      'a token for another account',
      { '/debug_token': tokenNode({ granular_scopes: [{ scope: SCOPES[0], target_ids: ['999'] }] }) },
      'permissions',
      'no access to the business account 801',
      'assign the account',
    ],
    ['a number of nobody', { '/701?fields=id,': refusal(100, 'Unsupported get request', 33) }, 'number', 'no phone number', 'API Setup'],
    ['a banned number', { '/701?fields=id,': { id: '701', status: 'BANNED' } }, 'number', 'The number is BANNED', 'WhatsApp Manager'],
    [
      'a limited number',
      {
        '/701?fields=id,': {
          ...{ id: '701', status: 'CONNECTED' },
          health_status: { can_send_message: 'LIMITED', entities: [{ additional_info: ['Verify your business'] }] },
        },
      },
      'number',
      'Verify your business',
      'WhatsApp Manager',
    ],
    ['a wrong app secret', { appsecret_proof: refusal(100, 'Invalid appsecret_proof provided') }, 'app_secret', 'every callback', 'Basic'],
    ['a foreign account', { '/801/subscribed_apps': refusal(100, 'no', 33) }, 'subscription', 'cannot read', 'business account id'],
    ['no subscription', { '/801/subscribed_apps': apps('4') }, 'subscription', 'not subscribed', 'Subscribe'],
    ['no callback URL', { webhook_configuration: posts({}) }, 'callback', 'no callback URL', 'Meta’s console'],
    [
      'another callback URL',
      { webhook_configuration: posts({ application: 'https://old.example/' }) },
      'callback',
      'https://old.example/',
      'Replace',
    ],
    [
      'an override of the callback URL',
      { webhook_configuration: posts({ phone_number: 'https://old.example/', application: URL }) },
      'callback',
      'https://old.example/',
      'override',
    ],
    [
      'template updates elsewhere',
      { webhook_configuration: posts({ whatsapp_business_account: URL, application: 'https://old.example/' }) },
      'callback',
      'updates of templates',
      'in the app too',
    ],
  ])('names %s, and the fix', async (_, changes, name, message, fix) => {
    respond(changes);
    expect(await problems()).toEqual([
      expect.objectContaining({ name, message: expect.stringContaining(message) as string, fix: expect.stringContaining(fix) as string }),
    ]);
  });

  it('shows one problem for a refused token; the other checks wait for it', async () => {
    const refused = refusal(190, 'Invalid OAuth access token');
    respond(Object.fromEntries(Object.keys(WORKING).map((part) => [part, refused])));
    const checks = await check();
    expect(checks.map(({ state }) => state)).toEqual(['problem', ...Array<string>(5).fill('unknown')]);
    await eventually(async () => (await fixture.connection())?.status === 'problem');
    respond({});
    await check();
    await eventually(async () => (await fixture.connection())?.status === 'connected');
  });

  it('reports unknown when the platform does not respond in its form, and shows when a token ends', async () => {
    const expires_at = now + 60 * day;
    respond({ '/debug_token': tokenNode({ expires_at }), '/801/subscribed_apps': {}, webhook_configuration: {} });
    const checks = await check();
    expect(checks.filter(({ state }) => state === 'unknown').map(({ name }) => name)).toEqual(['subscription', 'callback']);
    expect(checks[0]).toMatchObject({ state: 'ok', at: new Date(expires_at * 1_000).toISOString() });
  });

  it('subscribes the app, and passes on a refusal', async () => {
    const subscribe = () => fixture.harness.rpc.call(SubscribeToAccount, { business_id: 1 });
    respond({ '/801/subscribed_apps': { success: true } });
    await subscribe();
    expect(fixture.graph.requests.at(-1)).toMatchObject({
      method: 'POST',
      path: expect.stringMatching(/\/801\/subscribed_apps$/) as string,
    });
    respond({ '/801/subscribed_apps': refusal(200, 'no permission') });
    expect(await codeOf(subscribe())).toBe('NOT_CONNECTED');
  });

  it('decision 720: shows an app secret that does not open, and checks the rest', async () => {
    respond({});
    await fixture.connect(3);
    await fixture.harness.db.query(`UPDATE template.connections SET app_secret_sealed = 'test.damaged' WHERE business_id = 3`);
    const { checks } = await fixture.harness.rpc.call(CheckConnection, { business_id: 3, callback_url: URL });
    expect(checks.map(({ name, state }) => [name, state])).toContainEqual(['token', 'ok']);
    expect(checks.find(({ name }) => name === 'app_secret')).toMatchObject({
      state: 'problem',
      message: expect.stringContaining('cannot be read') as string,
      fix: expect.stringContaining('step App secret') as string,
    });
  });

  it('decision 720: shows an access token that does not open as a problem of the connection, until it is saved again', async () => {
    respond({});
    const { harness } = fixture;
    const status = async () => (await harness.rpc.call(GetConnection, { business_id: 4 })).connection?.status;
    const token = async () => (await harness.rpc.call(CheckConnection, { business_id: 4, callback_url: URL })).checks[0];
    await fixture.connect(4);
    await eventually(async () => (await status()) === 'connected');
    await harness.db.query(`UPDATE template.connections SET access_token_sealed = 'test.damaged', probe_at = now() WHERE business_id = 4`);
    expect(await token()).toMatchObject({ name: 'token', state: 'problem', message: expect.stringContaining('cannot be read') as string });
    expect(await codeOf(harness.rpc.call(SubscribeToAccount, { business_id: 4 }))).toBe('NOT_CONNECTED');
    await eventually(async () => (await status()) === 'problem');
    await fixture.connect(4);
    expect(await token()).toMatchObject({ name: 'token', state: 'ok' });
    await eventually(async () => (await status()) === 'connected');
  });

  it('needs a connection', async () => {
    expect(await codeOf(fixture.harness.rpc.call(CheckConnection, { business_id: 2, callback_url: URL }))).toBe('NOT_CONNECTED');
  });
});
