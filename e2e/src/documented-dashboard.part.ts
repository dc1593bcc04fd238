import { TOTP } from 'otpauth';
import { Sealer } from '@mgw/sealing';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { connectAs } from './database';
import { Documented, MALFORMED, urlOf, type Operation } from './documented';
import {
  announcer,
  browser,
  customer,
  cutOffPlatform,
  dashboardUser,
  integrator,
  logIn,
  sentFile,
  type ApiResponse,
  type DashboardUser,
} from './people';
import { sharedStack, type SharedStack } from './stack';

const documented = new Documented();
const PREFIXES = ['/api/client/', '/api/admin/'];
/** An id in paths that no resource has. */
const MISSING_ID = {
  id: '999999999',
  delivery_id: '999999999',
  message_id: 'wamid.none',
  phone: '12015550999',
  media_id: '1',
  service: 'status',
};
const NOT_ENCODED = Object.fromEntries(Object.keys(MISSING_ID).map((name) => [name, MALFORMED]));
const LOGIN = '/api/client/login';
const UPLOADS = '/api/client/media';
const TEXT_FILE = { body: 'A file', headers: { 'content-type': 'text/plain' } };
const SAMPLES = `${UPLOADS}/samples`;
const PDF_FILE = { body: Buffer.from('%PDF-1.7'), headers: { 'content-type': 'application/pdf' } };
/** The endpoints whose body is a file, each with one. */
const FILES: Record<string, Request> = { [UPLOADS]: TEXT_FILE, [SAMPLES]: PDF_FILE };
const ELSEWHERE = { origin: 'https://elsewhere.example' };

