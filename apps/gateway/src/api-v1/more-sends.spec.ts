import {
  CheckSend,
  GatewayError,
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
  type RequestOf,
} from '@mgw/contracts';
import request from 'supertest';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';
import { ApiKeysStore } from '../api-keys/api-keys.store';
import { splitParams } from '../requests/quick-params';

const PHONE = '919876543210';

describe('send-media, send-otp, quick-send (spec §4.3, §4.6, §4.7)', () => {
  let dashboard: Dashboard;
  let token: string;
  let business_id: number;
  let requested: Record<string, unknown>[];
  beforeAll(async () => {
    dashboard = await startDashboard();
    await dashboard.db.query('UPDATE access.limits SET global_per_minute = 100000');
    business_id = await dashboard.business();
    const store = dashboard.get(ApiKeysStore);
    token = await dashboard.db.transaction(async (tx) => {
      const key = await store.add(tx, { business_id, name: 'CRM', permissions: ['*'], expires_at: null });
      await store.changeLimits(tx, key.id, { per_minute_limit: 1_000 });
      return key.token;
    });
  });
  afterAll(() => dashboard.close());
  beforeEach(() => {
    requested = [];
    const sent = ({ sender: _sender, ...message }: { sender: unknown; to: string }) => {
      requested.push(message);
      return { message_id: 'wamid.X', phone: message.to, replayed: false, otp: '012345' };
    };
    const operations = [SendContacts, SendInteractive, SendLocation, SendMedia, SendOtp, SendReaction, SendTemplate, SendText];
    for (const operation of operations as Operation[]) dashboard.neighbours.respond(operation, sent as never);
  });

  const http = () => request(dashboard.visitor.server);
  const post = (path: string, body: object) => http().post(`/api/v1/${path}`).set('x-api-key', token).send(body);
  const quick = (query: string, key: string | null = token) => {
    const call = http().get(`/api/v1/quick-send?${query}`);
    return key === null ? call : call.set('x-api-key', key);
  };

  it('spec §4.6: sends media; only documents carry the filename', async () => {
    const media = { phone: PHONE, media_type: 'image', media_url: 'https://example.com/a.png', caption: 'c', filename: 'f' };
    expect((await post('send-media', media).expect(200)).body).toMatchObject({ success: true, media_type: 'image' });
    await post('send-media', { ...media, media_type: 'document' }).expect(200);
    expect(requested.map(({ filename }) => filename)).toEqual([null, 'f']);
  });

  it('additions §2: sends media by its id', async () => {
    await post('send-media', { phone: PHONE, media_type: 'image', media_id: '4490709327384033', media_url: null }).expect(200);
    const [sent] = requested;
    expect([sent?.['media_id'], 'media_url' in (sent ?? {})]).toEqual(['4490709327384033', false]);
  });

  it.each([
    ['no media_type', { media_type: undefined }, 'media_type'],
    ['a sticker', { media_type: 'sticker' }, 'media_type'],
    ['no address', { media_url: undefined }, 'media_url'],
    ['an address and an id', { media_id: '7' }, 'media_url'],
    ['an id with slashes', { media_url: null, media_id: '../7' }, 'media_id'],
    ['an id that is a number', { media_url: null, media_id: 7 }, 'media_id'],
    ['a file address', { media_url: 'file:///etc/passwd' }, 'media_url'],
    ['a caption with audio', { media_type: 'audio', caption: 'c' }, 'caption'],
    ['a long caption', { caption: 'x'.repeat(1025) }, 'caption'],
    ['a caption that is a number', { caption: 1 }, 'caption'],
  ])('decision 16: refuses %s with 400', async (_, change, field) => {
    const media = { phone: PHONE, media_type: 'image', media_url: 'https://example.com/a.png', ...change };
    expect((await post('send-media', media).expect(400)).body).toMatchObject({ details: [expect.objectContaining({ field })] });
    expect(requested).toEqual([]);
  });

  it('spec §4.5, §4.6, decision 303: passes on reply_to, preview_url and voice', async () => {
    await post('send-text', { phone: PHONE, message: 'Hi', reply_to: 'wamid.0', preview_url: false }).expect(200);
    const voice = { phone: PHONE, media_type: 'audio', media_url: 'https://example.com/a.ogg', voice: true };
    await post('send-media', { ...voice, reply_to: 'wamid.0' }).expect(200);
    expect(requested).toMatchObject([
      { text: 'Hi', reply_to: 'wamid.0', preview_url: false },
      { media_type: 'audio', voice: true, reply_to: 'wamid.0' },
    ]);
    const { body } = await post('send-media', { ...voice, media_type: 'video' }).expect(400);
    expect(body).toMatchObject({ details: [{ field: 'voice' }] });
    await post('send-text', { phone: PHONE, message: 'Hi', reply_to: null, preview_url: true }).expect(200);
    expect(requested.at(-1)).toEqual({ to: PHONE, text: 'Hi' });
  });

  const buttons = [{ id: 'a', title: 'A' }];
  const rows = (count: number, from = 0) => Array.from({ length: count }, (_, i) => ({ id: `r${from + i}`, title: 'Row' }));
  const list = { button: 'Choose', sections: [{ title: 'One', rows: rows(10) }] };
  const link = { text: 'Open', url: 'https://example.com' };
  const flow = { flow_id: '7', cta: 'Start' };

  it.each<[string, Record<string, unknown>]>([
    ['buttons', { buttons, header: { type: 'image', media_url: 'https://example.com/a.png' }, footer: 'f' }],
    ['list', { list, header: { type: 'text', text: 'h' } }],
    ['link', { link }],
    ['location_request', {}],
    ['flow', { flow: { ...flow, screen: 'SIZE', data: { size: null } } }],
  ])('decision 304: sends the kind %s', async (kind, content) => {
    const extra = { unknown: 1, reply_to: 'wamid.0', ...(kind === 'buttons' ? { list: null } : { buttons: null }) };
    const { body } = await post('send-interactive', { phone: PHONE, kind, body: 'b', ...extra, ...content }).expect(200);
    expect(body).toMatchObject({ success: true, kind, message_id: 'wamid.X' });
    expect(requested).toEqual([{ to: PHONE, reply_to: 'wamid.0', content: { kind, body: 'b', ...content } }]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['buttons', { buttons: null }],
    ['buttons', { buttons: [...buttons, ...rows(3)] }],
    ['buttons.1.id', { buttons: [...buttons, { id: 'a', title: 'B' }] }],
    ['buttons.1.title', { buttons: [...buttons, { id: 'b', title: 'A' }] }],
    ['buttons.0.title', { buttons: [{ id: 'a', title: 'x'.repeat(21) }] }],
    ['buttons.0.titel', { buttons: [{ id: 'a', titel: 'A' }] }],
    ['body', { buttons, body: 'x'.repeat(1_025) }],
    ['footer', { buttons, footer: 'x'.repeat(61) }],
    ['list', { buttons, list }],
    ['header.text', { buttons, header: { type: 'text' } }],
    ['header.text', { buttons, header: { type: 'text', text: 'x'.repeat(61) } }],
    ['header.media_url', { buttons, header: { type: 'image', text: 'h' } }],
    ['header.media_url', { buttons, header: { type: 'image', media_url: 'file:///etc/passwd' } }],
    ['header.media_id', { buttons, header: { type: 'image', media_url: 'https://example.com/a.png', media_id: '7' } }],
    ['header.media_id', { buttons, header: { type: 'text', text: 'h', media_id: '7' } }],
    ['header.media_id', { buttons, header: { type: 'image', media_id: '/7' } }],
    ['header.type', { kind: 'list', list, header: { type: 'image', media_url: 'https://example.com/a.png' } }],
    ['list.sections', { kind: 'list', list: { ...list, sections: [...list.sections, { title: 'Two', rows: rows(1, 10) }] } }],
    ['list.sections', { kind: 'list', list: { ...list, sections: [{ rows: [...rows(1), ...rows(1)] }] } }],
    ['list.sections.1.title', { kind: 'list', list: { ...list, sections: [{ title: 'One', rows: rows(1) }, { rows: rows(1, 1) }] } }],
    [
      'list.sections.0.rows.0.description',
      { kind: 'list', list: { ...list, sections: [{ rows: [{ ...rows(1)[0], description: 'x'.repeat(73) }] }] } },
    ],
    ['link.url', { kind: 'link', link: { ...link, url: 'tel:1' } }],
    ['footer', { kind: 'location_request', footer: 'f' }],
    ['header', { kind: 'location_request', header: { type: 'text', text: 'h' } }],
    ['flow.screen', { kind: 'flow', flow: { ...flow, data: { a: 1 } } }],
    ['kind', { kind: 'product', buttons }],
  ])('decision 302: refuses send-interactive with 400 that names %s: %j', async (field, change) => {
    const { body } = await post('send-interactive', { phone: PHONE, kind: 'buttons', body: 'b', ...change }).expect(400);
    expect(body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [expect.objectContaining({ field })] });
    expect(requested).toEqual([]);
  });

  it('decision 302: a list may have a body of 4,096 characters', async () => {
    await post('send-interactive', { phone: PHONE, kind: 'list', body: 'x'.repeat(4_096), list }).expect(200);
  });

  it('decision 304: sends locations, contacts and reactions; null removes a reaction', async () => {
    await post('send-location', { phone: PHONE, latitude: -90, longitude: 180, name: 'n', address: null }).expect(200);
    await post('send-contacts', { phone: PHONE, contacts: [{ name: { formatted_name: 'A', first_name: 'A', prefix: null } }] }).expect(200);
    await post('send-reaction', { phone: PHONE, message_id: 'wamid.0', emoji: '👩‍👩‍👧‍👦' }).expect(200);
    await post('send-reaction', { phone: PHONE, message_id: 'wamid.0', emoji: null }).expect(200);
    expect(requested).toEqual([
      { to: PHONE, location: { latitude: -90, longitude: 180, name: 'n' } },
      { to: PHONE, contacts: [{ name: { formatted_name: 'A', first_name: 'A' } }] },
      { to: PHONE, message_id: 'wamid.0', emoji: '👩‍👩‍👧‍👦' },
      { to: PHONE, message_id: 'wamid.0', emoji: null },
    ]);
  });

  it.each<[string, string, object]>([
    ['send-location', 'latitude', { latitude: 90.1, longitude: 2 }],
    ['send-contacts', 'contacts.0.name', { contacts: [{ name: { formatted_name: 'A' } }] }],
    ['send-contacts', 'contacts.0.birthday', { contacts: [{ name: { formatted_name: 'A', first_name: 'A' }, birthday: '1.2.1990' }] }],
    ['send-reaction', 'emoji', { message_id: 'wamid.0', emoji: '👍👍' }],
    ['send-reaction', 'emoji', { message_id: 'wamid.0', emoji: 'a' }],
    ['send-reaction', 'emoji', { message_id: 'wamid.0' }],
    ['send-reaction', 'message_id', { emoji: '👍' }],
  ])('decision 302: refuses %s with 400 that names %s: %j', async (path, field, content) => {
    const { body } = await post(path, { phone: PHONE, ...content }).expect(400);
    expect(body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [expect.objectContaining({ field })] });
    expect(requested).toEqual([]);
  });

  it('decision 304: these sends need the permission send_interactive', async () => {
    const key = await dashboard.db.transaction((tx) =>
      dashboard.get(ApiKeysStore).add(tx, { business_id, name: 'Texts', permissions: ['send_text'], expires_at: null }),
    );
    for (const path of ['send-interactive', 'send-location', 'send-contacts', 'send-reaction'])
      expect((await http().post(`/api/v1/${path}`).set('x-api-key', key.token).send({ phone: PHONE }).expect(403)).body).toMatchObject({
        error_code: 'PERMISSION_DENIED',
        error: expect.stringContaining('send_interactive') as string,
      });
  });

  it('decision 330: marks a message as read, and shows typing on request', async () => {
    dashboard.neighbours.respond(MarkRead, (mark) => {
      requested.push(mark);
      if (mark.message_id === 'wamid.none') throw new GatewayError('NOT_FOUND', 'no');
      return {};
    });
    expect((await post('mark-read', { message_id: 'wamid.0' }).expect(200)).body).toEqual({ success: true });
    await post('mark-read', { message_id: 'wamid.0', typing: true }).expect(200);
    expect(requested).toEqual([false, true].map((typing) => ({ business_id, message_id: 'wamid.0', typing })));
    expect((await post('mark-read', { message_id: 'wamid.none' }).expect(404)).body).toMatchObject({
      success: false,
      error_code: 'NOT_FOUND',
    });
  });

  describe('decision 332: with dry_run', () => {
    const state = { text: 'Hi', session_window: { open: false, last_inbound_at: null }, suppression_state: null, daily_remaining: 7 };
    const closed = { error_code: 'WINDOW_CLOSED' as const, message: 'Closed.' };
    let checked: Omit<RequestOf<typeof CheckSend>, 'sender'>[];
    let problems: (typeof closed)[];
    beforeEach(() => {
      [checked, problems] = [[], []];
      dashboard.neighbours.respond(CheckSend, ({ sender, ...request }) => {
        expect(sender).toMatchObject({ business_id, sent_by: 'api', daily_limit: 150, idempotency: null });
        checked.push(request);
        return { ...state, problems };
      });
    });

    it('nothing is sent, and the response has all problems', async () => {
      problems = [closed];
      const text = { phone: '98765 43210', message: 'Hi', dry_run: true };
      const { body } = await post('send-text', text).set('idempotency-key', 'k').expect(200);
      const shown = { ...{ success: true, dry_run: true, phone: PHONE }, ...state };
      expect(body).toEqual({ ...shown, would_send: false, problems: [{ error_code: 'WINDOW_CLOSED', error: 'Closed.' }] });
      problems = [];
      const otp = await post('send-otp', { phone: PHONE, template_name: 'login_code', dry_run: true }).expect(200);
      expect(otp.body).toEqual({ ...shown, would_send: true, problems: [], template: 'login_code' });
      expect(checked).toEqual([
        { to: PHONE, content: { kind: 'text', message: { text: 'Hi' } } },
        { to: PHONE, content: { kind: 'otp', message: { template_name: 'login_code', language: 'en', otp: null } } },
      ]);
      expect(requested).toEqual([]);
    });

    it('wrong fields are problems, and the rest is checked', async () => {
      problems = [closed];
      const wrong = { kind: 'buttons', body: '', buttons: [{ id: 'a', title: 'x'.repeat(21) }], dry_run: true };
      const { body } = await post('send-interactive', { phone: PHONE, ...wrong }).expect(200);
      expect(body).toMatchObject({
        would_send: false,
        problems: [{ error_code: 'VALIDATION_FAILED', details: [{ field: 'body' }, { field: 'buttons.0.title' }] }, { error: 'Closed.' }],
      });
      const nobody = await post('send-text', { phone: '12', message: 'Hi', dry_run: true }).expect(200);
      expect(nobody.body).toMatchObject({ phone: null, problems: [{ details: [{ field: 'phone' }] }, {}] });
      expect(checked).toEqual([
        { to: PHONE, content: { kind: 'interactive', message: null } },
        { to: null, content: { kind: 'text', message: { text: 'Hi' } } },
      ]);
    });

    it('quick-send takes dry_run=1, and finds all of its own faults', async () => {
      const template = await quick(`phone=${PHONE}&template=order_update&params=a,b&dry_run=1`).expect(200);
      expect(template.body).toMatchObject({ would_send: true, template: 'order_update' });
      const neither = await quick('phone=%209876543210&dry_run=1').expect(200);
      expect(neither.body).toMatchObject({
        would_send: false,
        problems: [{ details: [{ field: 'phone' }] }, { details: [{ field: 'template' }, { field: 'message' }] }],
      });
      expect(checked.map(({ to, content }) => [to, content.kind])).toEqual([
        [PHONE, 'template'],
        [null, 'template'],
      ]);
      for (const value of ['true', '0', '', '1&dry_run=1']) await quick(`phone=${PHONE}&message=a&dry_run=${value}`).expect(400);
      await post('send-text', { phone: PHONE, message: 'Hi', dry_run: 'true' }).expect(400);
      expect(requested).toEqual([]);
    });

    it('faults of the key and of the request as a whole are problems', async () => {
      const fault = (field?: string) => ({ error_code: 'VALIDATION_FAILED', ...(field && { details: [{ field }] }) });
      const text = await post('send-text', { phone: PHONE, message: 'Hi', dry_run: true }).set('idempotency-key', 'a b').expect(200);
      expect(text.body).toMatchObject({ would_send: false, problems: [fault('Idempotency-Key')] });
      const odd = `phone=${PHONE}&message=a&x[]=1&idempotency_key=%20&dry_run=1`;
      const { body } = await quick(odd).set('sec-purpose', 'prefetch').expect(200);
      expect(body).toMatchObject({ phone: PHONE, problems: [fault(), fault('x[]'), fault('Idempotency-Key')] });
      expect((await quick(`phone=${PHONE}&message=a&x=%ff&dry_run=1`).expect(200)).body).toMatchObject({ problems: [fault()] });
    });

    it('refusals before the input and failures stay errors', async () => {
      await http().post('/api/v1/send-text').send({ dry_run: true }).expect(401);
      dashboard.neighbours.respond(CheckSend, () => {
        throw new GatewayError('OVERLOADED', 'Away.');
      });
      await post('send-text', { phone: PHONE, message: 'Hi', dry_run: true }).expect(500);
    });
  });

  it('spec §4.7: the response has the code', async () => {
    const { body } = await post('send-otp', { phone: PHONE, template_name: 'login_code' }).expect(200);
    expect(body).toMatchObject({ success: true, otp: '012345', delivery_status: 'queued' });
    expect(requested).toEqual([{ to: PHONE, template_name: 'login_code', language: 'en', otp: null }]);
  });

  it.each([
    ['a number as code', { otp: 123456 }, 'otp'],
    ['a long code', { otp: '1'.repeat(16) }, 'otp'],
    ['an odd code', { otp: '12 34' }, 'otp'],
    ['a user id', { phone: 'IN.730012345' }, 'phone'],
  ])('decisions 8, 17: refuses %s with 400', async (_, change, field) => {
    const { body } = await post('send-otp', { phone: PHONE, template_name: 'login_code', ...change }).expect(400);
    expect(body).toMatchObject({ details: [expect.objectContaining({ field })] });
  });

  it('decision 7: refuses a numeric code, because it must be a string', async () => {
    const { body } = await post('send-otp', { phone: PHONE, template_name: 'login_code', otp: 123456 }).expect(400);
    expect(body).toMatchObject({ details: [{ field: 'otp', message: 'must be a string' }] });
  });

  it('spec §4.3: sends a template with params, or a text', async () => {
    const { body } = await quick(`phone=98765-43210&template=order_update&params=${encodeURIComponent('Asha, a\\,b')}`).expect(200);
    expect(body).toMatchObject({ success: true, template: 'order_update', phone: PHONE });
    expect(requested[0]).toMatchObject({ template_name: 'order_update', language: 'en', body_params: ['Asha', 'a,b'] });
    const text = await quick(`phone=${PHONE}&message=Hello%20there`).expect(200);
    expect(text.body).not.toHaveProperty('template');
    expect(requested[1]).toEqual({ to: PHONE, text: 'Hello there' });
  });

  it.each([
    ['both', 'template=a&message=b'],
    ['neither', ''],
    ['a parameter twice', 'message=a&message=b'],
    ['a control character', 'message=a%00b'],
  ])('decision 11: refuses %s with 400', async (_, query) => {
    await quick(`phone=${PHONE}&${query}`).expect(400);
    expect(requested).toEqual([]);
  });

  it.each([
    ['+919876543210', PHONE],
    ['%2B65+8134+0984', '6581340984'],
    ['(+65)+8134-0984', '6581340984'],
    ['98765+43210', PHONE],
    ['%20919876543210', PHONE],
    ['IN.730012345', 'IN.730012345'],
  ])('decision 8, spec §2.1: reads the query phone=%s as %s, with + as in JSON', async (phone, to) => {
    await quick(`phone=${phone}&message=a`).expect(200);
    expect(requested).toEqual([{ to, text: 'a' }]);
  });

  it.each(['+9812345678', '%209876543210', '+98765+43210', '+(987)654-3210', '%20+9876543210'])(
    'decision 52: refuses the ambiguous query phone=%s with 400 and the remedy',
    async (phone) => {
      const { body } = await quick(`phone=${phone}&message=a`).expect(400);
      expect(body).toMatchObject({
        error_code: 'VALIDATION_FAILED',
        details: [{ field: 'phone', message: expect.stringContaining('%2B') as string }],
      });
      expect(requested).toEqual([]);
    },
  );

  it.each([
    ['template[]=a', [{ field: 'template[]', message: expect.stringContaining('plain parameter') as string }]],
    ['message=%ff', []],
    ['', [{ field: 'template' }, { field: 'message' }]],
  ])('decision 49: refuses quick-send with "%s" with 400 and details', async (query, details) => {
    const { body } = await quick(`phone=${PHONE}&${query}`).expect(400);
    expect(body).toMatchObject({ error_code: 'VALIDATION_FAILED', details });
  });

  it('decision 49: a prefetch and a body that is not JSON get empty details', async () => {
    const prefetch = await quick(`phone=${PHONE}&message=a`).set('sec-purpose', 'prefetch').expect(400);
    const broken = await request(dashboard.visitor.server)
      .post('/api/v1/send-text')
      .set('x-api-key', token)
      .set('content-type', 'application/json')
      .send('{')
      .expect(400);
    for (const { body } of [prefetch, broken]) expect(body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [] });
  });

  it.each([
    ' https://example.com/a.png',
    'https://example.com/a b.png',
    'https:example.com',
    'https://example.com\\a',
    'javascript:alert(1)',
    'https://a:b@example.com/',
  ])('decision 50: refuses media_url %j with 400 that names the field', async (media_url) => {
    const { body } = await post('send-media', { phone: PHONE, media_type: 'image', media_url }).expect(400);
    expect(body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [{ field: 'media_url' }] });
    expect(requested).toEqual([]);
  });

  it('spec §4.3: ignores a phone parameter inside the text', async () => {
    const text = 'https://shop.example/?phone=916666666666';
    await quick(`message=${text}&phone=${PHONE}`).expect(200);
    expect(requested).toEqual([{ to: PHONE, text }]);
  });

  it('spec §5.2, decision 13: takes the key in the query or in both places, and refuses two different keys', async () => {
    await quick(`phone=${PHONE}&message=a&apikey=${token}`, null).expect(200);
    await quick(`phone=${PHONE}&message=a&apikey=${token}`).expect(200);
    await quick(`phone=${PHONE}&message=a&apikey=other`).expect(401);
    await quick(`phone=${PHONE}&message=a&apikey=${token}&apikey=${token}`, null).expect(401);
  });

  it('decision 24: quick-send takes the Idempotency-Key in the query or in the header, and refuses two different keys', async () => {
    const keys: unknown[] = [];
    dashboard.neighbours.respond(SendText, ({ sender, to }) => {
      keys.push(sender.idempotency?.key);
      return { message_id: 'wamid.X', phone: to, replayed: false };
    });
    const text = `phone=${PHONE}&message=a`;
    await quick(`${text}&idempotency_key=k1`).expect(200);
    await quick(text).set('idempotency-key', 'k2').expect(200);
    await quick(`${text}&idempotency_key=k3`).set('idempotency-key', 'k3').expect(200);
    const { body } = await quick(`${text}&idempotency_key=k4`).set('idempotency-key', 'k5').expect(400);
    expect(body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [{ field: 'Idempotency-Key' }, { field: 'idempotency_key' }] });
    expect(keys).toEqual(['k1', 'k2', 'k3']);
  });

  it('decision 4: HEAD and prefetches send nothing', async () => {
    await http().head(`/api/v1/quick-send?phone=${PHONE}&message=a&apikey=${token}`).expect(405);
    for (const [name, value] of [
      ['sec-purpose', 'prefetch;prerender'],
      ['purpose', 'prefetch'],
      ['x-moz', 'prefetch'],
    ] as const)
      await quick(`phone=${PHONE}&message=a`).set(name, value).expect(400);
    expect(requested).toEqual([]);
  });

  it('platform §2: an outage of the platform is retryable', async () => {
    dashboard.neighbours.respond(SendText, () => {
      throw new GatewayError('PLATFORM_UNAVAILABLE', 'Away.', { message_id: 'gw_1' });
    });
    const { body } = await post('send-text', { phone: PHONE, message: 'Hi' }).expect(500);
    expect(body).toEqual({ success: false, error: 'Away.', error_code: 'PLATFORM_UNAVAILABLE', retryable: true, message_id: 'gw_1' });
  });

  it('decisions 2, 10, 15, 16: limits in characters count an emoji as one', async () => {
    const emoji = (count: number) => '😀'.repeat(count);
    const template = { phone: PHONE, template_name: emoji(512), language: emoji(20), body_params: [emoji(1_024), 'x'] };
    await post('send-template', { ...template, header_params: [emoji(1_024)], button_params: [emoji(1_024)] }).expect(200);
    await post('send-otp', { phone: PHONE, template_name: emoji(512), language: emoji(20) }).expect(200);
    const media = { phone: PHONE, media_type: 'document', media_url: 'https://example.com/a.pdf' };
    await post('send-media', { ...media, caption: emoji(1_024), filename: emoji(255) }).expect(200);
    await quick(`phone=${PHONE}&template=${encodeURIComponent(emoji(300))}&params=${encodeURIComponent(emoji(600))}`).expect(200);
    expect(requested[0]).toMatchObject({ template_name: emoji(512), language: emoji(20), body_params: [emoji(1_024), 'x'] });
    expect(requested[2]).toMatchObject({ caption: emoji(1_024), filename: emoji(255) });
    expect((await post('send-media', { ...media, caption: emoji(1_025) }).expect(400)).body).toMatchObject({
      details: [{ field: 'caption' }],
    });
    expect(requested).toHaveLength(4);
  });

  it.each([
    ['', []],
    ['  ', []],
    ['a', ['a']],
    [' a , b ', ['a', 'b']],
    ['a,,b', ['a', '', 'b']],
    ['a\\,b,c', ['a,b', 'c']],
    ['a\\\\,b', ['a\\', 'b']],
    ['a\\b', ['a\\b']],
    ['a\\', ['a\\']],
  ])('decision 12: splits params %j into %j', (text, expected) => {
    expect(splitParams(text)).toEqual(expected);
  });
});
