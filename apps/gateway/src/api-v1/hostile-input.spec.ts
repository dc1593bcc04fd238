import { FindSend, GetMessageStatus, SendMedia, SendOtp, SendTemplate, SendText } from '@mgw/contracts';
import request from 'supertest';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';
import { ApiKeysStore } from '../api-keys/api-keys.store';
import { LimitsStore } from '../limits/limits.store';

const PHONE = '919876543210';
const GOOD = {
  'send-template': {
    phone: PHONE,
    template_name: 'order_update',
    language: 'en',
    body_params: ['a'],
    header_params: ['b'],
    button_params: ['c'],
  },
  'send-text': { phone: PHONE, message: 'Hi' },
  'send-media': { phone: PHONE, media_type: 'document', media_url: 'https://example.com/a.pdf', caption: 'c', filename: 'a.pdf' },
  'send-otp': { phone: PHONE, template_name: 'login_code', otp: '123456', language: 'en' },
};
const QUICK = { phone: PHONE, template: 'order_update', lang: 'en', params: 'a,b' };

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** JSON texts that are invalid for every field; only null is valid for an optional one. */
const HOSTILE: [string, string][] = [
  ['true', 'true'],
  ['false', 'false'],
  ['a number', '42'],
  ['a number beyond every double', '1e999'],
  ['an object', '{"a":1}'],
  ['an empty object', '{}'],
  ['an object that passes for a text', '{"toString":"x","length":3}'],
  ['an array of an object', '[{}]'],
  ['an array of null', '[null]'],
  ['an array of an array', '[["a"]]'],
  ['seven levels of arrays', nested(7)],
  ['ten levels of arrays', nested(10)],
  ['ten thousand levels of arrays', nested(10_000)],
  ['a key named __proto__', '{"__proto__":{"admin":true}}'],
  ['a key named constructor', '{"constructor":{"prototype":{"admin":true}}}'],
  ['an empty text', '""'],
  ['blanks', '"   "'],
  ['NUL', '"a\\u0000b"'],
  ['a lone high surrogate', '"a\\ud800b"'],
  ['a lone low surrogate', '"\\udc00"'],
  ['an escape character', '"\\u001b[2J"'],
  ['a carriage return', '"a\\rb"'],
  ['a control character beyond ASCII', '"a\\u0085b"'],
  ['fifty thousand characters', JSON.stringify('x'.repeat(50_000))],
];
/** Count as no caption. */
const IS_NO_CAPTION = ['an empty text', 'blanks'];
/** Valid for unrestricted texts. */
const ODD_TEXTS: [string, string][] = [
  ['SQL', `'; DROP TABLE access.api_keys; --`],
  ['HTML', '<script>alert(1)</script>'],
  ['template braces', '{{1}} ${process.env.HOME} %s %n'],
  ['emoji with joiners', '👩‍👩‍👧‍👦🇮🇳'],
  ['right to left', '\u202eabc\u202c مرحبا'],
  ['a zero-width space', 'a\u200bb'],
];

