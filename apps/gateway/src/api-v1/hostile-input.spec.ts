import {
  CheckSend,
  FindSends,
  GetMessageStatuses,
  MarkRead,
  SendContacts,
  SendInteractive,
  SendLocation,
  SendMedia,
  SendOtp,
  SendReaction,
  SendTemplate,
  SendText,
  type Operation,
} from '@mgw/contracts';
import request from 'supertest';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';
import { ApiKeysStore } from '../api-keys/api-keys.store';
import { LimitsStore } from '../limits/limits.store';

const PHONE = '919876543210';
const GOOD = {
  'send-template': {
    dry_run: false,
    phone: PHONE,
    template_name: 'order_update',
    language: 'en',
    body_params: ['a'],
    header_params: ['b'],
    button_params: ['c'],
  },
  'send-text': { phone: PHONE, message: 'Hi', reply_to: 'wamid.1', preview_url: false, dry_run: false },
  'send-media': {
    dry_run: false,
    phone: PHONE,
    media_type: 'document',
    media_url: 'https://example.com/a.pdf',
    caption: 'c',
    filename: 'a.pdf',
    reply_to: 'wamid.1',
    voice: false,
  },
  'send-otp': { phone: PHONE, template_name: 'login_code', otp: '123456', language: 'en', dry_run: false },
  'send-interactive': {
    dry_run: false,
    phone: PHONE,
    kind: 'buttons',
    body: 'b',
    header: { type: 'text', text: 'h' },
    footer: 'f',
    buttons: [{ id: 'a', title: 'A' }],
    list: null,
    link: null,
    flow: null,
    reply_to: 'wamid.1',
  },
  'send-location': { phone: PHONE, latitude: 1.5, longitude: 2, name: 'n', address: 'a', reply_to: 'wamid.1', dry_run: false },
  'send-contacts': {
    phone: PHONE,
    contacts: [{ name: { formatted_name: 'Asha Rao', first_name: 'Asha' } }],
    reply_to: 'wamid.1',
    dry_run: false,
  },
  'send-reaction': { phone: PHONE, message_id: 'wamid.1', emoji: '👍', dry_run: false },
  'mark-read': { message_id: 'wamid.1', typing: true },
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
  ['a name with NUL', '{"a\\u0000b":1}'],
  ['a name with a lone surrogate', '{"\\ud800":1}'],
  ['fifty thousand characters', JSON.stringify('x'.repeat(50_000))],
];
const TRUE_AND_FALSE = ['true', 'false'];
/** Values that are valid for a field: no caption, a number of degrees, a switch. */
const VALID: Record<string, string[]> = {
  caption: ['an empty text', 'blanks'],
  latitude: ['a number'],
  longitude: ['a number'],
  preview_url: TRUE_AND_FALSE,
  dry_run: TRUE_AND_FALSE,
  typing: TRUE_AND_FALSE,
  voice: ['false'],
};
/** Fields that must not be null or absent. */
const NEEDED = [
  'phone',
  'template_name',
  'message',
  'media_type',
  'media_url',
  'kind',
  'body',
  'buttons',
  'latitude',
  'longitude',
  'contacts',
];
/** Names of values whose body no endpoint takes. */
const NO_ENDPOINT_TAKES = /levels|key named|beyond|NUL|surrogate|character|return|fifty/;
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
    for (const operation of [
      MarkRead,
      SendContacts,
      SendInteractive,
      SendLocation,
      SendMedia,
      SendOtp,
      SendReaction,
      SendTemplate,
      SendText,
    ] as Operation[]) {
      dashboard.neighbours.respond(operation, ((message: { to: string }) => {
        reached += 1;
        return { message_id: 'wamid.X', phone: message.to, replayed: false, otp: '012345' };
      }) as never);
    }
    const state = { text: '', session_window: null, suppression_state: null, daily_remaining: 1 };
    dashboard.neighbours.respond(CheckSend, () => ({ problems: [], ...state }));
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
      if (VALID[field]?.includes(name)) continue;
      const { status, body } = await post(path, withField(path, field, json));
      expect({ name, status, body: body as unknown }).toMatchObject({
        name,
        status: 400,
        body: { success: false, error: expect.any(String) as string, error_code: 'VALIDATION_FAILED' },
      });
    }
    expect(reached).toBe(0);
  });

  it.each(fields.filter(([path, field]) => path !== 'mark-read' && field !== 'dry_run'))(
    'decision 332: %s %s: a dry run reports invalid values, and refuses only bodies that no endpoint takes',
    async (path, field) => {
      for (const [name, json] of HOSTILE) {
        if (VALID[field]?.includes(name)) continue;
        const { status, body } = await post(path, withField(path, field, json).replace('"dry_run":false', '"dry_run":true'));
        const fault = { error_code: 'VALIDATION_FAILED', details: expect.any(Array) as unknown[] };
        const expected = status === 400 ? fault : { would_send: false, problems: [fault] };
        expect({ name, status, body: body as unknown }).toMatchObject({ name, status: expect.any(Number) as number, body: expected });
        expect([200, ...(NO_ENDPOINT_TAKES.test(name) ? [400] : [])]).toContain(status);
      }
      expect(reached).toBe(0);
    },
  );

  it.each([
    ['send-template', 'template_name'],
    ['send-text', 'message'],
    ['send-media', 'caption'],
    ['send-media', 'filename'],
    ['send-otp', 'template_name'],
    ['send-interactive', 'body'],
    ['send-interactive', 'footer'],
    ['send-location', 'name'],
  ] as [keyof typeof GOOD, string][])('%s %s: passes on unusual texts unchanged', async (path, field) => {
    for (const [name, text] of ODD_TEXTS) {
      const { status } = await post(path, withField(path, field, JSON.stringify(text)));
      expect({ name, status }).toEqual({ name, status: 200 });
    }
  });

  it.each(fields.filter(([path, field]) => !NEEDED.includes(field) && field !== 'message_id' && path !== 'send-reaction'))(
    'decision 44: %s %s: null means the same as leaving it out',
    async (path, field) => {
      expect((await post(path, withField(path, field, 'null'))).status).toBe(200);
    },
  );

  /** Replaces the value at a path of a good request. */
  const withValue = (path: keyof typeof GOOD, body: object, place: string, json: string) => {
    const copy = structuredClone({ ...GOOD[path], ...body }) as Record<string, unknown>;
    const names = place.split('.');
    const parent = names.slice(0, -1).reduce((value, name) => value[name] as Record<string, unknown>, copy);
    parent[names.at(-1) as string] = '\u0001';
    return JSON.stringify(copy).replace('"\\u0001"', () => json);
  };
  const list = { button: 'b', sections: [{ title: 't', rows: [{ id: 'r', title: 'R', description: 'd' }] }] };
  const flow = { flow_id: '7', cta: 'c', screen: 'S', data: { a: 1 } };
  const NESTED: [keyof typeof GOOD, object, string[]][] = [
    ['send-interactive', {}, ['header.type', 'header.text', 'buttons.0', 'buttons.0.id', 'buttons.0.title']],
    ['send-interactive', { header: { type: 'image', media_url: 'https://example.com/a.png' } }, ['header.media_url']],
    [
      'send-interactive',
      { kind: 'list', buttons: null, list },
      ['list', 'list.button', 'list.sections', 'list.sections.0', 'list.sections.0.title', 'list.sections.0.rows'].concat(
        ['', '.id', '.title', '.description'].map((name) => `list.sections.0.rows.0${name}`),
      ),
    ],
    [
      'send-interactive',
      { kind: 'link', buttons: null, link: { text: 't', url: 'https://example.com' } },
      ['link', 'link.text', 'link.url'],
    ],
    ['send-interactive', { kind: 'flow', buttons: null, flow }, ['flow', 'flow.flow_id', 'flow.cta', 'flow.screen', 'flow.data']],
    [
      'send-contacts',
      {
        contacts: [
          {
            name: { formatted_name: 'A', first_name: 'A' },
            phones: [{ phone: '1', type: 'WORK' }],
            org: { company: 'c' },
            birthday: '1990-01-02',
          },
        ],
      },
      ['contacts.0', 'contacts.0.name', 'contacts.0.phones', 'contacts.0.phones.0.phone', 'contacts.0.org.company', 'contacts.0.birthday'],
    ],
  ];
  it.each(NESTED.flatMap(([path, body, places]) => places.map((place) => [path, place, body] as const)))(
    'decision 302: %s %s: invalid values get 400 with the field and reach no service',
    async (path, place, body) => {
      for (const [name, json] of HOSTILE) {
        // The data of a flow is any object.
        if (place === 'flow.data' && ['an object', 'an object that passes for a text'].includes(name)) continue;
        const response = await post(path, withValue(path, body, place, json));
        const { details = [] } = response.body as { details?: { field: string }[] };
        expect({ name, status: response.status, body: response.body as unknown }).toMatchObject({
          name,
          status: 400,
          body: { success: false, error_code: 'VALIDATION_FAILED' },
        });
        // A value that no endpoint accepts may be found before its field.
        if (!/levels|key named|beyond/.test(name))
          expect({ name, field: details[0]?.field }).toEqual({ name, field: expect.stringContaining(place) as string });
      }
      expect(reached).toBe(0);
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

  it('decision 107: refuses a number in the data of a flow that would arrive changed', async () => {
    const send = (json: string) =>
      post('send-interactive', withValue('send-interactive', { kind: 'flow', buttons: null, flow }, 'flow.data', json));
    for (const number of ['12345678901234567890', '9007199254740993', '1e999', '1e21', '0.0000001']) {
      const { status, body } = await send(`{"items":[{"price":${number}}]}`);
      const details = [{ field: 'flow.data.items.0.price' }];
      expect({ number, status, body: body as unknown }).toMatchObject({ number, status: 400, body: { details } });
    }
    expect(reached).toBe(0);
    await send('{"items":[{"price":-1.5,"id":9007199254740991,"name":"12345678901234567890"}],"more":null}').expect(200);
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
    dashboard.neighbours.respond(GetMessageStatuses, () => ({ statuses: [] }));
    dashboard.neighbours.respond(FindSends, () => ({ sends: [null] }));
    const long = await request(dashboard.visitor.server)
      .get(`/api/v1/media/${'x'.repeat(3_000)}`)
      .set('x-api-key', token);
    expect(long.body).toMatchObject({ error_code: 'NOT_FOUND' });
    for (const id of ['%00', '%ed%a0%80', '..%2f..%2fetc', 'x'.repeat(1_500), 'x'.repeat(3_000), "'%20OR%201=1", '%']) {
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
