import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { dashboardUser, integrator, type DashboardUser, type Integrator } from './people';
import { sharedStack, type SharedStack } from './stack';

interface Expectation {
  file: string;
  title: string;
  http: number;
  events: { event: string; data: Record<string, unknown> }[];
  graph_wamid?: string;
  status?: { message_id: string; delivery_status: string; failure_reason_contains?: string[] };
  window?: { phone?: string; open?: boolean };
  templates?: { present?: [string, string][]; absent?: [string, string][] };
}

const FOLDER = join(__dirname, '../platform-cases');
const EXPECT = JSON.parse(readFileSync(join(FOLDER, 'EXPECT.json'), 'utf8')) as {
  tenants: Record<'A' | 'B', { name: string; waba: string; pnid: string; disp: string }>;
  app_secret: string;
  verify_token: string;
  webhooks: Expectation[];
};
const caseOf = (prefix: string) => EXPECT.webhooks.find(({ file }) => file.startsWith(prefix)) as Expectation;
/** The earliest time in the files, in seconds since 1970. */
const BEGIN = 1_795_176_000;
const OTHER_NUMBER = '12015550123';

/** Members of message.received that the thread shows elsewhere or that an edit changes. */
const NOT_IN_THREAD = new Set(['from', 'from_name', 'text', 'caption', 'media_type', 'media_id', 'mime_type', 'media_url']);

/** Serializes JSON compactly, or like Meta, which also escapes non-ASCII characters and slashes. */
const STYLES = {
  compact: (text: string) => text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, quoted?: string) => quoted ?? ''),
  meta: (text: string) =>
    STYLES.compact(text)
      .replace(/(\\.)|\//g, (_, escaped?: string) => escaped ?? '\\/')
      .replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
};

