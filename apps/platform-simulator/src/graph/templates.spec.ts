import { ACCOUNT, codeOf, messageOf, NUMBER, PERSON, Started, TOKEN } from '../simulator.fixture';

const text = (value: string, name?: string) => ({ type: 'text', text: value, ...(name && { parameter_name: name }) });
const body = (...parameters: object[]) => ({ type: 'body', parameters });
const header = (...parameters: object[]) => ({ type: 'header', parameters });
const button = (index: unknown, ...parameters: object[]) => ({ type: 'button', sub_type: 'url', index, parameters });
const DRAFT = { name: 'sale', language: 'en', category: 'MARKETING', components: [{ type: 'BODY', text: 'Sale!' }] };

describe('templates (platform §1.4, §3.1, §8.1)', () => {
  let started: Started;
  beforeEach(async () => {
    started = await Started.with();
  });
  afterEach(() => started.close());

  const create = (draft: object) => started.graph('POST', `${ACCOUNT}/message_templates`, draft);
  const detailsOf = (response: { body: Record<string, unknown> }) =>
    (response.body['error'] as { error_data?: { details: string } } | undefined)?.error_data?.details;

  const URL_LACKS = 'buttons: Button at index 0 of type Url requires a parameter';
  const HEADER_LACKS = 'header: number of localizable_params (0) does not match the expected number of params (1)';
  const three = [text('a'), text('7'), text('Monday')];
  const file = (more: object = {}) => header({ type: 'document', document: { link: 'https://a.example/a.pdf', ...more } });
  it.each<[string, string, object[], number | undefined, string | undefined]>([
    ['everything', 'dispatch_notice', [header(text('7')), body(...three), button('0', text('7'))], undefined, undefined],
    ['a number as index', 'dispatch_notice', [header(text('7')), body(...three), button(0, text('7'))], undefined, undefined],
    ['no button', 'dispatch_notice', [header(text('7')), body(...three)], 131008, URL_LACKS],
    ['no header', 'dispatch_notice', [body(...three), button('0', text('7'))], 132000, HEADER_LACKS],
    ['a button too many', 'order_update', [body(text('a'), text('7')), button('0', text('7'))], 132018, undefined],
    ['spaces', 'order_update', [body(text('a'), text(' '.repeat(5)))], 132018, undefined],
    ['an empty value', 'order_update', [body(text('a'), text(''))], 131008, undefined],
    ['too long a body', 'order_update', [body(text('a'), text('x'.repeat(1_024)))], 132005, undefined],
    ['a file as text', 'order_update', [body(text('a'), { type: 'image', image: { link: 'https://a.example' } })], 132012, undefined],
    ['a file', 'invoice', [file({ filename: 'a.pdf' }), body(text('a'))], undefined, undefined],
    [
      'text as a file',
      'invoice',
      [header(text('a')), body(text('a'))],
      132012,
      'header: Format mismatch, expected DOCUMENT, received TEXT',
    ],
    ['an odd file', 'invoice', [file({ colour: 'red' }), body(text('a'))], 100, undefined],
    ['names', 'welcome_named', [body(text('a', 'first_name'), text('b', 'shop'))], undefined, undefined],
    ['no names', 'welcome_named', [body(text('a'), text('b'))], 100, 'body: Parameter name is missing or empty: first_name'],
    ['too long a code', 'login_code', [body(text('1'.repeat(16))), button('0', text('1'.repeat(16)))], 132018, undefined],
    ['an odd component', 'order_update', [{ type: 'feet', parameters: [] }], 100, undefined],
  ])('%s: checks a message with %s', async (_, name, components, code, details) => {
    const sent = await started.sendTemplate(PERSON, name, 'en', components);
    expect(codeOf(sent)).toBe(code);
    if (details) expect(detailsOf(sent)).toBe(details);
  });

  it('decision 580: takes the sample of a header, and a template only with the handle of a fitting one', async () => {
    const { app_id } = (await started.graph<{ data: { app_id: string } }>('GET', `debug_token?input_token=${TOKEN}`)).body.data;
    const begin = (type: string, length = 4) =>
      started.graph('POST', `${app_id}/uploads?file_name=a&file_length=${length}&file_type=${type}`);
    const finish = async (id: unknown, bytes: string, token = TOKEN) => {
      const headers = { authorization: `OAuth ${token}`, file_offset: '0' };
      const response = await fetch(`${started.url}/v26.0/${String(id)}`, { method: 'POST', headers, body: Buffer.from(bytes) });
      return (await response.json()) as { h: string; error?: { code: number } };
    };
    const withHeader = (name: string, format: string, handle?: string) =>
      create({ ...DRAFT, name, components: [{ type: 'HEADER', format, example: { header_handle: [handle] } }, ...DRAFT.components] });
    expect(codeOf(await begin('image/webp'))).toBe(100);
    expect(codeOf(await begin('image/png', 6 * 1024 * 1024))).toBe(131053);
    const { id } = (await begin('image/png')).body;
    expect((await finish(id, 'too long')).error?.code).toBe(100);
    const { h } = await finish(id, 'four');
    const theirs = await finish(id, 'four', 'EAAsimNorthlight');
    for (const [format, handle] of [
      ['IMAGE', 'x'],
      ['VIDEO', h],
      ['IMAGE', theirs.h],
    ] as const)
      expect(detailsOf(await withHeader('wrong', format, handle))).toContain('needs the handle of a sample');
    expect((await withHeader('pictured', 'IMAGE', h)).status).toBe(200);
    const { body: list } = await started.graph('GET', `${ACCOUNT}/message_templates?name=pictured`);
    expect(JSON.stringify(list)).toMatch(/"header_handle":\["http:[^"]*sim-media/);
  });

  it('§1.5: sends a code only to phones, and shows it in the control plane', async () => {
    const content = { name: 'login_code', language: { code: 'en' }, components: [body(text('481516')), button('0', text('481516'))] };
    const message = { messaging_product: 'whatsapp', type: 'template', template: content };
    const toUser = await started.graph('POST', `${NUMBER}/messages`, { ...message, recipient: 'US.13491208655302741918' });
    expect(codeOf(toUser)).toBe(131062);
    expect((await started.send({ type: 'template', template: content })).status).toBe(200);
    const { body: codes } = await started.control('GET', 'otps');
    expect(codes['otps']).toMatchObject([{ phone_number_id: NUMBER, to: PERSON, template: 'login_code', code: '481516' }]);
  });

  it.each<[object, string]>([
    [{ name: 'Sale' }, 'name'],
    [{ language: 'english' }, 'language'],
    [{ category: 'SPAM' }, 'category'],
    [{ components: [] }, 'components'],
    [{ components: [{ type: 'FOOTER', text: 'x' }] }, 'Invalid parameter'],
    [{ components: [...DRAFT.components, ...DRAFT.components] }, 'Invalid parameter'],
    [{ components: [{ type: 'BODY', text: 'x'.repeat(1_025) }] }, 'components[0]'],
    [
      { components: [...DRAFT.components, { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'x', url: 'https://a/{{1}}/b' }] }] },
      'Invalid',
    ],
    [{ colour: 'red' }, 'Unexpected key "colour"'],
  ])('refuses the invalid draft %#', async (change, words) => {
    const made = await create({ ...DRAFT, ...change });
    expect([made.status, codeOf(made)]).toEqual([400, 100]);
    expect(messageOf(made)).toContain(words);
  });

  it.each([
    ['sale', 'PENDING', 132001],
    ['sale_paused', 'PAUSED', 132015],
    ['sale_disabled', 'DISABLED', 132016],
    ['sale_rejected', 'REJECTED', 132001],
  ])('§8.3: starts %s as %s and refuses a send with %i', async (name, status, code) => {
    expect((await create({ ...DRAFT, name })).body['status']).toBe(status);
    expect(codeOf(await started.sendTemplate(PERSON, name, 'en'))).toBe(code);
  });

  it('§1.5: returns a code template with the platform’s words and a URL button', async () => {
    const components = [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 5 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }] },
    ];
    const { id } = (await create({ ...DRAFT, category: 'AUTHENTICATION', components })).body;
    const { body: read } = await started.graph('GET', `${String(id)}?fields=components,status`);
    expect(read).toMatchObject({
      id,
      status: 'PENDING',
      components: [
        { type: 'BODY', text: expect.stringContaining('{{1}}') as string },
        { type: 'FOOTER', text: 'This code expires in 5 minutes.' },
        { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Copy', url: expect.stringContaining('otp{{1}}') as string }] },
      ],
    });
  });

  it('creates a template once, approves, edits, pauses, unpauses and deletes it, and posts each decision with the whole id', async () => {
    const id = String((await create(DRAFT)).body['id']);
    expect(codeOf(await create(DRAFT))).toBe(100);
    await started.control('POST', `templates/${id}/approve`);
    expect((await started.sendTemplate(PERSON, 'sale', 'en')).status).toBe(200);
    const edit = await started.graph('POST', id, { components: [{ type: 'BODY', text: 'Great sale!' }] });
    expect(edit.body).toMatchObject({ success: true, id });
    expect((await started.graph('GET', id)).body).toMatchObject({ status: 'PENDING', components: [{ text: 'Great sale!' }] });
    expect((await started.graph('POST', id, { components: DRAFT.components })).status).toBe(400);
    expect((await started.graph('POST', `${id}/unpause`)).status).toBe(400);
    await started.control('POST', `templates/${id}/pause`);
    expect((await started.graph('POST', `${id}/unpause`)).body).toEqual({ success: true });
    expect((await started.graph('DELETE', `${ACCOUNT}/message_templates?name=sale`)).body).toEqual({ success: true });
    expect(codeOf(await started.graph('DELETE', `${ACCOUNT}/message_templates?name=sale`))).toBe(100);
    expect(codeOf(await started.graph('GET', id))).toBe(100);
    const updates = started.changes().filter(({ field }) => field === 'message_template_status_update');
    expect(updates.map(({ value }) => value['event'])).toEqual(['APPROVED', 'PAUSED', 'APPROVED', 'DELETED']);
    for (const { body: bytes } of started.receiver.requests.filter((request) => request.body.includes('template_id')))
      expect(bytes).toContain(`"message_template_id":${id},`);
  });

  it('never gives two accounts the same template id', async () => {
    const other = { authorization: 'Bearer EAAsimNorthlight' };
    const mine = await create(DRAFT);
    const theirs = await started.graph('POST', '800900100200302/message_templates', DRAFT, other);
    expect(mine.body['id']).not.toBe(theirs.body['id']);
    expect(codeOf(await started.graph('GET', String(theirs.body['id'])))).toBe(100);
  });

  it('§3.1: pages forward and back by its URLs, with fields and filters', async () => {
    const page = async (address: string) => {
      const response = await fetch(address, { headers: { authorization: `Bearer ${TOKEN}` } });
      return (await response.json()) as { data: { id: string; name: string }[]; paging: { next?: string; previous?: string } };
    };
    const first = await page(`${started.url}/v26.0/${ACCOUNT}/message_templates?limit=4&fields=name`);
    const second = await page(first.paging.next ?? '');
    const third = await page(second.paging.next ?? '');
    expect([first, second, third].map(({ data }) => data.length)).toEqual([4, 4, 1]);
    expect([first.paging.previous, third.paging.next]).toEqual([undefined, undefined]);
    expect(await page(third.paging.previous ?? '')).toEqual(second);
    expect(Object.keys(first.data[0] ?? {}).sort()).toEqual(['id', 'name']);
    const names = async (query: string) =>
      (await started.graph<{ data: { name: string }[] }>('GET', `${ACCOUNT}/message_templates?${query}`)).body.data.map(({ name }) => name);
    expect(await names('status=PAUSED')).toEqual(['weekly_offers']);
    expect(await names('name_or_content=silk')).toEqual(['weekly_offers']);
    expect(await names('name=login_code&language=en_US')).toEqual(['login_code']);
    expect(codeOf(await started.graph('GET', `${ACCOUNT}/message_templates?fields=colour`))).toBe(100);
  });
});

