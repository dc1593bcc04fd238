import { createHmac } from 'node:crypto';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { createSimulator, type Simulator } from './simulator';

const SECRET = 'simulated secret';
const NUMBER = '700100200300401';
const PERSON = '919876543210';

interface Status {
  id: string;
  status: string;
  recipient_id: string;
  biz_opaque_callback_data?: string;
  errors?: { code: number }[];
}

describe('the simulator (platform §8)', () => {
  let simulator: Simulator;
  let receiver: Receiver;
  let url: string;
  beforeEach(async () => {
    receiver = await startReceiver();
    simulator = createSimulator({ callbackUrl: `${receiver.url}/webhooks/whatsapp`, appSecret: SECRET });
    ({ url } = await simulator.listen());
  });
  afterEach(async () => {
    await simulator.close();
    await receiver.close();
  });

  const call = async (path: string, body?: unknown, token = 'EAAsimKaveri') => {
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const template = (to: string, values = ['Asha', '7'], name = 'order_update') => ({
    messaging_product: 'whatsapp',
    to,
    type: 'template',
    biz_opaque_callback_data: 'mine',
    template: {
      name,
      language: { code: 'en' },
      components: [{ type: 'body', parameters: values.map((text) => ({ type: 'text', text })) }],
    },
  });
  const send = (message: object) => call(`/v26.0/${NUMBER}/messages`, message);
  const codeOf = ({ body }: { body: Record<string, unknown> }) => (body['error'] as { code: number } | undefined)?.code;
  const updates = () =>
    receiver.requests.map(({ body }) => JSON.parse(body).entry[0].changes[0] as { field: string; value: { statuses?: Status[] } });
  const statuses = () => updates().flatMap(({ value }) => value.statuses ?? []);

  it('§1.6, §4.2, §4.5: posts signed statuses with the callback data after an accepted message', async () => {
    const { status, body } = await send(template(`+${PERSON}`));
    expect(status).toBe(200);
    const [message] = body['messages'] as { id: string }[];
    expect(message?.id).toMatch(/^wamid\./);
    await eventually(() => statuses().length === 3);
    expect(statuses().map((one) => one.status)).toEqual(['sent', 'delivered', 'read']);
    expect(statuses()[0]).toMatchObject({ id: message?.id, recipient_id: PERSON, biz_opaque_callback_data: 'mine' });
    for (const { headers, body: bytes } of receiver.requests)
      expect(headers['x-hub-signature-256']).toBe(`sha256=${createHmac('sha256', SECRET).update(bytes).digest('hex')}`);
  });

  it.each([
    ['01', 'sent,delivered'],
    ['02', 'sent'],
    ['03', 'sent,read'],
    ['04', 'read,delivered,sent'],
    ['05', 'sent,sent,sent,delivered,delivered,delivered,read,read,read'],
    ['06', 'delivered,sent'],
    ['07', 'sent,delivered,played'],
    ['10', 'failed'],
  ])('§8.3: +1 201 555 01%s posts %s', async (digits, expected) => {
    await send(template(`+120155501${digits}`));
    const count = expected.split(',').length;
    await eventually(() => statuses().length >= count);
    expect(
      statuses()
        .map((one) => one.status)
        .join(),
    ).toBe(expected);
  });

  it.each([
    ['20', 131026],
    ['21', 131047],
    ['22', 131049],
    ['23', 131050],
    ['24', 130472],
    ['25', 131053],
    ['26', 131000],
    ['27', undefined],
  ])('§8.3: +1 201 555 01%s fails with %s', async (digits, code) => {
    await send(template(`+120155501${digits}`));
    const failed = await eventually(() => statuses().find((one) => one.status === 'failed'));
    expect(failed.errors?.[0]?.code).toBe(code);
    if (digits === '23') await eventually(() => updates().some(({ field }) => field === 'user_preferences'));
  });

  it('§8.3: 08 returns another wa_id, 09 is held', async () => {
    expect((await send(template('+12015550108'))).body['contacts']).toMatchObject([{ wa_id: '120155501089' }]);
    expect((await send(template('+12015550109'))).body['messages']).toMatchObject([{ message_status: 'held_for_quality_assessment' }]);
  });

  it.each([
    ['30', [[400, 131030]]],
    ['31', [[404, 132001]]],
    ['32', [[400, 131047]]],
    [
      '40',
      [
        [400, 130429],
        [200, undefined],
        [400, 130429],
      ],
    ],
    ['41', [[400, 131056]]],
    [
      '42',
      [
        [400, 4],
        [400, 80007],
      ],
    ],
    [
      '43',
      [
        [503, 131016],
        [503, 131016],
        [200, undefined],
      ],
    ],
    ['44', [[500, 1]]],
    ['48', [[200, undefined]]],
    ['50', [[401, 190]]],
    ['51', [[403, 131031]]],
    ['52', [[403, 368]]],
    ['53', [[400, 133010]]],
    ['54', [[400, 131042]]],
  ] as [string, [number, number | undefined][]][])('§8.3: calls to +1 201 555 01%s return %j', async (digits, responses) => {
    for (const expected of responses) {
      const response = await send(template(`+120155501${digits}`));
      expect([response.status, codeOf(response)]).toEqual(expected);
    }
  });

  it('§8.3: 45 returns HTML, 46 accepts and cuts the connection, 48 returns no message', async () => {
    const html = await fetch(`${url}/v26.0/${NUMBER}/messages`, {
      method: 'POST',
      headers: { authorization: 'Bearer EAAsimKaveri', 'content-type': 'application/json' },
      body: JSON.stringify(template('+12015550145')),
    });
    expect([html.status, html.headers.get('content-type')]).toEqual([502, expect.stringContaining('text/html')]);
    await expect(send(template('+12015550146'))).rejects.toThrow();
    await eventually(() => statuses().some(({ recipient_id }) => recipient_id === '12015550146'));
    expect((await send(template('+12015550148'))).body['messages']).toBeUndefined();
  });

  it('§8.3: 49 closes the port for a while and opens it again', async () => {
    expect(codeOf(await send(template('+12015550149')))).toBe(131016);
    await expect(send(template(PERSON))).rejects.toThrow();
    await eventually(() => send(template(PERSON)).catch(() => false), { timeoutMs: 60_000, everyMs: 200 });
  });

  it('§8.3: +999 1 <code> fails at once, +999 0 <code> later', async () => {
    expect(codeOf(await send(template('+9991131049')))).toBe(131049);
    await send(template('+9990131026'));
    const failed = await eventually(() => statuses().find((one) => one.status === 'failed'));
    expect(failed.errors?.[0]?.code).toBe(131026);
  });

  it('§1, §2: refuses invalid sends like the platform', async () => {
    expect(codeOf(await call(`/v26.0/${NUMBER}/messages`, template(PERSON), 'wrong'))).toBe(190);
    expect(codeOf(await call('/v26.0/123/messages', template(PERSON)))).toBe(100);
    expect(codeOf(await send(template(PERSON, ['one'])))).toBe(132000);
    expect(codeOf(await send(template(PERSON, ['a', 'b'], 'nothing')))).toBe(132001);
    expect(codeOf(await send(template(PERSON, ['a'], 'weekly_offers')))).toBe(132015);
    expect(codeOf(await send(template(PERSON, ['a', 'two\nlines'])))).toBe(132018);
    expect(codeOf(await send({ messaging_product: 'whatsapp', to: PERSON, type: 'text', text: { body: 'Hi' } }))).toBe(131047);
  });

  it('§8.4: a person’s message opens the window and is posted', async () => {
    const written = await call('/__sim/inbound', { phone_number_id: NUMBER, from: PERSON, type: 'text', text: 'Hello' });
    expect(written.status).toBe(200);
    await eventually(() => receiver.requests.some(({ body }) => body.includes('"body":"Hello"')));
    expect((await send({ messaging_product: 'whatsapp', to: PERSON, type: 'text', text: { body: 'Hi' } })).status).toBe(200);
  });

  it('§8.4: rules replace the response the given number of times; the log shows requests and responses', async () => {
    await call('/__sim/rules', { match: { to: PERSON }, times: 1, error: { code: 130429, status: 429 } });
    expect(await send(template(PERSON))).toMatchObject({ status: 429 });
    expect((await send(template(PERSON))).status).toBe(200);
    const { body } = await call('/__sim/requests');
    const requests = body['requests'] as { path: string; status: number; body: { to: string }; response: unknown }[];
    expect(requests.map(({ status }) => status)).toEqual([429, 200]);
    expect(requests[1]).toMatchObject({ path: `/v26.0/${NUMBER}/messages`, body: { to: PERSON }, response: { messages: [{}] } });
    await call('/__sim/rules', { match: {}, cut_after_accept: true });
    await expect(send(template(PERSON))).rejects.toThrow();
  });

  it('§8.2: retries a webhook until a 200', async () => {
    let failures = 1;
    receiver.respond((_, response) => void response.writeHead(failures-- > 0 ? 503 : 200).end());
    await send(template('+12015550102'));
    await eventually(() => receiver.requests.length === 2);
    expect(receiver.requests[1]?.body).toBe(receiver.requests[0]?.body);
  });

  it('§3.1: lists templates in pages, for a new account too', async () => {
    const account = {
      name: 'New',
      phone_number_id: '7',
      business_account_id: '8',
      display_phone_number: '1',
      access_token: 'T',
      app_secret: 'S',
    };
    expect((await call('/__sim/accounts', account)).status).toBe(200);
    expect((await call('/__sim/accounts', { ...account, phone_number_id: 'x' })).status).toBe(400);
    const names: string[] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const { body } = await call(`/v26.0/8/message_templates?limit=4${after && `&after=${after}`}`, undefined, 'T');
      const page = body as unknown as { data: { name: string }[]; paging: { next?: string; cursors: { after: string } } };
      names.push(...page.data.map(({ name }) => name));
      after = page.paging.next && page.paging.cursors.after;
    }
    expect(names).toContain('login_code');
    expect(names).toHaveLength(9);
    expect((await call('/v26.0/7?fields=status', undefined, 'T')).body).toEqual({ id: '7', status: 'CONNECTED' });
  });
});