describe('callbacks of the platform, in both styles of their bytes (platform §4)', () => {
  let stack: SharedStack;
  let crm: Integrator;
  let owner: DashboardUser;
  let receiver: Receiver;
  const begun = Math.floor(Date.now() / 1_000) - 3_600;

  beforeAll(async () => {
    stack = await sharedStack();
    const operator = await dashboardUser(stack.demo.site_url, stack.demo.operator);
    const { A } = EXPECT.tenants;
    const { body } = await operator.call<{ id: number }>('POST', '/api/admin/businesses', { name: A.name, plan: 'Pro' });
    const login = { email: 'owner@cases.example', password: 'a long enough password' };
    await operator.call('POST', `/api/admin/businesses/${body.id}/users`, { ...login, name: 'Owner', role: 'owner' });
    owner = await dashboardUser(stack.demo.site_url, login);
    await simulate('accounts', {
      name: A.name,
      phone_number_id: A.pnid,
      business_account_id: A.waba,
      display_phone_number: A.disp,
      access_token: 'EAAcases',
      app_secret: EXPECT.app_secret,
    });
    await owner.call('PUT', '/api/client/connection', {
      phone_number_id: A.pnid,
      business_account_id: A.waba,
      access_token: 'EAAcases',
      app_secret: EXPECT.app_secret,
      verify_token: EXPECT.verify_token,
    });
    const key = await owner.call<{ key: string }>('POST', '/api/client/api-keys', { name: 'Cases', permissions: ['*'] });
    crm = integrator(stack.demo.base_url, key.body.key);
    await eventually(async () => (await crm.get<{ templates: unknown[] }>('templates')).body.templates.length > 0, { everyMs: 500 });
    receiver = await startReceiver();
    await owner.call('POST', '/api/client/webhooks', {
      name: 'w',
      url: receiver.url,
      events: ['message.received', 'conversation.created', 'message.sent'],
    });
  }, 150_000);
  afterAll(() => receiver?.close());

  const simulate = (path: string, body: unknown) =>
    fetch(`${stack.demo.simulator_url}/__sim/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const events = () => receiver.requests.map(({ body }) => JSON.parse(body) as { event: string; data: Record<string, unknown> });
  const isWithin = (part: Record<string, unknown>, whole: Record<string, unknown>) =>
    Object.entries(part).every(([key, value]) => isDeepStrictEqual(whole[key], value));

  async function deliver(file: string, style: keyof typeof STYLES = 'meta'): Promise<number> {
    // Move the files' times into the last hour, because windows depend on the current time.
    const text = readFileSync(join(FOLDER, file), 'utf8').replace(/\b1795[17]\d{5}\b/g, (time) => String(begun + Number(time) - BEGIN));
    const body = Buffer.from(STYLES[style](text));
    const signature = createHmac('sha256', EXPECT.app_secret).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-hub-signature-256': `sha256=${signature}`,
      'user-agent': 'facebookexternalua',
    };
    return (await fetch(`${stack.demo.site_url}/webhooks/whatsapp`, { method: 'POST', headers, body })).status;
  }
  const conversation = async (phone: string) =>
    (
      await owner.call<{ conversations: { id: number; session_window: { open: boolean } }[] }>(
        'GET',
        `/api/client/conversations?q=${phone}`,
      )
    ).body.conversations[0];

  it.each(EXPECT.webhooks.filter(({ events }) => events.length > 0).map(({ file, title }) => [file, title]))('%s: %s', async (file) => {
    const { http, events: expected } = caseOf(file.slice(0, 3));
    expect(await deliver(file)).toBe(http);
    for (const { event, data } of expected)
      await eventually(() => events().find((delivered) => delivered.event === event && isWithin(data, delivered.data)));
    // A repeated callback has no effect, whatever the style of its bytes.
    expect(await deliver(file, 'compact')).toBe(http);
    const ids = expected.map(({ data }) => data['message_id']).filter((id) => id !== undefined);
    for (const id of ids)
      expect(events().filter((delivered) => delivered.event === 'message.received' && delivered.data['message_id'] === id)).toHaveLength(1);
  });

  it('d01: keeps the data of a plain text as it was', () => {
    const id = caseOf('d01').events[0]?.data['message_id'];
    const received = events().find(({ data }) => data['message_id'] === id);
    expect(Object.keys(received?.data ?? {})).toEqual([
      'message_id',
      'from',
      'from_name',
      'type',
      'text',
      'from_user_id',
      'conversation_id',
      'business_id',
    ]);
  });

  it('shows each message with its details in the thread, d31 edited and d32 deleted', async () => {
    for (const prefix of ['d31', 'd32']) expect(await deliver(caseOf(prefix).file)).toBe(200);
    const { id } = (await conversation('919000055501')) as { id: number };
    const thread = async () =>
      (await owner.call<{ messages: Record<string, unknown>[] }>('GET', `/api/client/conversations/${id}/messages?limit=100`)).body
        .messages;
    const messageOf = (messages: Record<string, unknown>[], prefix: string) =>
      messages.find(({ message_id }) => message_id === caseOf(prefix).events[0]?.data['message_id']);
    await eventually(async () => messageOf(await thread(), 'd26')?.['deleted_at']);
    const messages = await thread();
    expect(messageOf(messages, 'd25')).toMatchObject({ text: 'No, the other one', edited_at: expect.any(String) as string });
    for (const { events } of EXPECT.webhooks)
      for (const { event, data } of events) {
        const message = messages.find(({ message_id }) => message_id === data['message_id']);
        if (event !== 'message.received' || !message) continue;
        const names = Object.keys(data).filter((name) => !NOT_IN_THREAD.has(name));
        expect(message).toMatchObject(Object.fromEntries(names.map((name) => [name, data[name]])));
      }
  });

  it('creates one conversation per customer, with an open window', async () => {
    const created = events().filter(({ event }) => event === 'conversation.created');
    expect(created.map(({ data }) => data['customer_phone']).sort()).toEqual(['12015550123', '919000055501', 'GB.5520093317748201766']);
    expect((await conversation('919000055501'))?.session_window).toMatchObject({
      open: true,
      last_inbound_at: expect.stringMatching(/\.000Z$/) as string,
    });
  });

  it.each(['d16', 'd17', 'd18'])('%s: applies statuses of a sent message', async (prefix) => {
    const { file, graph_wamid: id, status, http } = caseOf(prefix);
    const phone = prefix === 'd16' ? '919000055501' : OTHER_NUMBER;
    const body = { messaging_product: 'whatsapp', contacts: [{ input: phone, wa_id: phone }], messages: [{ id }] };
    await simulate('rules', { times: 1, match: { to: phone }, answer: { status: 200, body } });
    const sent = await crm.post('send-text', { phone, message: 'Hello' });
    expect(sent.body).toMatchObject({ success: true, message_id: id });
    expect(await deliver(file)).toBe(http);
    const record = await eventually(
      async () => {
        const response = await crm.get(`message-status/${encodeURIComponent(id as string)}`);
        return response.body['delivery_status'] === status?.delivery_status && response.body;
      },
      { everyMs: 300 },
    );
    for (const part of status?.failure_reason_contains ?? []) expect(String(record['failure_reason']).toLowerCase()).toContain(part);
    expect('failure_reason' in record).toBe(status?.delivery_status === 'failed');
  });

  it('d18: closes the window when the platform reports it closed', async () => {
    await eventually(async () => !(await conversation(OTHER_NUMBER))?.session_window.open);
    expect((await crm.post('send-text', { phone: OTHER_NUMBER, message: 'Hello' })).body).toMatchObject({ error_code: 'WINDOW_CLOSED' });
  });

  it('d19, d20: applies template updates', async () => {
    const listed = async () =>
      (await crm.get<{ templates: { name: string; language: string }[] }>('templates')).body.templates.map(
        ({ name, language }) => `${name}/${language}`,
      );
    expect(await deliver(caseOf('d19').file)).toBe(200);
    await eventually(async () => (await listed()).includes('dispatch_notice/en'), { everyMs: 300 });
    expect(await deliver(caseOf('d20').file)).toBe(200);
    await eventually(async () => !(await listed()).includes('weekly_offers/en_US'), { everyMs: 300 });
  });

  it('d21: sends no marketing templates, but others, to people who stopped marketing in WhatsApp', async () => {
    expect(await deliver(caseOf('d21').file)).toBe(200);
    await eventually(
      async () => {
        const { body } = await crm.post('send-template', {
          phone: OTHER_NUMBER,
          template_name: 'welcome_named',
          body_params: ['Asha', 'Kaveri'],
        });
        return body['suppression_state'] === 'opted_out_marketing';
      },
      { everyMs: 300 },
    );
    const utility = await crm.post('send-template', { phone: OTHER_NUMBER, template_name: 'order_update', body_params: ['Asha', '1'] });
    expect(utility.status).toBe(200);
  });

  it('d24: keeps the conversation of a changed number', async () => {
    const before = await conversation(OTHER_NUMBER);
    expect(await deliver(caseOf('d24').file)).toBe(200);
    await eventually(async () => (await conversation('12015550188'))?.id === before?.id);
    expect((await conversation('12015550188'))?.session_window.open).toBe(false);
    const created = events().filter(({ event }) => event === 'conversation.created').length;
    await simulate('inbound', { phone_number_id: EXPECT.tenants.A.pnid, from: '12015550188', text: 'New number' });
    const received = await eventually(() => events().find(({ data }) => data['text'] === 'New number'));
    expect(received.data['conversation_id']).toBe(before?.id);
    expect(events().filter(({ event }) => event === 'conversation.created')).toHaveLength(created);
  });

  it('d22: refuses sends of a restricted account at once, and shows it in health', async () => {
    expect(await deliver(caseOf('d22').file)).toBe(200);
    const refused = await eventually(
      async () => {
        const response = await crm.post('send-template', {
          phone: OTHER_NUMBER,
          template_name: 'order_update',
          body_params: ['Asha', '1'],
        });
        return response.body['error_code'] === 'NOT_CONNECTED' && response.body;
      },
      { everyMs: 300 },
    );
    expect(refused['error']).toContain('it may not send templates until 20');
    expect((await crm.get('health')).body).toMatchObject({
      whatsapp_connected: true,
      restriction: { kinds: ['RESTRICTED_BIZ_INITIATED_MESSAGING'] },
    });
  });
});