interface Request {
  /** Path parameters; `MISSING_ID` by default. */
  at?: Partial<Record<keyof typeof MISSING_ID, string | number>>;
  query?: string;
  /** The document's example by default. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** Requests every documented response of the dashboard and operator API once and validates it against its schema. */
describe('the OpenAPI document and live responses (spec §10, §11)', () => {
  let stack: SharedStack;
  let owner: DashboardUser;
  let agent: DashboardUser;
  let operator: DashboardUser;
  let visitor: DashboardUser;
  let verboseCallers: Map<DashboardUser, DashboardUser>;
  let receiver: Receiver;

  beforeAll(async () => {
    stack = await sharedStack();
    const { site_url } = stack.demo;
    visitor = browser(site_url);
    const cookies = [await logIn(site_url, stack.growth.owner), await logIn(site_url, stack.demo.operator)] as const;
    [owner, operator] = [browser(site_url, cookies[0]), browser(site_url, cookies[1])];
    // Recipient lists may have 5 MB.
    verboseCallers = new Map([
      [owner, announcer(site_url, 5_300_000, cookies[0])],
      [operator, announcer(site_url, 5_300_000, cookies[1])],
    ]);
    const person = { email: 'agent@growth.example', password: 'correct horse battery' };
    await owner.call('POST', '/api/client/team', { ...person, name: 'Agent', role: 'agent' });
    agent = await dashboardUser(site_url, person);
    receiver = await startReceiver();
  }, 150_000);
  afterAll(() => receiver?.close());

  /** Sends a request and validates the response. @param endpoint method and path as in the document */
  async function expectResponse<B = Record<string, never>>(
    status: number,
    who: DashboardUser,
    endpoint: string,
    request: Request = {},
  ): Promise<B> {
    const [method = '', path = ''] = endpoint.split(' ');
    const { at = {}, query = '', body = documented.example(method, path), headers } = request;
    const url = urlOf(path, { ...MISSING_ID, ...at });
    const sent = body ?? (method === 'get' || method === 'delete' ? undefined : {});
    const response: ApiResponse<B> = await who.call(method, `${url}${query}`, sent, headers);
    expect([endpoint, response.status, response.status === status ? null : response.body]).toEqual([endpoint, status, null]);
    documented.conforms(method, path, response);
    return response.body;
  }

  /** Checks the documented permissions. */
  const allowed = ({ 'x-roles': roles }: Operation) => (roles?.[0] === 'operator' ? operator : owner);
  const refused = ({ 'x-roles': roles = [] }: Operation) =>
    Object.entries({ operator, agent, owner }).find(([role]) => roles.length > 0 && !roles.includes(role))?.[1];

  it.each(PREFIXES.flatMap((prefix) => documented.operations(prefix)))(
    '%s %s: returns the documented errors for missing permissions and invalid input',
    async (method, path, operation) => {
      const endpoint = `${method} ${path}`;
      const documents = (status: number) => String(status) in operation.responses;
      const may = allowed(operation);
      if (documents(401))
        await expectResponse(401, visitor, endpoint, { ...(path === LOGIN && { body: { email: 'a@b.example', password: 'x' } }) });
      if (method !== 'get') await expectResponse(403, may, endpoint, { headers: ELSEWHERE });
      const wrong = refused(operation);
      if (wrong) await expectResponse(403, wrong, endpoint);
      if (documents(404)) await expectResponse(404, may, endpoint);
      if (path.includes('{phone}')) await expectResponse(400, may, endpoint, { at: { phone: '12' } });
      if (path.includes('{')) await expectResponse(400, may, endpoint, { at: NOT_ENCODED });
      if (operation.parameters.some((parameter) => parameter.in === 'query'))
        await expectResponse(400, may, endpoint, { query: '?no_such_field=1', ...FILES[path] });
      if (path in FILES) return;
      if (documents(413)) await expectResponse(413, verboseCallers.get(may) as DashboardUser, endpoint);
      if (documents(415)) await expectResponse(415, may, endpoint, { body: 'x', headers: { 'content-type': 'text/plain' } });
      if (method !== 'get') await expectResponse(400, may, endpoint, { body: Buffer.from('{') });
      if (operation.requestBody) await expectResponse(400, may, endpoint, { body: { no_such_field: 1 } });
    },
  );

  it('login, logout, me', async () => {
    const { site_url } = stack.demo;
    const person = { email: 'guessed@growth.example', password: 'correct horse battery' };
    await expectResponse(200, owner, 'post /api/client/team', { body: { ...person, name: 'Guessed', role: 'agent' } });
    await expectResponse(200, visitor, 'post /api/client/login', { body: person });
    await expectResponse(200, visitor, 'get /api/client/login/options');
    const leaving = browser(site_url, await logIn(site_url, person));
    for (const who of [leaving, operator]) await expectResponse(200, who, 'get /api/client/me');
    await expectResponse(200, leaving, 'post /api/client/logout');
    for (let guess = 0; guess < 5; guess++) await visitor.call('POST', '/api/client/login', { ...person, password: 'wrong' });
    await expectResponse(429, visitor, 'post /api/client/login', { body: person });
  });

  it('the choice of an account after a login with a provider', async () => {
    const { email } = stack.growth.owner;
    const seal = new Sealer(stack.sealingKeys).seal(JSON.stringify({ email, until: Date.now() + 60_000 }), 'oidc.verified');
    await expectResponse(200, visitor, 'post /api/client/oidc/login', { body: {}, headers: { cookie: `oidc=${seal}` } });
  });

  it('API keys', async () => {
    const headers = { 'idempotency-key': 'key' };
    const { id } = await expectResponse<{ id: number }>(200, owner, 'post /api/client/api-keys', { headers });
    await expectResponse(422, owner, 'post /api/client/api-keys', { headers, body: { name: 'Another', permissions: ['*'] } });
    await expectResponse(200, owner, 'get /api/client/api-keys');
    await expectResponse(200, operator, 'get /api/admin/api-keys');
    await expectResponse(200, operator, 'patch /api/admin/api-keys/{id}', { at: { id } });
    await expectResponse(200, owner, 'patch /api/client/api-keys/{id}', { at: { id } });
    const heir = await expectResponse<{ id: number }>(200, owner, 'post /api/client/api-keys/{id}/rotate', { at: { id } });
    await expectResponse(409, owner, 'post /api/client/api-keys/{id}/rotate', { at: { id } });
    await expectResponse(200, owner, 'delete /api/client/api-keys/{id}', { at: { id: heir.id } });
    await expectResponse(409, owner, 'patch /api/client/api-keys/{id}', { at: { id: heir.id } });
    const fill = async (): Promise<void> => {
      const { status } = await owner.call('POST', '/api/client/api-keys', { name: 'One more', permissions: ['*'] });
      if (status === 200) return fill();
    };
    await fill();
    await expectResponse(409, owner, 'post /api/client/api-keys');
    await expectResponse(200, owner, 'delete /api/client/api-keys/{id}', { at: { id } });
  });

  it('webhooks and their deliveries', async () => {
    const headers = { 'idempotency-key': 'webhook' };
    const { id } = await expectResponse<{ id: number }>(200, owner, 'post /api/client/webhooks', { headers });
    const body = documented.example('post', '/api/client/webhooks');
    await expectResponse(422, owner, 'post /api/client/webhooks', { headers, body: { ...(body as object), name: 'Another' } });
    for (let status = 200; status === 200;) ({ status } = await owner.call('POST', '/api/client/webhooks', body));
    await expectResponse(409, owner, 'post /api/client/webhooks');
    const { webhooks } = await expectResponse<{ webhooks: { id: number }[] }>(200, owner, 'get /api/client/webhooks');
    for (const other of webhooks)
      if (other.id > id) await expectResponse(200, owner, 'delete /api/client/webhooks/{id}', { at: { id: other.id } });
    await expectResponse(200, owner, 'put /api/client/webhooks/{id}', { at: { id }, body: { url: receiver.url } });
    const { delivery_id } = await expectResponse<{ delivery_id: number }>(200, owner, 'post /api/client/webhooks/{id}/test', {
      at: { id },
    });
    await eventually(async () => {
      const list = { at: { id }, query: '?state=succeeded' };
      const { deliveries } = await expectResponse<{ deliveries: object[] }>(200, owner, 'get /api/client/webhooks/{id}/deliveries', list);
      return deliveries.length === 1;
    });
    await expectResponse(200, owner, 'get /api/client/webhooks/{id}/deliveries/{delivery_id}', { at: { id, delivery_id } });
    const redeliver = 'post /api/client/webhooks/{id}/deliveries/{delivery_id}/redeliver';
    await expectResponse(200, owner, redeliver, { at: { id, delivery_id } });
    const recover = '/api/client/webhooks/{id}/recover';
    for (const method of ['post', 'get', 'delete']) await expectResponse(200, owner, `${method} ${recover}`, { at: { id } });
    await expectResponse(200, owner, 'put /api/client/webhooks/{id}', { at: { id }, body: { is_active: false } });
    await expectResponse(409, owner, `post ${recover}`, { at: { id } });
    await expectResponse(409, owner, redeliver, { at: { id, delivery_id } });
    await expectResponse(409, owner, 'post /api/client/webhooks/{id}/test', { at: { id } });
    await expectResponse(200, owner, 'delete /api/client/webhooks/{id}', { at: { id } });
  });

  it('the connection and its templates', async () => {
    const { phone_number_id, business_account_id } = stack.growth;
    await expectResponse(200, owner, 'put /api/client/connection', { body: { phone_number_id, business_account_id } });
    await expectResponse(200, owner, 'get /api/client/connection');
    await expectResponse(200, owner, 'get /api/client/connection/checks');
    await expectResponse(200, owner, 'post /api/client/connection/subscribe');
    await expectResponse(200, owner, 'post /api/client/templates/sync');
    // The simulator rejects templates with such a name at once, and a rejected one can be edited.
    const draft = { ...documented.example('post', '/api/client/templates'), name: 'edited_rejected' };
    await expectResponse(200, owner, 'post /api/client/templates', { body: draft });
    await expectResponse(400, owner, 'post /api/client/templates', { body: draft });
    const becomes = (status: string) =>
      eventually(async () => {
        const list = await expectResponse<{ templates: { id: number; name: string; status: string }[] }>(
          200,
          owner,
          'get /api/client/templates',
        );
        return list.templates.find((one) => one.name === draft.name && one.status === status);
      });
    const at = await becomes('REJECTED');
    await expectResponse(200, owner, 'put /api/client/templates/{id}', { at: { id: at.id } });
    await becomes('PENDING');
    await expectResponse(409, owner, 'put /api/client/templates/{id}', { at: { id: at.id } });
    await expectResponse(200, owner, 'delete /api/client/templates/{id}', { at: { id: at.id } });
  });

  it('the request log', async () => {
    const { status } = await integrator(stack.demo.base_url, stack.growth.api_key).post('send-text', {});
    expect(status).toBe(400);
    await eventually(async () => {
      const { requests } = await expectResponse<{ requests: object[] }>(200, owner, 'get /api/client/requests');
      return requests.length > 0;
    });
  });

  it('messages, usage, and the inbox', async () => {
    const crm = integrator(stack.demo.base_url, stack.growth.api_key);
    const sent = await eventually(async () => {
      const body = { phone: '+1 201 555 0126', template_name: 'order_update', body_params: ['Asha', '1007'] };
      const { status, body: reply } = await crm.post<{ message_id: string }>('send-template', body);
      return status === 200 && reply;
    });
    await eventually(async () => {
      const { messages } = await expectResponse<{ messages: object[] }>(200, owner, 'get /api/client/messages', {
        query: '?status=failed',
      });
      return messages.length > 0;
    });
    await expectResponse(200, owner, 'get /api/client/messages/{message_id}', { at: { message_id: sent.message_id } });
    await expectResponse(200, owner, 'get /api/client/usage');
    await expectResponse(200, owner, 'get /api/client/messages/counts', { query: '?period=24h' });
    /** Sends in every way of the inbox, and repeats each request: with another body, unless its outcome is unknown. */
    const reply = async (phone: string, status: number, repeated?: number) => {
      const message_id = await customer(stack.demo, stack.growth, phone).sends({ text: 'Hi' });
      const id = await eventually(async () => {
        const list = { query: `?q=${phone}` };
        const { conversations } = await expectResponse<{ conversations: { id: number }[] }>(
          200,
          owner,
          'get /api/client/conversations',
          list,
        );
        return conversations[0]?.id;
      });
      const template = { template_name: 'order_update', body_params: ['Asha', '1007'] };
      const { media_id } = await expectResponse<{ media_id: string }>(200, owner, `post ${UPLOADS}`, TEXT_FILE);
      const file = { media_type: 'document', media_id, filename: 'a.txt' };
      const sends = {
        'conversations/{id}/files': [file, { ...file, caption: 'No.' }],
        'conversations/{id}/messages': [{ text: 'Yes.' }, { text: 'No.' }],
        'conversations/{id}/reactions': [
          { message_id, emoji: '👍' },
          { message_id, emoji: null },
        ],
        'conversations/{id}/templates': [template, { ...template, body_params: ['Ben', '1008'] }],
        messages: [
          { phone, text: 'Yes.' },
          { phone, text: 'No.' },
        ],
      };
      for (const [way, [body, other]] of Object.entries(sends)) {
        const request = { at: { id }, headers: { 'idempotency-key': `${phone}-${way.replace(/\W/g, '')}` } };
        await expectResponse(status, owner, `post /api/client/${way}`, { ...request, body });
        if (repeated)
          await expectResponse(repeated, owner, `post /api/client/${way}`, { ...request, body: repeated === 409 ? body : other });
      }
      await expectResponse(200, owner, 'get /api/client/conversations/{id}/messages', { at: { id } });
      return id;
    };
    await reply('12015550141', 429);
    await reply('12015550144', 500);
    // Its successes keep the number's circuit closed.
    const at = { id: await reply('12015550100', 200, 422) };
    await reply('12015550148', 500, 409);
    const note = { at, headers: { 'idempotency-key': 'note' } };
    await expectResponse(200, owner, 'post /api/client/conversations/{id}/notes', note);
    await expectResponse(422, owner, 'post /api/client/conversations/{id}/notes', { ...note, body: { text: 'Another.' } });
    await expectResponse(200, owner, 'patch /api/client/conversations/{id}', { at });
    for (const list of ['labels', 'quick-replies']) {
      const one = { at: await expectResponse<{ id: number }>(200, owner, `post /api/client/${list}`) };
      await expectResponse(409, owner, `post /api/client/${list}`);
      await expectResponse(200, owner, `get /api/client/${list}`);
      await expectResponse(200, owner, `put /api/client/${list}/{id}`, one);
      const taken = { name: 'Taken', shortcut: 'taken', color: 'red', text: 'Yes.' };
      const body = (({ name, color, shortcut, text }) => (list === 'labels' ? { name, color } : { shortcut, text }))(taken);
      await expectResponse(200, owner, `post /api/client/${list}`, { body });
      await expectResponse(409, owner, `put /api/client/${list}/{id}`, { ...one, body });
      await expectResponse(200, owner, `delete /api/client/${list}/{id}`, one);
    }
    for (let n = 0; n < 10; n++) {
      const labels = Array.from({ length: 20 }, (_, i) => `Label ${n}.${i}`);
      await expectResponse(n < 9 ? 200 : 409, owner, 'patch /api/client/conversations/{id}', { at, body: { labels } });
    }
  });

  it('files', async () => {
    const media_id = await sentFile(customer(stack.demo, stack.growth, '12015550102'), owner);
    const file = { at: { media_id }, query: '?info=1' };
    await expectResponse(200, owner, 'get /api/client/media/{media_id}', file);
    await expectResponse(416, owner, 'get /api/client/media/{media_id}', { at: { media_id }, headers: { range: 'bytes=99999999-' } });
    const cookie = await logIn(stack.demo.site_url, stack.growth.owner);
    for (const headers of [{ range: 'bytes=0-3' }, { 'if-none-match': '*' }]) {
      const part = await fetch(`${stack.demo.site_url}/api/client/media/${media_id}`, { headers: { cookie, ...headers } });
      documented.conforms('get', '/api/client/media/{media_id}', { status: part.status, headers: part.headers, body: await part.text() });
    }
    for (const [path, one] of Object.entries(FILES)) {
      await expectResponse(200, owner, `post ${path}`, one);
      await expectResponse(413, owner, `post ${path}`, { body: 'x'.repeat(6_000_000), headers: { 'content-type': 'image/png' } });
      await expectResponse(415, owner, `post ${path}`, { body: 'A page', headers: { 'content-type': 'text/html' } });
    }
    const { body: list } = await owner.call<{ templates: { id: number; name: string }[] }>('GET', '/api/client/templates');
    const template = list.templates.find(({ name }) => name === 'order_update') as { id: number };
    await cutOffPlatform(stack.demo, integrator(stack.demo.base_url, stack.growth.api_key));
    await expectResponse(500, owner, 'get /api/client/media/{media_id}', file);
    for (const [path, one] of Object.entries(FILES)) await expectResponse(500, owner, `post ${path}`, one);
    await expectResponse(500, owner, 'post /api/client/templates');
    await expectResponse(500, owner, 'post /api/client/connection/subscribe');
    for (const method of ['put', 'delete'])
      await expectResponse(500, owner, `${method} /api/client/templates/{id}`, { at: { id: template.id } });
    await eventually(async () => (await owner.call('GET', `/api/client/media/${media_id}?info=1`)).status === 200);
  });

  it('suppressions, settings, the team', async () => {
    const at = { phone: '12015550103' };
    await expectResponse(200, owner, 'put /api/client/suppressions/{phone}', { at });
    await expectResponse(200, owner, 'get /api/client/suppressions');
    await expectResponse(200, owner, 'get /api/client/suppressions/{phone}', { at });
    await expectResponse(200, owner, 'delete /api/client/suppressions/{phone}', { at });
    await expectResponse(200, owner, 'post /api/client/suppressions/import');
    await expectResponse(200, owner, 'delete /api/client/people/{phone}', { at });
    await expectResponse(200, owner, 'get /api/client/erasures');
    const cookie = await logIn(stack.demo.site_url, stack.growth.owner);
    const response = await fetch(`${stack.demo.site_url}/api/client/people/${at.phone}/export`, { headers: { cookie } });
    const { status, headers } = response;
    documented.conforms('get', '/api/client/people/{phone}/export', { status, headers, body: await response.text() });
    await expectResponse(200, owner, 'put /api/client/settings');
    await expectResponse(200, owner, 'get /api/client/settings');
    const { id } = await expectResponse<{ id: number }>(200, owner, 'post /api/client/team');
    await expectResponse(409, owner, 'post /api/client/team');
    await expectResponse(200, owner, 'get /api/client/team');
    await expectResponse(200, owner, 'delete /api/client/team/{id}', { at: { id } });
    const { user } = await expectResponse<{ user: { id: number } }>(200, owner, 'get /api/client/me');
    await expectResponse(409, owner, 'delete /api/client/team/{id}', { at: { id: user.id } });
    await expectResponse(409, owner, 'patch /api/client/team/{id}', { at: { id: user.id } });
    await expectResponse(409, owner, 'post /api/client/team/{id}/reset', { at: { id: user.id } });
    const invited = { email: 'invited@growth.example', name: 'Invited', role: 'agent' };
    const { invite_url, id: invitedId } = await expectResponse<{ id: number; invite_url: string }>(200, owner, 'post /api/client/team', {
      body: invited,
    });
    const body = { token: invite_url.split('#token=')[1], new_password: 'correct horse battery' };
    await expectResponse(200, visitor, 'post /api/client/password', { body });
    await expectResponse(200, visitor, 'post /api/client/password/forgotten', { body: { email: invited.email } });
    await expectResponse(200, owner, 'patch /api/client/team/{id}', { at: { id: invitedId } });
    await expectResponse(200, owner, 'post /api/client/team/{id}/reset', { at: { id: invitedId } });
    await expectResponse(200, operator, 'post /api/admin/users/{id}/reset', { at: { id: invitedId } });
    const me = await expectResponse<{ user: { id: number } }>(200, operator, 'get /api/client/me');
    await expectResponse(409, operator, 'post /api/admin/users/{id}/reset', { at: { id: me.user.id } });
  });

  it('a person’s own password and sessions; the audit log', async () => {
    const person = { email: 'own@growth.example', password: 'correct horse battery' };
    await expectResponse(200, owner, 'post /api/client/team', { body: { ...person, name: 'Own', role: 'agent' } });
    const own = await dashboardUser(stack.demo.site_url, person);
    await dashboardUser(stack.demo.site_url, person);
    const { sessions } = await expectResponse<{ sessions: { id: number; current: boolean }[] }>(200, own, 'get /api/client/me/sessions');
    const other = sessions.find(({ current }) => !current)?.id ?? 0;
    await expectResponse(200, own, 'delete /api/client/me/sessions/{id}', { at: { id: other } });
    const body = { current_password: person.password, new_password: 'another correct horse' };
    await expectResponse(200, own, 'put /api/client/me/password', { body });
    await expectResponse(200, owner, 'get /api/client/audit', { query: '?limit=100' });
    await expectResponse(200, operator, 'get /api/admin/audit', { query: '?limit=100' });
  });

  it('the audit log names what somebody deleted', async () => {
    const deleted = async (action: string) => {
      const { body } = await owner.call<{ entries: { detail: object }[] }>('GET', `/api/client/audit?action=${action}`);
      return body.entries[0]?.detail;
    };
    const at = async (path: string, body: object) => {
      const made = await owner.call<{ id: number }>('POST', `/api/client/${path}`, body);
      return `/api/client/${path}/${made.body.id}`;
    };
    await owner.call('DELETE', await at('labels', { name: 'Named', color: 'red' }));
    expect(await deleted('label.deleted')).toEqual({ name: 'Named' });
    await owner.call('DELETE', await at('quick-replies', { shortcut: 'named', text: 'Yes.' }));
    expect(await deleted('quick-reply.deleted')).toEqual({ shortcut: 'named' });
    await owner.call('DELETE', await at('webhooks', { name: 'Named', url: 'http://127.0.0.1:9/', events: ['message.received'] }));
    expect(await deleted('webhook.deleted')).toEqual({ name: 'Named' });
    const key = await at('api-keys', { name: 'Named', permissions: ['*'] });
    const heir = await owner.call<{ id: number }>('POST', `${key}/rotate`, { grace_minutes: 0 });
    expect(await deleted('api-key.rotated')).toMatchObject({ name: 'Named' });
    await owner.call('DELETE', `/api/client/api-keys/${heir.body.id}`);
    expect(await deleted('api-key.revoked')).toEqual({ name: 'Named' });
  });

  it('two-step login', async () => {
    const person = { email: 'steps@growth.example', password: 'correct horse battery' };
    const body = { ...person, name: 'Steps', role: 'agent' };
    const at = await expectResponse<{ id: number }>(200, owner, 'post /api/client/team', { body });
    /** Logs in and turns two-step login on. */
    const setUp = async () => {
      const who = await dashboardUser(stack.demo.site_url, person);
      const { secret } = await expectResponse<{ secret: string }>(200, who, 'post /api/client/me/totp');
      await expectResponse(200, who, 'put /api/client/me/totp', { body: { code: new TOTP({ secret }).generate() } });
      return who;
    };
    const steps = await setUp();
    await expectResponse(200, steps, 'get /api/client/me/totp');
    await expectResponse(409, steps, 'post /api/client/me/totp');
    await expectResponse(409, steps, 'put /api/client/me/totp');
    await expectResponse(200, steps, 'delete /api/client/me/totp', { body: { password: person.password } });
    await expectResponse(409, steps, 'delete /api/client/me/totp', { body: { password: person.password } });
    for (const [who, path] of [[owner, '/api/client/team/{id}'] as const, [operator, '/api/admin/users/{id}'] as const]) {
      await setUp();
      await expectResponse(200, who, `delete ${path}/totp`, { at });
      const { user } = await expectResponse<{ user: { id: number } }>(200, who, 'get /api/client/me');
      await expectResponse(409, who, `delete ${path}/totp`, { at: user });
    }
  });

  it('broadcasts', async () => {
    await expectResponse(200, owner, 'post /api/client/broadcasts/check');
    const headers = { 'idempotency-key': 'autumn' };
    const { id } = await expectResponse<{ id: number }>(200, owner, 'post /api/client/broadcasts', { headers });
    const again = await expectResponse<{ id: number }>(200, owner, 'post /api/client/broadcasts', { headers });
    expect(again.id).toBe(id);
    const another = { ...documented.example('post', '/api/client/broadcasts'), name: 'Winter' };
    await expectResponse(422, owner, 'post /api/client/broadcasts', { headers, body: another });
    await eventually(async () => {
      const { status } = await expectResponse<{ status: string }>(200, owner, 'get /api/client/broadcasts/{id}', { at: { id } });
      return status === 'completed';
    });
    await expectResponse(200, owner, 'get /api/client/broadcasts/{id}/recipients', { at: { id } });
    await expectResponse(200, owner, 'get /api/client/broadcasts');
    await expectResponse(409, owner, 'post /api/client/broadcasts/{id}/retry', { at: { id } });
    const recipients = [{ phone: '+1 201 555 0130', body_params: ['Asha', '1'] }];
    const refused = { ...documented.example('post', '/api/client/broadcasts'), recipients };
    const at = await expectResponse<{ id: number }>(200, owner, 'post /api/client/broadcasts', { body: refused });
    await eventually(async () => {
      const broadcast = await expectResponse<{ status: string }>(200, owner, 'get /api/client/broadcasts/{id}', { at });
      return broadcast.status === 'completed';
    });
    await expectResponse(200, owner, 'get /api/client/broadcasts/{id}/retry', { at });
    const retry = { 'idempotency-key': 'once-more' };
    await expectResponse(200, owner, 'post /api/client/broadcasts/{id}/retry', { at, headers: retry });
    await expectResponse(422, owner, 'post /api/client/broadcasts/{id}/retry', { at: { id }, headers: retry });
    await expectResponse(400, owner, 'post /api/client/broadcasts/{id}/retry', { at, headers: { 'idempotency-key': 'no token' } });
    for (const change of ['cancel', 'pause', 'resume'])
      await expectResponse(409, owner, `post /api/client/broadcasts/{id}/${change}`, { at: { id } });
    const later = { ...documented.example('post', '/api/client/broadcasts'), scheduled_at: new Date(Date.now() + 3_600_000).toISOString() };
    const scheduled = await expectResponse<{ id: number }>(200, owner, 'post /api/client/broadcasts', { body: later });
    await expectResponse(409, owner, 'get /api/client/broadcasts/{id}/retry', { at: scheduled });
    for (const change of ['pause', 'resume', 'cancel'])
      await expectResponse(200, owner, `post /api/client/broadcasts/{id}/${change}`, { at: { id: scheduled.id } });
    const db = await connectAs('broadcast', stack);
    await db.query(`UPDATE broadcast.broadcasts SET template_name = 'gone' WHERE id = $1`, [scheduled.id]);
    await db.end();
    await expectResponse(400, owner, 'get /api/client/broadcasts/{id}/retry', { at: scheduled });
  });

  it('auto-reply', async () => {
    await expectResponse(200, owner, 'put /api/client/auto-reply');
    await expectResponse(200, owner, 'get /api/client/auto-reply');
    await expectResponse(200, owner, 'get /api/client/auto-reply/enabled');
    await expectResponse(200, owner, 'post /api/client/auto-reply/try');
    await expectResponse(500, owner, 'post /api/client/auto-reply/try', { body: { text: 'model-500' } });
    await customer(stack.demo, stack.growth, '12015550101').writes('Are you open?');
    await eventually(async () => {
      const { replies } = await expectResponse<{ replies: { state: string }[] }>(200, owner, 'get /api/client/auto-reply/replies');
      return replies.some(({ state }) => state === 'replied');
    });
  });

  it('the live tail', async () => {
    const leaving = new AbortController();
    const cookie = await logIn(stack.demo.site_url, stack.growth.owner);
    const { status, headers } = await fetch(`${stack.demo.site_url}/api/client/events/stream`, {
      headers: { cookie },
      signal: leaving.signal,
    });
    documented.conforms('get', '/api/client/events/stream', { status, headers, body: '' });
    leaving.abort();
  });

  it('operators: businesses, their people, limits, health', async () => {
    const headers = { 'idempotency-key': 'business' };
    const { id } = await expectResponse<{ id: number }>(200, operator, 'post /api/admin/businesses', { headers });
    await expectResponse(422, operator, 'post /api/admin/businesses', { headers, body: { name: 'Another', plan: 'Pro' } });
    await expectResponse(200, operator, 'get /api/admin/businesses');
    await expectResponse(200, operator, 'patch /api/admin/businesses/{id}', { at: { id } });
    await expectResponse(200, operator, 'get /api/admin/businesses/{id}', { at: { id: stack.growth.id } });
    await expectResponse(200, operator, 'get /api/admin/businesses/{id}/users', { at: { id: stack.growth.id } });
    const person = { email: 'first@riverside.example', name: 'First', password: 'correct horse battery', role: 'owner' };
    await expectResponse(200, operator, 'post /api/admin/businesses/{id}/users', { at: { id }, body: person });
    await expectResponse(409, operator, 'post /api/admin/businesses/{id}/users', { at: { id }, body: person });
    // A business without a number.
    const unconnected = await dashboardUser(stack.demo.site_url, person);
    const connected = ['get /api/client/connection/checks', 'post /api/client/connection/subscribe', 'post /api/client/templates/sync'];
    for (const change of [...connected, 'delete /api/client/templates/{id}']) await expectResponse(400, unconnected, change);
    // The parts that follow need room.
    await expectResponse(200, operator, 'put /api/admin/limits', { body: { global_per_minute: 100_000 } });
    await expectResponse(200, operator, 'get /api/admin/limits');
    await expectResponse(200, operator, 'put /api/admin/rate-card');
    await expectResponse(200, operator, 'get /api/admin/rate-card');
    await expectResponse(200, operator, 'get /api/admin/overview');
    await expectResponse(200, operator, 'get /api/admin/backlogs');
    await expectResponse(200, operator, 'get /api/admin/failing-webhooks');
  });

  it('operators: dead letters', async () => {
    const database = await connectAs('status', stack);
    const { rows } = await database.query<{ id: string }>(
      `INSERT INTO status.dead_letters (consumer, subject, body, reason, attempts) VALUES ('gone', 'platform.status', '{}', 'unknown', 1) RETURNING id`,
    );
    await database.end();
    const at = { service: 'status', id: rows[0]?.id as string };
    await expectResponse(200, operator, 'get /api/admin/dead-letters');
    await expectResponse(200, operator, 'get /api/admin/dead-letters/{service}/{id}', { at });
    await expectResponse(200, operator, 'post /api/admin/dead-letters/{service}/{id}/replay', { at });
    await expectResponse(200, operator, 'delete /api/admin/dead-letters/{service}/{id}', { at });
  });

  it('has seen every documented response, and the document has no other parts', () => {
    // Only load causes 429 and 503; request-shares.spec.ts and reads.spec.ts cover them.
    expect(PREFIXES.flatMap((prefix) => documented.unseen(prefix, ['429', '503']))).toEqual([]);
    const others = documented.operations('').filter(([, path]) => ![...PREFIXES, '/api/v1/'].some((prefix) => path.startsWith(prefix)));
    expect(others).toEqual([]);
  });
});
