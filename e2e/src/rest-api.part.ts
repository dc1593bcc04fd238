import { writeFileSync } from 'node:fs';
import { PUBLIC_EVENTS } from '@mgw/contracts';
import { eventually, installedProgram, memoryOf, newContext, PLATFORM_ERRORS, runToEnd, startBrowser } from '@mgw/testing';
import { Documented, MALFORMED, urlOf } from './documented';
import {
  announcer,
  browser,
  customer,
  cutOffPlatform,
  dashboardUser,
  integrator,
  sentFile,
  type ApiResponse,
  type DashboardUser,
  type Integrator,
} from './people';
import { postmanRequests, resolved } from './postman';
import { sharedStack, type SharedStack } from './stack';

interface PlatformCall {
  method: string;
  path: string;
  body: { to?: string };
}

const documented = new Documented();
const inPath = (path: string) =>
  documented.operations(path).flatMap(([, , { parameters }]) => parameters.map(({ example }) => example ?? ''))[0] ?? '';
const MESSAGE_ID = inPath('/api/v1/message-status');
const MEDIA_ID = inPath('/api/v1/media/');
/** The example of a customer's message. */
const RECEIVED_ID = String(documented.example('post', '/api/v1/send-reaction')?.['message_id']);
const SAMPLES = documented
  .operations('/api/v1/')
  .flatMap(([, path, operation]) =>
    (operation['x-codeSamples'] ?? []).map(({ label, source }): [string, string, string] => [path.slice('/api/v1/'.length), label, source]),
  );
const RUN: Record<string, string[]> = {
  curl: ['sh', '-c'],
  Node: [process.execPath, '--input-type=module', '-e'],
  Python: [installedProgram('python3'), '-c'],
  PHP: [installedProgram('php'), '-r'],
};
installedProgram('curl');
const SENDS = [
  'send-template',
  'send-text',
  'send-media',
  'send-otp',
  'send-interactive',
  'send-location',
  'send-contacts',
  'send-reaction',
  'quick-send',
] as const;
/** Sends that need an open window. */
const FREE = ['send-text', 'send-media', 'send-interactive', 'send-location', 'send-contacts', 'send-reaction'];
type Send = (typeof SENDS)[number];

/** Managing the account by key (decision 361). */
const BY_KEY = documented
  .operations('/api/v1/')
  .filter(([, path]) => /^\/api\/v1\/(webhooks|suppressions|broadcasts|messages|conversations|message-status$)/.test(path));
const MISSING: Record<string, string> = { id: '999999999', phone: '12015550999' };
/** A person whom only suppressions concern. */
const SUPPRESSED = '12015550177';