describe('hostile input (spec §7, decisions 4 to 16, guarantees §9)', () => {
  let dashboard: Dashboard;
  let token: string;
  let reached: number;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const business_id = await dashboard.business();
    token = await dashboard.db.transaction(async (tx) => {
      await dashboard.get(LimitsStore).setGlobalPerMinute(tx, 100_000);
      const key = await dashboard.get(ApiKeysStore).add(tx, { business_id, name: 'CRM', permissions: ['*'], expires_at: null });
      await dashboard.get(ApiKeysStore).changeLimits(tx, key.id, { per_minute_limit: 100_000 });
      return key.token;
    });
    for (const operation of [SendMedia, SendOtp, SendTemplate, SendText]) {
      dashboard.neighbours.respond(operation, ((message: { to: string }) => {
        reached += 1;
        return { message_id: 'wamid.X', phone: message.to, replayed: false, otp: '012345' };
      }) as never);
    }
  });
  afterAll(() => dashboard.close());
  beforeEach(() => (reached = 0));

  const post = (path: string, json: string) =>
    request(dashboard.visitor.server).post(`/api/v1/${path}`).set('x-api-key', token).type('json').send(json);
  const fields = Object.entries(GOOD).flatMap(([path, body]) =>
    Object.keys(body).map((field) => [path, field] as [keyof typeof GOOD, string]),
  );
  const withField = (path: keyof typeof GOOD, field: string, json: string): string => {
    const others = Object.entries(GOOD[path]).filter(([name]) => name !== field);
    return `{${[...others.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`), `${JSON.stringify(field)}:${json}`].join()}}`;
  };

  it.each(fields)('%s %s: invalid values get 400 and reach no service', async (path, field) => {
    for (const [name, json] of HOSTILE) {
      if (field === 'caption' && IS_NO_CAPTION.includes(name)) continue;
      const { status, body } = await post(path, withField(path, field, json));
      expect({ name, status, body: body as unknown }).toMatchObject({
        name,
        status: 400,
        body: { success: false, error: expect.any(String) as string, error_code: 'VALIDATION_FAILED' },
      });
    }
    expect(reached).toBe(0);
  });

  it.each([
    ['send-template', 'template_name'],
    ['send-text', 'message'],
    ['send-media', 'caption'],
    ['send-media', 'filename'],
    ['send-otp', 'template_name'],
  ] as [keyof typeof GOOD, string][])('%s %s: passes on unusual texts unchanged', async (path, field) => {
    for (const [name, text] of ODD_TEXTS) {
      const { status } = await post(path, withField(path, field, JSON.stringify(text)));
      expect({ name, status }).toEqual({ name, status: 200 });
    }
  });

  it.each(fields.filter(([, field]) => !['phone', 'template_name', 'message', 'media_type', 'media_url'].includes(field)))(
    'decision 44: %s %s: null means the same as leaving it out',
    async (path, field) => {
      expect((await post(path, withField(path, field, 'null'))).status).toBe(200);
    },
  );

  it('decision 15: refuses a number whose text is uncertain as a template value', async () => {
    for (const field of ['body_params', 'header_params', 'button_params'])
      for (const number of ['9007199254740993', '12345678901234567890', '1e21', '0.0000001']) {
        const { status, body } = await post('send-template', withField('send-template', field, `[${number}]`));
        expect({ number, status, body: body as unknown }).toMatchObject({ number, status: 400, body: { details: [{ field }] } });
      }
    expect(reached).toBe(0);
    await post('send-template', withField('send-template', 'body_params', '[0, -1.5, 9007199254740991]')).expect(200);
  });

  it('decision 16: ignores filename without a document', async () => {
    const image = { phone: PHONE, media_type: 'image', media_url: 'https://example.com/a.png' };
    for (const filename of ['', 'x'.repeat(300)]) await post('send-media', JSON.stringify({ ...image, filename })).expect(200);
    await post('send-media', JSON.stringify({ ...image, filename: 5 })).expect(400);
  });

  it.each(Object.keys(QUICK))('quick-send %s: twice, as an array, as an object, and with invalid Unicode gets 400', async (field) => {
    const others = Object.entries(QUICK).filter(([name]) => name !== field);
    const rest = new URLSearchParams(others).toString();
    const long = 'x'.repeat(9_000);
    for (const odd of [
      `${field}=a&${field}=b`,
      `${field}[]=a`,
      `${field}[a]=b`,
      `${field}=%00`,
      `${field}=%c2%85`,
      `${field}=%ed%a0%80`,
      `${field}=${long}`,
    ]) {
      const { status, body } = await request(dashboard.visitor.server).get(`/api/v1/quick-send?${rest}&${odd}`).set('x-api-key', token);
      expect({ odd: odd.slice(0, 40), status, body: body as unknown }).toMatchObject({
        odd: odd.slice(0, 40),
        status: 400,
        body: { success: false, error_code: 'VALIDATION_FAILED' },
      });
    }
    expect(reached).toBe(0);
  });

  it('decision 6: refuses forbidden names in any query with 400', async () => {
    const good = new URLSearchParams(QUICK).toString();
    const session = await dashboard.session('owner', await dashboard.business());
    for (const name of ['__proto__', 'constructor', 'prototype', '%5F_proto__']) {
      const { status } = await request(dashboard.visitor.server).get(`/api/v1/quick-send?${good}&${name}=1`).set('x-api-key', token);
      const { status: onDashboard } = await session.get(`/api/client/messages?${name}=1`);
      expect({ name, status, onDashboard }).toEqual({ name, status: 400, onDashboard: 400 });
    }
    expect(reached).toBe(0);
  });

  it('spec §4.8: malformed message ids get the same 404 as unknown ones', async () => {
    dashboard.neighbours.respond(GetMessageStatus, () => ({ record: null }));
    dashboard.neighbours.respond(FindSend, () => ({ send: null }));
    for (const id of ['%00', '%ed%a0%80', '..%2f..%2fetc', 'x'.repeat(1_500), "'%20OR%201=1", '%']) {
      const { status, body } = await request(dashboard.visitor.server).get(`/api/v1/message-status/${id}`).set('x-api-key', token);
      expect({ id: id.slice(0, 20), status, body: body as unknown }).toMatchObject({ id: id.slice(0, 20), body: { success: false } });
      expect([400, 404]).toContain(status);
    }
  });

  it('refuses a malformed Idempotency-Key with 400, and replaces a malformed request id', async () => {
    for (const odd of ['', ' ', 'a b', 'x'.repeat(300), 'é']) {
      const response = await post('send-text', JSON.stringify(GOOD['send-text'])).set(
        'idempotency-key',
        Buffer.from(odd).toString('latin1'),
      );
      expect({ odd: odd.slice(0, 9), status: response.status }).toEqual({ odd: odd.slice(0, 9), status: 400 });
    }
    expect(reached).toBe(0);
  });
});