describe('accounts and numbers (platform §3.3, §8.1)', () => {
  let started: Started;
  beforeEach(async () => {
    started = await Started.with();
  });
  afterEach(() => started.close());

  it.each([
    ['GET', NUMBER],
    ['GET', ACCOUNT],
    ['GET', `${ACCOUNT}/phone_numbers`],
    ['GET', `${ACCOUNT}/message_templates`],
    ['GET', `${ACCOUNT}/subscribed_apps`],
    ['GET', 'debug_token?input_token=x'],
    ['POST', `${NUMBER}/messages`],
    ['POST', `${NUMBER}/media`],
  ])('%s %s requires a token with access, with or without a version', async (method, path) => {
    for (const prefix of ['', '/v26.0']) {
      const call = (token?: string) =>
        fetch(`${started.url}${prefix}/${path}`, { method, ...(token && { headers: { authorization: `Bearer ${token}` } }) });
      const none = await call();
      expect([none.status, codeOf({ status: none.status, headers: none.headers, body: (await none.json()) as never })]).toEqual([401, 190]);
      const stranger = await call('EAAsimNorthlight');
      if (path.startsWith('debug')) expect(stranger.status).toBe(200);
      else expect(await stranger.json()).toMatchObject({ error: { code: 100, error_subcode: 33 } });
    }
  });

  it.each([
    [undefined, 'AVAILABLE', 'AVAILABLE', 'AVAILABLE'],
    ['ban', 'BLOCKED', 'BLOCKED', 'BLOCKED'],
    ['restrict', 'LIMITED', 'AVAILABLE', 'LIMITED'],
    ['disconnect', 'BLOCKED', 'BLOCKED', 'AVAILABLE'],
  ])('reports health after %s as %s: number %s, account %s', async (action, whole, number, account) => {
    if (action) await started.control('POST', 'account', { phone_number_id: NUMBER, action });
    const { body: node } = await started.graph('GET', `${NUMBER}?fields=status,health_status`);
    expect(node['health_status']).toMatchObject({
      can_send_message: whole,
      entities: [
        { entity_type: 'PHONE_NUMBER', id: NUMBER, can_send_message: number },
        { entity_type: 'WABA', id: ACCOUNT, can_send_message: account },
        { entity_type: 'BUSINESS' },
        { entity_type: 'APP' },
      ],
    });
  });

  it('lets a restricted account reply but start no conversation', async () => {
    await started.control('POST', 'account', { phone_number_id: NUMBER, action: 'restrict' });
    expect(codeOf(await started.sendTemplate())).toBe(368);
    await started.receive();
    expect((await started.sendTemplate()).status).toBe(200);
  });

  it('posts webhooks only to a subscribed app', async () => {
    await started.graph('DELETE', `${ACCOUNT}/subscribed_apps`);
    expect((await started.graph('GET', `${ACCOUNT}/subscribed_apps`)).body['data']).toEqual([]);
    await started.receive({ text: 'unheard' });
    expect((await started.graph('POST', `${ACCOUNT}/subscribed_apps`)).body).toEqual({ success: true });
    await started.receive({ text: 'subscribed' });
    expect(started.messages()).toMatchObject([{ text: { body: 'subscribed' } }]);
  });

  it('reports the accounts of a token', async () => {
    const { body } = await started.graph('GET', `debug_token?input_token=${TOKEN}`);
    expect(body['data']).toMatchObject({ is_valid: true, granular_scopes: [{ target_ids: [ACCOUNT] }, {}] });
    expect((await started.graph('GET', 'debug_token?input_token=x')).body['data']).toMatchObject({ is_valid: false });
  });

  it('returns its fields and no others', async () => {
    expect((await started.graph('GET', `${ACCOUNT}?fields=name,account_review_status`)).body).toEqual({
      id: ACCOUNT,
      name: 'Simulator account 1',
      account_review_status: 'APPROVED',
    });
    expect((await started.graph('GET', `${ACCOUNT}/phone_numbers?fields=status`)).body['data']).toEqual([
      { id: NUMBER, status: 'CONNECTED' },
    ]);
    expect(messageOf(await started.graph('GET', `${NUMBER}?fields=colour`))).toContain('nonexisting field (colour)');
  });
});
