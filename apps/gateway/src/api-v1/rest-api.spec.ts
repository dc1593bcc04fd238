import {
  FindSends,
  GatewayError,
  gatewayMessageId,
  GetMessageStatuses,
  ListApprovedTemplates,
  SendTemplate,
  SendText,
  type RequestOf,
} from '@mgw/contracts';
import request from 'supertest';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';

const TEMPLATE = { phone: '+91 98765-43210', template_name: 'order_update', body_params: ['Asha', 7] };

describe('the REST API (spec §4, §5, §7)', () => {
  let dashboard: Dashboard;
  let requested: { operation: string; request: unknown }[];
  beforeAll(async () => (dashboard = await startDashboard()));
  afterAll(() => dashboard.close());
  beforeEach(() => {
    requested = [];
    dashboard.neighbours.reset();
    const sent = (operation: string) => (request: { to: string }) => {
      requested.push({ operation, request });
      return { message_id: 'wamid.X==', phone: request.to, replayed: false };
    };
    dashboard.neighbours.respond(SendTemplate, sent('template'));
    dashboard.neighbours.respond(SendText, sent('text'));
  });

  const key = (options?: Parameters<Dashboard['apiKey']>[0]) => dashboard.apiKey(options);
  const http = () => request(dashboard.visitor.server);
  const send = (token: string, body: object, path = 'send-template') => http().post(`/api/v1/${path}`).set('x-api-key', token).send(body);

  it('spec §4.4, §2.2: send-template calls the send service and responds with the send result', async () => {
    const { token, id, business_id } = await key();
    const response = await send(token, { ...TEMPLATE, extra: 1 }).expect(200);
    expect(response.body).toEqual({
      success: true,
      message_id: 'wamid.X==',
      phone: '919876543210',
      template: 'order_update',
      delivery_status: 'queued',
      note: expect.any(String) as string,
    });
    expect(requested).toEqual([
      {
        operation: 'template',
        request: {
          sender: {
            business_id,
            sent_by: 'api',
            intent_id: expect.any(String) as string,
            api_key_id: id,
            plan: 'Growth',
            daily_limit: 150,
            timezone: 'Asia/Kolkata',
            idempotency: null,
          },
          to: '919876543210',
          template_name: 'order_update',
          language: 'en',
          body_params: ['Asha', '7'],
          header_params: [],
          button_params: [],
        },
      },
    ]);
  });

  it.each([
    ['has no room', '53100'],
    ['stops a statement at its time limit', '57014'],
    ['waits too long for a lock', '55P03'],
    ['is starting or stopping', '57P03'],
  ])('a request is retryable if the database of the gateway %s', async (_, code) => {
    const { token } = await key();
    await dashboard.db.query(`CREATE FUNCTION access.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'not now' USING ERRCODE = '${code}'; END $$`);
    // The first use of a key is recorded in its row.
    await dashboard.db.query('CREATE TRIGGER refuses BEFORE UPDATE ON access.api_keys FOR EACH ROW EXECUTE FUNCTION access.refuse()');
    const response = await http().get('/api/v1/templates').set('x-api-key', token);
    await dashboard.db.query('DROP FUNCTION access.refuse CASCADE');
    expect([response.status, response.body]).toEqual([
      500,
      { success: false, error: 'The service is busy. Try again shortly.', error_code: 'INTERNAL', retryable: true },
    ]);
  });

  it('decision 3: every response has a request id, no-store and the limits', async () => {
    const { token } = await key({ limit: 10 });
    const response = await send(token, { phone: '919876543210', message: 'Hi' }, 'send-text').set('x-request-id', 'my-id').expect(200);
    expect(response.headers).toMatchObject({
      'x-request-id': 'my-id',
      'cache-control': 'no-store',
      'ratelimit-limit': '10',
      'ratelimit-remaining': '9',
    });
    expect(response.headers['etag']).toBeUndefined();
    expect(response.headers['x-powered-by']).toBeUndefined();
    const odd = await send(token, TEMPLATE).set('x-request-id', 'no sane token');
    expect(odd.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('spec §5.3: every wrong key gets the same 401', async () => {
    const { token } = await key();
    const bodies = [];
    for (const wrong of [undefined, '', 'x', `${token}x`, token.toLowerCase(), `${token}, ${token}`]) {
      const call = http().post('/api/v1/send-text').send({});
      bodies.push((await (wrong === undefined ? call : call.set('x-api-key', wrong)).expect(401)).body);
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toMatchObject({ success: false, error_code: 'INVALID_API_KEY' });
    await http().get(`/api/v1/health?apikey=${token}`).expect(401);
  });

  it('decision 1: checks limits, plan, permission, input, in this order; a failed check ends the request', async () => {
    const starter = await key({ plan: 'Starter' });
    expect((await send(starter.token, {}).expect(403)).body).toMatchObject({ error_code: 'PLAN_NOT_ALLOWED' });
    const reader = await key({ permissions: ['send_text'] });
    expect((await send(reader.token, {}).expect(403)).body).toMatchObject({ error_code: 'PERMISSION_DENIED' });
    const limited = await key({ plan: 'Starter', limit: 1 });
    await send(limited.token, {}).expect(403);
    const refused = await send(limited.token, {}).expect(429);
    expect(refused.body).toEqual({ error: expect.any(String) as string, retry_after_seconds: expect.any(Number) as number });
    expect(refused.headers['retry-after']).toBe(String((refused.body as { retry_after_seconds: number }).retry_after_seconds));
    expect(requested).toEqual([]);
  });

  it.each([
    ['no phone', { ...TEMPLATE, phone: undefined }, 'phone'],
    ['a phone that is a number', { ...TEMPLATE, phone: 919876543210 }, 'phone'],
    ['a short phone', { ...TEMPLATE, phone: '12345' }, 'phone'],
    ['no template', { phone: '919876543210' }, 'template_name'],
    ['a template that is an array', { ...TEMPLATE, template_name: ['a'] }, 'template_name'],
    ['params that are an object', { ...TEMPLATE, body_params: { 0: 'a' } }, 'body_params'],
    ['params that hold null', { ...TEMPLATE, body_params: [null] }, 'body_params'],
    ['too many params', { ...TEMPLATE, body_params: Array(51).fill('x') }, 'body_params'],
    ['a long param', { ...TEMPLATE, header_params: ['x'.repeat(1025)] }, 'header_params'],
    ['NUL in a param', { ...TEMPLATE, body_params: ['\u0000'] }, 'body_params.0'],
  ])('spec §7: refuses %s with 400 that names the field', async (_, body, field) => {
    const { token } = await key();
    const response = await send(token, body).expect(400);
    expect(response.body).toMatchObject({ success: false, error_code: 'VALIDATION_FAILED', details: [expect.objectContaining({ field })] });
    expect(requested).toEqual([]);
  });

  it.each([
    ['', 400],
    [' \n ', 400],
    ['x'.repeat(4097), 400],
    ['👋'.repeat(4096), 200],
  ])('decision 10: message %# gets its status', async (message, status) => {
    const { token } = await key();
    await send(token, { phone: '919876543210', message }, 'send-text').expect(status);
  });

  it('decisions 4, 5: unknown paths, other methods, HEAD, other types and large bodies get the envelope', async () => {
    const { token } = await key();
    const withKey = (call: request.Test) => call.set('x-api-key', token);
    expect((await withKey(http().get('/api/v1/nothing')).expect(404)).body).toMatchObject({ success: false, error_code: 'NOT_FOUND' });
    const wrongMethod = await withKey(http().get('/api/v1/send-text')).expect(405).expect('allow', 'POST');
    expect(wrongMethod.body).toMatchObject({ error_code: 'METHOD_NOT_ALLOWED' });
    await withKey(http().head('/api/v1/health')).expect(405);
    await withKey(http().get('/api/v1/Health')).expect(404);
    await withKey(http().get('/api/v1/health/')).expect(404);
    const form = withKey(http().post('/api/v1/send-text')).type('form').send('phone=1');
    expect((await form.expect(415)).body).toMatchObject({ error_code: 'UNSUPPORTED_MEDIA_TYPE' });
    expect((await send(token, { a: 'x'.repeat(70_000) }).expect(413)).body).toMatchObject({
      error_code: 'PAYLOAD_TOO_LARGE',
      error: 'The body is too large: this endpoint takes at most 64 kB.',
    });
    const broken = withKey(http().post('/api/v1/send-text')).type('json').send('{"a":');
    expect((await broken.expect(400)).body).toMatchObject({ success: false, error_code: 'VALIDATION_FAILED' });
    await withKey(http().post('/api/v1/send-text')).type('json').send('[1]').expect(400);
  });

  it('spec §7: passes on refusals of the send service; a missing response becomes OUTCOME_UNKNOWN', async () => {
    const { token } = await key();
    const window = { session_window: { open: false, last_inbound_at: null }, hint: 'template' };
    dashboard.neighbours.respond(SendText, () => {
      throw new GatewayError('WINDOW_CLOSED', 'closed', window);
    });
    const refused = await send(token, { phone: '919876543210', message: 'Hi' }, 'send-text').expect(400);
    expect(refused.body).toEqual({ success: false, error: 'closed', error_code: 'WINDOW_CLOSED', ...window });
    dashboard.neighbours.respond(SendText, () => {
      throw new GatewayError('DEADLINE_EXCEEDED', 'x');
    });
    const silent = await send(token, { phone: '919876543210', message: 'Hi' }, 'send-text').expect(500);
    expect(silent.body).toMatchObject({ error_code: 'OUTCOME_UNKNOWN' });
    dashboard.neighbours.respond(SendText, () => {
      throw new GatewayError('DAILY_LIMIT_REACHED', 'cap', {
        daily_limit: 1,
        daily_used: 1,
        plan: 'Growth',
        retry_after: 'midnight',
        retry_after_seconds: 77,
      });
    });
    const capped = await send(token, { phone: '919876543210', message: 'Hi' }, 'send-text').expect(429);
    expect(capped.headers['retry-after']).toBe('77');
    expect(capped.body).toEqual({
      success: false,
      error: 'cap',
      error_code: 'DAILY_LIMIT_REACHED',
      daily_limit: 1,
      daily_used: 1,
      plan: 'Growth',
      retry_after: 'midnight',
    });
  });

  it.each(['DEADLINE_EXCEEDED', 'REPLY_LOST'] as const)(
    'decision 23a: a send that fails with %s returns its message id; with a key it can be repeated',
    async (error_code) => {
      const { token } = await key();
      const ids: (string | undefined)[] = [];
      dashboard.neighbours.respond(SendText, ({ sender }) => {
        ids.push(sender.intent_id);
        throw new GatewayError(error_code, 'x');
      });
      const text = () => send(token, { phone: '919876543210', message: 'Hi' }, 'send-text');
      const bodies = [(await text().expect(500)).body, (await text().set('idempotency-key', 'k').expect(500)).body] as object[];
      expect(new Set(ids).size).toBe(2);
      expect(bodies).toMatchObject(ids.map((id) => ({ error_code: 'OUTCOME_UNKNOWN', message_id: gatewayMessageId(id ?? '') })));
      expect(bodies).toMatchObject([
        { hint: expect.not.stringContaining('Idempotency-Key') as string },
        { hint: expect.stringContaining('Idempotency-Key') as string },
      ]);
    },
  );

  it('decision 24: passes the Idempotency-Key with a fingerprint of endpoint and body, and marks a replay', async () => {
    const { token } = await key();
    dashboard.neighbours.respond(SendTemplate, (message: RequestOf<typeof SendTemplate>) => {
      requested.push({ operation: 'template', request: message.sender.idempotency });
      return { message_id: 'wamid.X', phone: message.to, replayed: true };
    });
    for (const body of [TEMPLATE, { ...TEMPLATE, phone: '9876543210', extra: true }, { ...TEMPLATE, language: 'fr' }]) {
      const response = await send(token, body).set('idempotency-key', 'k1').expect(200);
      expect(response.headers['idempotency-replayed']).toBe('true');
    }
    const [first, same, other] = requested.map(({ request }) => (request as { fingerprint: string }).fingerprint);
    expect(same).toBe(first);
    expect(other).not.toBe(first);
    await send(token, TEMPLATE).set('idempotency-key', 'x'.repeat(256)).expect(400);
  });

  it('spec §4.8, decisions 23a, 25: shows the status of ids in both forms, of failed sends, and of unknown ones', async () => {
    const { token } = await key();
    const record = {
      message_id: 'wamid.A/b+c==',
      delivery_status: 'failed' as const,
      sent_at: '2026-01-02T03:04:05.678Z',
      to: '1',
      failure_reason: 'why',
    };
    const refused = { message_id: 'gw_1', state: 'refused' as const, to: '12345678', at: record.sent_at, failure_reason: 'no' };
    dashboard.neighbours.respond(GetMessageStatuses, ({ message_ids }) => ({
      statuses: [record].filter(({ message_id }) => message_ids.includes(message_id)),
    }));
    dashboard.neighbours.respond(FindSends, ({ message_ids }) => ({ sends: message_ids.map((id) => (id === 'gw_1' ? refused : null)) }));
    const get = (path: string) => http().get(`/api/v1/message-status/${path}`).set('x-api-key', token);
    for (const form of [record.message_id, encodeURIComponent(record.message_id)]) {
      const { body } = await get(form).expect(200);
      expect(body).toEqual({ success: true, api_status: 'success', ...record });
    }
    expect((await get('gw_1').expect(200)).body).toEqual({
      success: true,
      message_id: 'gw_1',
      api_status: 'failed',
      delivery_status: 'failed',
      sent_at: record.sent_at,
      to: '12345678',
      failure_reason: 'no',
    });
    const unknown = await get('wamid.unknown').expect(404);
    expect(unknown.body).toMatchObject({ success: false, error_code: 'NOT_FOUND', hint: expect.any(String) as string });
  });

  it('spec §4.2, platform §3.1: joins the pages of thousands of large templates into one list', async () => {
    const { token } = await key();
    const template = (id: number) => ({
      ...{ id, name: `order_${id}`, display_name: 'Order', content: 'ಕ'.repeat(943), category: 'UTILITY', language: 'kn' },
      ...{ header_type: null, header_text: null, footer_text: null, variables: [] },
    });
    const pages: string[] = [];
    dashboard.neighbours.respond(ListApprovedTemplates, ({ limit = 6_000, cursor }) => {
      pages.push(cursor ?? '');
      const from = Number(cursor ?? 0);
      const templates = Array.from({ length: Math.min(limit, 6_000 - from) }, (_, i) => template(from + i + 1));
      return { templates, next_cursor: from + limit < 6_000 ? String(from + limit) : null };
    });
    const { body } = await http().get('/api/v1/templates').set('x-api-key', token).expect(200);
    expect((body as { templates: { id: number }[] }).templates.map(({ id }) => id)).toEqual(Array.from({ length: 6_000 }, (_, i) => i + 1));
    expect(body).toEqual({ success: true, templates: expect.arrayContaining([template(1), template(6_000)]) as object[] });
    expect(new Set(pages).size).toBe(pages.length);
  });

  it('spec §2.5, §4.1, §4.2: health and templates accept any key; health never fails because of the connection', async () => {
    const { token } = await key({ permissions: ['send_text'] });
    dashboard.neighbours.respond(ListApprovedTemplates, () => ({ templates: [] }));
    const get = (path: string) => http().get(`/api/v1/${path}`).set('x-api-key', token).expect(200);
    expect((await get('templates')).body).toEqual({ success: true, templates: [] });
    expect((await get('health')).body).toMatchObject({
      success: true,
      business: 'Business',
      whatsapp_connected: false,
      api_key_name: 'CRM',
    });
  });
});