/** The whole REST API through the public port: its documented responses and the errors of the platform. */
describe('the REST API (spec §4 to §8)', () => {
  let stack: SharedStack;
  let crm: Integrator;
  let owner: DashboardUser;
  let operator: DashboardUser;
  /** A sent message. */
  let followed: string;
  /** A message of the person of the examples. */
  let received: string;
  /** A file of a customer. */
  let media_id: string;
  /** The last message of each person that wrote. */
  const written = new Map<string, string>();

  beforeAll(async () => {
    stack = await sharedStack();
    crm = integrator(stack.demo.base_url, stack.growth.api_key);
    owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    operator = await dashboardUser(stack.demo.site_url, stack.demo.operator);
    const { body } = await operator.call<{ api_keys: { id: number }[] }>('GET', `/api/admin/api-keys?business_id=${stack.growth.id}`);
    await operator.call('PATCH', `/api/admin/api-keys/${body.api_keys[0]?.id}`, { per_minute_limit: 100_000, daily_limit: 100_000 });
    // The person of the examples writes first, so that their window is open.
    received = await customer(stack.demo, stack.growth, '12015550100').sends({ text: 'Hi' });
    media_id = await sentFile(customer(stack.demo, stack.growth, '12015550102'), owner);
    followed = await eventually(async () => {
      const { status, body } = await send('send-text', bodyOf['send-text']('12015550100'));
      return status === 200 && (body['message_id'] as string);
    });
  }, 150_000);

  const conforms = (method: string, path: string, response: ApiResponse) => documented.conforms(method, `/api/v1/${path}`, response);

  const bodyOf: Record<Send, (phone: string) => Record<string, unknown>> = {
    'send-template': (phone) => ({ phone, template_name: 'order_update', body_params: ['Asha', '1'] }),
    'send-text': (phone) => ({ phone, message: 'Hello' }),
    'send-media': (phone) => ({ phone, media_type: 'image', media_url: 'https://example.com/a.png' }),
    'send-otp': (phone) => ({ phone, template_name: 'login_code' }),
    'send-interactive': (phone) => ({ phone, kind: 'buttons', body: 'Shall we?', buttons: [{ id: 'yes', title: 'Yes' }] }),
    'send-location': (phone) => ({ phone, latitude: 12.9716, longitude: 77.5946 }),
    'send-contacts': (phone) => ({ phone, contacts: [{ name: { formatted_name: 'Asha Rao', first_name: 'Asha' } }] }),
    'send-reaction': (phone) => ({ phone, message_id: written.get(phone) ?? received, emoji: '👍' }),
    'quick-send': (phone) => ({ phone, template: 'order_update', params: 'Asha,1' }),
  };
  const send = (name: Send, body: Record<string, unknown>, { as = crm, key }: { as?: Integrator; key?: string } = {}) => {
    if (name !== 'quick-send') return as.post(name, body, key === undefined ? {} : { 'idempotency-key': key });
    const query = new URLSearchParams({ ...(body as Record<string, string>), ...(key !== undefined && { idempotency_key: key }) });
    return as.get(`quick-send?${query.toString()}`);
  };
  const callsTo = async (phone: string) => {
    const response = await fetch(`${stack.demo.simulator_url}/__sim/requests?limit=20000`);
    const { requests } = (await response.json()) as { requests: PlatformCall[] };
    return requests.filter(({ method, path, body }) => method === 'POST' && path.endsWith('/messages') && body.to === `+${phone}`).length;
  };
  const withRealIds = (text: string) =>
    text.replaceAll(MESSAGE_ID, encodeURIComponent(followed)).replaceAll(RECEIVED_ID, received).replaceAll(MEDIA_ID, media_id);
  interface Call {
    at?: Record<string, string | number>;
    query?: string;
    /** The document's example by default. */
    body?: unknown;
    headers?: Record<string, string>;
    key?: string | null;
    as?: DashboardUser;
  }
  /** Calls an operation by key and compares the response with the document. */
  const expectResponse = async <B = { id: number }>(status: number, endpoint: string, request: Call = {}): Promise<B> => {
    const [method = '', path = ''] = endpoint.split(' ');
    const { at = {}, query = '', body, headers = {}, key = stack.growth.api_key, as = browser(stack.demo.site_url) } = request;
    const url = urlOf(path, { ...MISSING, ...at });
    const sent = body ?? documented.example(method, path);
    const response = await as.call<B>(method, `${url}${query}`, sent, { ...headers, ...(key !== null && { 'x-api-key': key }) });
    expect([endpoint, response.status, response.status === status ? null : response.body]).toEqual([endpoint, status, null]);
    documented.conforms(method, path, response);
    return response.body;
  };
  const later = () => ({
    ...documented.example('post', '/api/v1/broadcasts'),
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  /** Makes what the paths of an example name. */
  const withRealResources = async (text: string) => {
    if (/webhooks\/7\b/.test(text)) {
      const { webhooks } = await expectResponse<{ webhooks: { id: number }[] }>(200, 'get /api/v1/webhooks');
      for (const { id } of webhooks) await expectResponse(200, 'delete /api/v1/webhooks/{id}', { at: { id } });
      return text.replace(/webhooks\/7\b/, `webhooks/${(await expectResponse(200, 'post /api/v1/webhooks')).id}`);
    }
    if (/broadcasts\/7\b/.test(text))
      return text.replace(/broadcasts\/7\b/, `broadcasts/${(await expectResponse(200, 'post /api/v1/broadcasts', { body: later() })).id}`);
    if (!/suppressions\/\d/.test(text)) return text;
    await expectResponse(200, 'put /api/v1/suppressions/{phone}', { at: { phone: SUPPRESSED } });
    return text.replace(/suppressions\/\d+/, `suppressions/${SUPPRESSED}`);
  };
  const isConnected = async () => (await crm.get('health')).body['whatsapp_connected'];
  const reconnect = async () => {
    const { phone_number_id, business_account_id } = stack.growth;
    await owner.call('PUT', '/api/client/connection', { phone_number_id, business_account_id });
    await eventually(isConnected);
  };

  it.each(SENDS.filter((name) => name !== 'quick-send'))('runs the document’s example of %s unchanged against the demo', async (name) => {
    const example = withRealIds(JSON.stringify(documented.example('post', `/api/v1/${name}`)));
    const response = await send(name, JSON.parse(example) as Record<string, unknown>);
    expect(response).toMatchObject({ status: 200 });
    conforms('post', name, response);
  });

  const runSample = async (language: string, source: string, API_KEY: string) => {
    const [program = '', ...args] = RUN[language] ?? [];
    const here = source.replaceAll(documented.serverUrl, stack.demo.site_url);
    const ran = await runToEnd(program, [...args, here], { env: { ...process.env, API_KEY } });
    return [ran.stderr, JSON.parse(ran.stdout || 'null')] as unknown[];
  };

  it.each(SAMPLES)('runs the sample of %s in %s unchanged against the demo', async (_, language, source) => {
    const ran = await runSample(language, await withRealResources(withRealIds(source)), stack.growth.api_key);
    expect(ran).toEqual(['', expect.objectContaining({ success: true })]);
  });

  it.each(SAMPLES.filter(([path]) => path === 'send-text'))('the sample of %s in %s prints an error', async (_, language, source) => {
    const error = expect.objectContaining({ success: false, error_code: 'INVALID_API_KEY' }) as object;
    expect(await runSample(language, source, 'wrong')).toEqual(['', error]);
  });

  it('the reference shows each operation with its samples, and every event, on desks and phones, and loads nothing from elsewhere', async () => {
    const browser = await startBrowser();
    try {
      const page = await (await newContext(browser, { viewport: { width: 1440, height: 900 } })).newPage();
      const problems: string[] = [];
      // Scalar warns about each part of the document that it rejects.
      page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
      page.on('pageerror', ({ message }) => problems.push(message));
      const loaded = new Set<string>();
      page.on('request', (request) => new URL(request.url()).protocol !== 'data:' && loaded.add(new URL(request.url()).origin));
      // The pages of errors link to operations this way.
      await page.goto(`${stack.demo.site_url}/docs#tag/rest-api/v1-post-send-text`);
      const operation = page.locator('section[id$="/v1-post-send-text"]');
      // Loading the page takes most of the time, so it changes its width.
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await operation.getByText(`curl -s '${stack.demo.site_url}/api/v1/send-text'`).waitFor();
        expect(await operation.isVisible()).toBe(true);
        for (const name of PUBLIC_EVENTS) await page.getByText(name, { exact: true }).first().waitFor({ state: 'attached' });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        await page.getByText('X-API-Key', { exact: true }).first().waitFor();
        await operation.getByRole('button', { name: 'curl' }).click();
        const languages = page.getByRole('option');
        await languages.first().waitFor();
        expect(await languages.allInnerTexts()).toEqual(['curl', 'Node', 'Python', 'PHP']);
        await page.keyboard.press('Escape');
        await languages.first().waitFor({ state: 'hidden' });
      }
      expect([problems, [...loaded]]).toEqual([[], [new URL(stack.demo.site_url).origin]]);
    } finally {
      await browser.close();
    }
  }, 240_000);

  it.each(postmanRequests('REST API'))('runs the Postman collection’s “%s” against the demo', async (_, request) => {
    const { url, ...init } = resolved(request, {
      base_url: stack.demo.base_url,
      api_key: stack.growth.api_key,
      message_id: followed,
      media_id,
      id: '7',
    });
    const response = await fetch(await withRealResources(url), { ...init, ...(init.body && { body: withRealIds(init.body) }) });
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ success: true })]);
  });

  it.each(PLATFORM_ERRORS.filter(([code]) => code > 0))(
    'platform §2: code %d becomes %s %d, retry %s, side effect %s',
    async (code, errorCode, status, retry, sideEffect) => {
      const phone = `9991${String(code).padStart(6, '0')}`;
      const response = await send('send-template', bodyOf['send-template'](`+${phone}`));
      expect([response.status, response.body['error_code'], response.body['platform_code']]).toEqual([status, errorCode, code]);
      expect(response.body['message_id']).toMatch(/^gw_/);
      conforms('post', 'send-template', response);
      if (status === 429)
        expect([Number(response.headers.get('retry-after')) > 0, Number(response.body['retry_after_seconds']) > 0]).toEqual([true, true]);
      expect(await callsTo(phone)).toBe(retry === 'inline' ? 3 : 1);
      if (sideEffect === 'connection-problem') {
        expect(await isConnected()).toBe(false);
        const local = await send('send-template', bodyOf['send-template'](`+${phone}`));
        expect([local.body['error_code'], local.body['platform_code'], await callsTo(phone)]).toEqual(['NOT_CONNECTED', undefined, 1]);
        await reconnect();
      }
      if (sideEffect === 'marketing-opt-out') {
        const marketing = { phone: `+${phone}`, template_name: 'welcome_named', body_params: ['Asha', 'Kaveri'] };
        expect((await send('send-template', marketing)).body).toMatchObject({ suppression_state: 'opted_out_marketing' });
        expect(await callsTo(phone)).toBe(1);
      }
      const shown = await crm.get(`message-status/${response.body['message_id'] as string}`);
      expect(shown.body).toMatchObject({ api_status: 'failed', delivery_status: 'failed', failure_reason: expect.any(String) as string });
      conforms('get', 'message-status/{message_id}', shown);
    },
    30_000,
  );

  it.each(SENDS)(
    '%s returns every documented response',
    async (name) => {
      const method = name === 'quick-send' ? 'get' : 'post';
      const check = (response: ApiResponse, status: number) => {
        expect([name, response.status, response.body['error_code'] ?? 'ok']).toEqual([name, status, expect.any(String) as string]);
        conforms(method, name, response);
      };
      for (const phone of ['12015550100', '12015550141', '12015550144', '12015550148'])
        written.set(phone, await customer(stack.demo, stack.growth, phone).sends({ text: 'Hi' }));
      // A listed message opened its window and can be quoted.
      for (const [phone, id] of written)
        await eventually(async () => {
          const { body } = await crm.get<{ messages: { message_id: string }[] }>(`messages?phone=${phone}&direction=in`);
          return body.messages.some(({ message_id }) => message_id === id);
        });
      const body = bodyOf[name]('12015550100');
      check(await send(name, body), 200);
      check(await send(name, { ...body, phone: '12' }), 400);
      const checked = await send(name, { ...body, dry_run: method === 'get' ? '1' : true });
      check(checked, 200);
      expect([name, checked.body['problems']]).toEqual([name, []]);
      if (FREE.includes(name)) check(await send(name, bodyOf[name]('12015550155')), 400);
      check(await send(name, body, { as: integrator(stack.demo.base_url, 'mgw_live_no') }), 401);
      check(await send(name, body, { as: integrator(stack.demo.base_url, stack.starter.api_key) }), 403);
      check(await send(name, bodyOf[name]('12015550141')), 429);
      check(await send(name, bodyOf[name]('12015550144')), 500);
      const key = `unclear-${name}`;
      check(await send(name, bodyOf[name]('12015550148'), { key }), 500);
      check(await send(name, bodyOf[name]('12015550148'), { key }), 409);
      check(await send(name, body, { key: `mine-${name}` }), 200);
      check(await send(name, bodyOf[name]('12015550101'), { key: `mine-${name}` }), 422);
      if (method === 'get') return;
      check(await crm.post(name, { ...body, note: 'x'.repeat(70_000) }), 413);
      check(await crm.post(name, body, { 'content-type': 'text/plain' }), 415);
    },
    60_000,
  );

  it('mark-read returns every documented response', async () => {
    const check = (response: ApiResponse, status: number) => {
      expect([response.status, response.body['error_code'] ?? 'ok']).toEqual([status, expect.any(String) as string]);
      conforms('post', 'mark-read', response);
    };
    const body = { message_id: received, typing: true };
    check(await crm.post('mark-read', body), 200);
    check(await crm.post('mark-read', { typing: true }), 400);
    check(await crm.post('mark-read', { message_id: followed }), 404);
    check(await crm.post('mark-read', { ...body, note: 'x'.repeat(70_000) }), 413);
    check(await crm.post('mark-read', body, { 'content-type': 'text/plain' }), 415);
    check(await integrator(stack.demo.base_url, 'mgw_live_no').post('mark-read', body), 401);
    check(await integrator(stack.demo.base_url, stack.starter.api_key).post('mark-read', body), 403);
    for (const [code, status] of [
      [130429, 429],
      [131016, 500],
    ] as const) {
      const rule = { match: { type: 'read' }, times: 1, error: { code, status } };
      await fetch(`${stack.demo.simulator_url}/__sim/rules`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rule),
      });
      check(await crm.post('mark-read', body), status);
    }
  });

  it('returns every documented response of the reading endpoints', async () => {
    const made = await owner.call<{ id: number; key: string }>('POST', '/api/client/api-keys', { name: 'Slow', permissions: ['*'] });
    await operator.call('PATCH', `/api/admin/api-keys/${made.body.id}`, { per_minute_limit: 1 });
    const slow = integrator(stack.demo.base_url, made.body.key);
    const wrong = integrator(stack.demo.base_url, 'nobody');
    const elsewhere = await owner.call<{ id: number; key: string }>('POST', '/api/client/api-keys', {
      name: 'Elsewhere',
      permissions: ['*'],
    });
    await owner.call('PATCH', `/api/client/api-keys/${elsewhere.body.id}`, { allowed_ips: ['203.0.113.7'] });
    const outside = integrator(stack.demo.base_url, elsewhere.body.key);
    expect((await slow.get('health')).status).toBe(200);
    conforms('get', 'message-status/{message_id}', await crm.get(`message-status/${encodeURIComponent(followed)}`));
    conforms('get', 'events', await crm.get('events?limit=0'));
    conforms('get', 'message-status/{message_id}', await crm.get(`message-status/${MALFORMED}`));
    for (const path of ['health', 'templates', 'message-status/wamid.none', 'events']) {
      const template = path.startsWith('message-status') ? 'message-status/{message_id}' : path;
      conforms('get', template, await crm.get(path));
      conforms('get', template, await wrong.get(path));
      conforms('get', template, await slow.get(path));
      conforms('get', template, await outside.get(path));
    }
  });

  it('returns every documented response of files', async () => {
    const file = 'media/{media_id}';
    const check = (status: number, response: ApiResponse, endpoint: [string, string] = ['get', file]) => {
      expect([response.status, response.body['error_code']]).toEqual([status, response.body['error_code']]);
      conforms(...endpoint, response);
    };
    const uploads: [string, string] = ['post', 'media'];
    const text = (as: Integrator) => as.upload('Order 1007', 'text/plain');
    const uploaded = await text(crm);
    check(200, uploaded, uploads);
    const own = { phone: '+1 201 555 0100', media_type: 'document', media_id: uploaded.body['media_id'], filename: 'order.txt' };
    expect((await crm.post('send-media', own)).status).toBe(200);
    check(400, await crm.upload('', 'text/plain'), uploads);
    check(401, await text(integrator(stack.demo.base_url, 'nobody')), uploads);
    check(403, await text(integrator(stack.demo.base_url, stack.starter.api_key)), uploads);
    check(413, await crm.upload('x'.repeat(600_000), 'image/webp'), uploads);
    check(415, await crm.upload('A page', 'text/html'), uploads);
    check(200, await crm.get(`media/${media_id}?info=1`));
    check(400, await crm.get(`media/${media_id}?info=2`));
    check(401, await integrator(stack.demo.base_url, 'nobody').get(`media/${media_id}`));
    const sender = await owner.call<{ key: string }>('POST', '/api/client/api-keys', { name: 'Sends', permissions: ['send_text'] });
    check(403, await integrator(stack.demo.base_url, sender.body.key).get(`media/${media_id}`));
    check(404, await integrator(stack.demo.base_url, stack.starter.api_key).get(`media/${media_id}`));
    const slow = await owner.call<{ id: number; key: string }>('POST', '/api/client/api-keys', { name: 'Slow', permissions: ['*'] });
    await operator.call('PATCH', `/api/admin/api-keys/${slow.body.id}`, { per_minute_limit: 1 });
    const limited = integrator(stack.demo.base_url, slow.body.key);
    await limited.get('health');
    check(429, await limited.get(`media/${media_id}`));
    check(429, await text(limited), uploads);
    for (const [status, header] of [
      [206, { range: 'bytes=0-3' }],
      [304, { 'if-none-match': '*' }],
      [416, { range: 'bytes=99999999-' }],
    ] as const) {
      const headers = { 'x-api-key': stack.growth.api_key, ...header };
      const part = await fetch(`${stack.demo.base_url}/media/${media_id}`, { headers });
      expect(part.status).toBe(status);
      const body = (status === 416 ? await part.json() : {}) as ApiResponse['body'];
      conforms('get', file, { status, headers: part.headers, body });
    }
    const whole = await fetch(`${stack.demo.base_url}/media/${media_id}`, { headers: { 'x-api-key': stack.growth.api_key } });
    expect([whole.headers.get('content-type'), (await whole.text()).slice(0, 4)]).toEqual(['application/pdf', '%PDF']);
    await cutOffPlatform(stack.demo, crm);
    check(500, await crm.get(`media/${media_id}`));
    check(500, await text(crm), uploads);
    await eventually(async () => (await crm.get(`media/${media_id}?info=1`)).status === 200);
  });

  it('additions §2: a document of 90 MB passes both ways with less than 30 MB more memory of the gateway', async () => {
    const pid = stack.processes('gateway')[0]?.pid ?? 0;
    const transfer = async (file: Buffer) => {
      const { body } = await crm.upload<{ media_id: string }>(file, 'text/plain');
      const headers = { 'x-api-key': stack.growth.api_key };
      const response = await fetch(`${stack.demo.base_url}/media/${body.media_id}`, { headers });
      let bytes = 0;
      for await (const chunk of response.body as unknown as AsyncIterable<Buffer>) bytes += chunk.length;
      return bytes;
    };
    // The first transfers load code and fill pools.
    await transfer(Buffer.alloc(16 * 1024 * 1024, 'x'));
    const large = Buffer.alloc(90 * 1024 * 1024, 'x');
    const more = async () => {
      const { residentMb } = memoryOf(pid);
      // Begins a new peak (proc(5)).
      writeFileSync(`/proc/${pid}/clear_refs`, '5');
      expect(await transfer(large)).toBe(large.length);
      return memoryOf(pid).peakMb - residentMb;
    };
    // A garbage collector that is late lets one transfer grow, and not each; a gateway that held the file would need 90 MB each time.
    const growth = [await more()];
    while (growth.length < 3 && Math.min(...growth) >= 30) growth.push(await more());
    expect(Math.min(...growth)).toBeLessThan(30);
  });

  describe('the account by key', () => {
    let [bare, outside, slow] = ['', '', ''];
    beforeAll(async () => {
      const made = async (name: string, permission: string) =>
        (await owner.call<{ id: number; key: string }>('POST', '/api/client/api-keys', { name, permissions: [permission] })).body;
      const [first, second, third] = [await made('Bare', 'send_otp'), await made('Outside', '*'), await made('Slow', '*')];
      [bare, outside, slow] = [first.key, second.key, third.key];
      await owner.call('PATCH', `/api/client/api-keys/${second.id}`, { allowed_ips: ['203.0.113.7'] });
      await operator.call('PATCH', `/api/admin/api-keys/${third.id}`, { per_minute_limit: 1 });
    });

    it.each(BY_KEY)('%s %s returns the documented errors', async (method, path, { responses }) => {
      const endpoint = `${method} ${path}`;
      const documents = (status: number) => String(status) in responses;
      await expectResponse(401, endpoint, { key: null });
      await expectResponse(403, endpoint, { key: path.endsWith('message-status') ? outside : bare });
      // Uses the key's only request of the minute.
      await integrator(stack.demo.base_url, slow).get('health');
      await expectResponse(429, endpoint, { key: slow });
      const body = documented.example(method, path);
      const [field = ''] = Object.keys(body ?? {});
      if (documents(404)) await expectResponse(404, endpoint);
      if (body) await expectResponse(400, endpoint, { body: { ...body, [field]: {} } });
      else if (path.includes('{phone}')) await expectResponse(400, endpoint, { at: { phone: '12' } });
      else if (documents(400) && !path.includes('{')) await expectResponse(400, endpoint, { query: '?limit=0' });
      if (path.includes('{')) await expectResponse(400, endpoint, { at: { id: MALFORMED, phone: MALFORMED } });
      if (method !== 'get') await expectResponse(400, endpoint, { body: Buffer.from('{') });
      if (documents(413)) await expectResponse(413, endpoint, { as: announcer(stack.demo.site_url, 4_300_000) });
      if (documents(415)) await expectResponse(415, endpoint, { body: 'x', headers: { 'content-type': 'text/plain' } });
    });
  });

  it('returns every documented response of webhooks, people, messages and broadcasts by key', async () => {
    const repeated = { headers: { 'idempotency-key': 'webhook' } };
    const { id } = await expectResponse(200, 'post /api/v1/webhooks', repeated);
    const body = documented.example('post', '/api/v1/webhooks');
    await expectResponse(422, 'post /api/v1/webhooks', { ...repeated, body: { ...(body as object), name: 'Another' } });
    for (let status = 200; status === 200;) ({ status } = await crm.post('webhooks', body));
    await expectResponse(409, 'post /api/v1/webhooks');
    const { webhooks } = await expectResponse<{ webhooks: { id: number }[] }>(200, 'get /api/v1/webhooks');
    for (const other of webhooks) if (other.id > id) await expectResponse(200, 'delete /api/v1/webhooks/{id}', { at: { id: other.id } });
    expect(webhooks.map((webhook) => webhook.id)).toContain(id);
    await expectResponse(200, 'put /api/v1/webhooks/{id}', { at: { id } });
    await expectResponse(200, 'get /api/v1/webhooks/{id}/deliveries', { at: { id } });
    for (const method of ['post', 'get', 'delete']) await expectResponse(200, `${method} /api/v1/webhooks/{id}/recover`, { at: { id } });
    await expectResponse(200, 'put /api/v1/webhooks/{id}', { at: { id }, body: { is_active: false } });
    await expectResponse(409, 'post /api/v1/webhooks/{id}/recover', { at: { id } });
    await expectResponse(200, 'delete /api/v1/webhooks/{id}', { at: { id } });
    const at = { phone: SUPPRESSED };
    await expectResponse(200, 'put /api/v1/suppressions/{phone}', { at, body: { state: 'blocked' } });
    await expectResponse(200, 'get /api/v1/suppressions');
    expect(await expectResponse<object>(200, 'get /api/v1/suppressions/{phone}', { at })).toMatchObject({ suppression: { source: 'api' } });
    expect(await expectResponse<object>(200, 'get /api/v1/conversations/{phone}', { at })).toMatchObject({
      suppression_state: 'blocked',
    });
    await expectResponse(200, 'delete /api/v1/suppressions/{phone}', { at });
    expect(
      await expectResponse<object>(200, 'post /api/v1/suppressions/import', { body: { rows: [7, { ...at, state: 'blocked' }] } }),
    ).toEqual({
      success: true,
      added: 1,
      unchanged: 0,
      faults: [{ row: 1, field: '', message: 'must be an object' }],
    });
    await expectResponse(200, 'post /api/v1/message-status', { body: { message_ids: [followed] } });
    for (const direction of ['in', 'out']) {
      const list = { query: `?phone=12015550100&direction=${direction}` };
      await eventually(async () => (await expectResponse<{ messages: object[] }>(200, 'get /api/v1/messages', list)).messages.length > 0);
    }
    const headers = { 'idempotency-key': 'autumn' };
    const broadcast = { at: { id: (await expectResponse(200, 'post /api/v1/broadcasts', { headers, body: later() })).id } };
    await expectResponse(422, 'post /api/v1/broadcasts', { headers });
    await expectResponse(200, 'get /api/v1/broadcasts/{id}', broadcast);
    await expectResponse(200, 'get /api/v1/broadcasts/{id}/recipients', broadcast);
    for (const status of [200, 409])
      for (const change of ['pause', 'resume', 'cancel']) await expectResponse(status, `post /api/v1/broadcasts/{id}/${change}`, broadcast);
  });

  it('decision 364: a broadcast by key uses the daily cap of its key', async () => {
    const made = await owner.call<{ id: number; key: string }>('POST', '/api/client/api-keys', { name: 'Capped', permissions: ['*'] });
    await operator.call('PATCH', `/api/admin/api-keys/${made.body.id}`, { daily_limit: 1 });
    const { key } = made.body;
    const example = documented.example('post', '/api/v1/broadcasts') as { recipients: object[] };
    const refused = await expectResponse<object>(429, 'post /api/v1/broadcasts', {
      key,
      body: { ...example, recipients: [...example.recipients, { ...example.recipients[0], phone: '+1 201 555 0101' }] },
    });
    expect(refused).toMatchObject({
      error_code: 'DAILY_LIMIT_REACHED',
      daily_limit: 1,
      daily_used: 0,
      plan: 'Growth',
      retry_after: 'midnight',
    });
    const { id } = await expectResponse(200, 'post /api/v1/broadcasts', { key });
    await eventually(
      async () => (await expectResponse<{ status: string }>(200, 'get /api/v1/broadcasts/{id}', { at: { id } })).status === 'completed',
    );
    expect((await integrator(stack.demo.base_url, key).post('send-template', bodyOf['send-template']('12015550100'))).status).toBe(429);
  });

  it('a rotated key shares its daily count with the key that replaces it', async () => {
    const old = await owner.call<{ id: number; key: string }>('POST', '/api/client/api-keys', { name: 'Rotated', permissions: ['*'] });
    await operator.call('PATCH', `/api/admin/api-keys/${old.body.id}`, { daily_limit: 2 });
    const heir = await owner.call<{ key: string }>('POST', `/api/client/api-keys/${old.body.id}/rotate`, { grace_minutes: 15 });
    const statuses = [];
    for (const { body } of [old, heir, heir, old])
      statuses.push((await integrator(stack.demo.base_url, body.key).post('send-template', bodyOf['send-template']('12015550100'))).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  it('has seen every documented response', () => {
    // Only load causes 503; reads.spec.ts covers it.
    expect(documented.unseen('/api/v1/', ['503'])).toEqual([]);
  });

  it('logs no key from the query (spec §5.2, guarantees §9)', async () => {
    const url = `${stack.demo.base_url}/quick-send?apikey=${stack.growth.api_key}&phone=12015550100&template=order_update&params=Asha,1`;
    expect((await fetch(url)).status).toBe(200);
    expect(stack.log().includes(stack.growth.api_key)).toBe(false);
  });
});