describe('people and the control plane (platform §8.3, §8.4)', () => {
  let simulator: Simulator;
  let receiver: Receiver;
  let url: string;
  beforeEach(async () => {
    receiver = await startReceiver();
    simulator = createSimulator({ callbackUrl: `${receiver.url}/webhooks/whatsapp`, appSecret: SECRET });
    ({ url } = await simulator.listen());
  });
  afterEach(async () => {
    await simulator.close();
    await receiver.close();
  });

  const control = async <B = Record<string, unknown>>(method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/__sim/${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as B };
  };
  const send = (to: string, name = 'hello_world', language = 'en_US') =>
    fetch(`${url}/v26.0/${NUMBER}/messages`, {
      method: 'POST',
      headers: { authorization: 'Bearer EAAsimKaveri', 'content-type': 'application/json' },
      body: JSON.stringify({ messaging_product: 'whatsapp', to, type: 'template', template: { name, language: { code: language } } }),
    });
  type Message = { from?: string; from_user_id?: string; type: string; timestamp: string; [member: string]: unknown };
  const changes = () =>
    receiver.requests.map(
      ({ body }) => JSON.parse(body).entry[0].changes[0] as { field: string; value: { messages?: Message[] } & Record<string, unknown> },
    );
  const messages = () => changes().flatMap(({ value }) => value.messages ?? []);
  const written = (count = 1) => eventually(() => messages().length >= count && messages());

  it.each([
    ['60', { type: 'text', text: { body: 'ok' }, from: '12015550160' }],
    ['61', { type: 'text', text: { body: 'STOP' } }],
    ['62', { type: 'button', button: { text: 'Yes', payload: 'yes' } }],
    ['63', { type: 'reaction', reaction: { emoji: '👍' } }],
    ['64', { type: 'text', from_user_id: 'US.9000000012015550164' }],
  ])('%s reacts after delivery', async (number, expected) => {
    expect((await send(`+120155501${number}`)).status).toBe(200);
    expect((await written())[0]).toMatchObject(expected);
  });

  it('64 appears by user id only, even in statuses', async () => {
    await send('+12015550164');
    await written();
    const sent = changes().find(({ value }) => 'statuses' in value)?.value['statuses'] as Record<string, unknown>[];
    expect(sent[0]).toMatchObject({ recipient_user_id: 'US.9000000012015550164' });
    expect('recipient_id' in (sent[0] as object)).toBe(false);
  });

  it('65 changes the number after the reply; 66 wrote 30 hours ago', async () => {
    await send('+12015550165');
    expect((await written(2))[1]).toMatchObject({ type: 'system', system: { type: 'user_changed_number', wa_id: '12015550199' } });
    await send('+12015550166');
    const old = (await written(3))[2] as Message;
    expect(Date.now() / 1_000 - Number(old.timestamp)).toBeGreaterThan(29 * 3_600);
  });

  it('posts a batch with phone, user id or both, at another time, without contacts, in Meta’s JSON style', async () => {
    await control('POST', 'inbound', {
      phone_number_id: NUMBER,
      from: PERSON,
      text: 'Zażółć / 1',
      at: '-30h',
      contacts: false,
      batch_with: [
        { bsuid: 'GB.55', text: 'two', contacts: false },
        { from: PERSON, bsuid: 'IN.7', contacts: false },
      ],
    });
    const [first, second, third] = await written(3);
    expect([first?.from, second?.from_user_id]).toEqual([PERSON, 'GB.55']);
    expect(third).toMatchObject({ from: PERSON, from_user_id: 'IN.7' });
    expect('contacts' in (changes()[0]?.value as object)).toBe(false);
    expect(receiver.requests[0]?.body).toContain('Za\\u017c\\u00f3\\u0142\\u0107 \\/ 1');
    expect(receiver.requests[0]?.headers['x-hub-signature-256']).toBe(
      `sha256=${createHmac('sha256', SECRET)
        .update(receiver.requests[0]?.body ?? '')
        .digest('hex')}`,
    );
  });

  it('pauses webhooks and logs the posted ones', async () => {
    await control('POST', 'webhooks/pause', {});
    await send('+12015550100');
    expect(receiver.requests).toHaveLength(0);
    await control('POST', 'webhooks/resume', {});
    await eventually(() => receiver.requests.length > 0);
    // Logged after the receiver's response.
    const logged = await eventually(async () => {
      const { body } = await control<{ deliveries: { problem: string | null }[] }>('GET', 'deliveries');
      return body.deliveries[0];
    });
    expect(logged.problem).toBeNull();
  });

  it('bans, restricts and reinstates an account, and posts it', async () => {
    await control('POST', 'account', { phone_number_id: NUMBER, action: 'ban' });
    expect(await eventually(() => changes()[0])).toMatchObject({ field: 'account_update', value: { event: 'DISABLED_UPDATE' } });
    expect((await send('+12015550100')).status).toBe(400);
    await control('POST', 'account', { phone_number_id: NUMBER, action: 'reinstate' });
    expect((await send('+12015550100')).status).toBe(200);
  });

  it('changes templates and posts it; a new one is PENDING', async () => {
    const made = await fetch(`${url}/v26.0/800900100200301/message_templates`, {
      method: 'POST',
      headers: { authorization: 'Bearer EAAsimKaveri', 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'sale', language: 'en', category: 'MARKETING', components: [{ type: 'BODY', text: 'Sale!' }] }),
    });
    const template = (await made.json()) as { id: string; status: string };
    expect(template.status).toBe('PENDING');
    await control('POST', `templates/${template.id}/approve`);
    expect(await eventually(() => changes()[0])).toMatchObject({ value: { event: 'APPROVED', message_template_name: 'sale' } });
    expect((await send('+12015550100', 'sale', 'en')).status).toBe(200);
  });

  it('posts any bytes, with a wrong signature on request', async () => {
    await control('POST', 'webhook/raw', { body: '{"a":', signature: 'wrong' });
    const [request] = await eventually(() => receiver.requests.length > 0 && receiver.requests);
    expect(request?.body).toBe('{"a":');
    expect(request?.headers['x-hub-signature-256']).not.toBe(`sha256=${createHmac('sha256', SECRET).update('{"a":').digest('hex')}`);
  });

  it('shows the phone with messages of both sides, and resets', async () => {
    await send('+12015550100');
    await control('POST', 'inbound', { phone_number_id: NUMBER, from: '12015550100', text: 'Hi' });
    const phone = async () =>
      (
        await control<{ messages: { direction: string; text: string }[]; people: string[] }>(
          'GET',
          `phone?phone_number_id=${NUMBER}&person=12015550100`,
        )
      ).body;
    expect((await phone()).messages).toMatchObject([
      { direction: 'in', text: 'Welcome and congratulations!' },
      { direction: 'out', text: 'Hi' },
    ]);
    const page = await fetch(url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    await control('POST', 'reset', {});
    expect(await phone()).toEqual({ messages: [], people: [] });
  });
});
