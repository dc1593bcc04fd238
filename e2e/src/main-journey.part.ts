import { createHmac } from 'node:crypto';
import type { GetUsage, ResponseOf } from '@mgw/contracts';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { connectAs } from './database';
import { messagesOf, rowsOf } from './dump';
import { customer, dashboardUser, integrator, logIn, type DashboardUser, type Integrator } from './people';
import { sharedStack, type SharedStack } from './stack';

interface Sent {
  success: boolean;
  message_id: string;
  phone: string;
  delivery_status: string;
  template?: string;
}
interface PublicEvent {
  event: string;
  timestamp: string;
  data: Record<string, unknown>;
}

/** Ids of handled events and reports make a repeat harmless; they expire (decision 384). */
const HANDLED_IDS = /^(\w+\.(inbox|event_attempts)|broadcast\.reports) /;

describe('the main journey', () => {
  let stack: SharedStack;
  let crm: Integrator;
  let owner: DashboardUser;
  let receiver: Receiver;

  beforeAll(async () => {
    stack = await sharedStack();
    crm = integrator(stack.demo.base_url, stack.growth.api_key);
    owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    receiver = await startReceiver();
    // Before anyone writes, so that both messages get a reply.
    await owner.call('PUT', '/api/client/auto-reply', { enabled: true });
  }, 150_000);
  afterAll(() => receiver?.close());

  const events = (): PublicEvent[] => receiver.requests.map(({ body }) => JSON.parse(body) as PublicEvent);
  const eventOf = (name: string, data: Record<string, unknown>) =>
    eventually(() =>
      events().find((event) => event.event === name && Object.entries(data).every(([key, value]) => event.data[key] === value)),
    );
  const statusOf = async (id: string) => (await crm.get(`message-status/${encodeURIComponent(id)}`)).body;

  it('reports a valid key and a connected number in health (spec §4.1)', async () => {
    const { status, body } = await crm.get('health');
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      business: stack.growth.name,
      whatsapp_connected: true,
      api_key_name: 'Demo key',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    });
  });

  it('lists the approved templates (spec §4.2)', async () => {
    const { body } = await crm.get<{ templates: { name: string; language: string; variables: string[] }[] }>('templates');
    expect(body.templates).toContainEqual(expect.objectContaining({ name: 'order_update', language: 'en' }));
    expect(body.templates.map(({ name }) => name)).not.toContain('weekly_offers');
  });

  it('creates a webhook in the dashboard (spec §4.9)', async () => {
    const made = await owner.call('POST', '/api/client/webhooks', {
      name: 'CRM',
      url: `${receiver.url}/hook`,
      events: ['message.received', 'message.sent', 'conversation.created', 'message.status'],
      secret: 'swordfish',
    });
    expect(made).toMatchObject({ status: 200, body: { id: expect.any(Number) as number, message: expect.any(String) as string } });
  });

  it('refuses text with WINDOW_CLOSED before the customer writes (spec §4.5, §7)', async () => {
    const { status, body } = await crm.post('send-text', { phone: '+1 201 555 0100', message: 'Hello' });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      success: false,
      error_code: 'WINDOW_CLOSED',
      session_window: { open: false, last_inbound_at: null },
      hint: expect.stringContaining('template') as string,
    });
  });

  it('sends a template, follows it to read, and delivers message.sent (spec §4.4, §3.1, §6.2)', async () => {
    const sent = await crm.post<Sent>('send-template', {
      phone: '+1 201 555 0100',
      template_name: 'order_update',
      body_params: ['Asha', '1007'],
    });
    expect(sent.status).toBe(200);
    expect(sent.body).toMatchObject({ success: true, phone: '12015550100', template: 'order_update', delivery_status: 'queued' });
    const first = await statusOf(sent.body.message_id);
    expect(first).toMatchObject({ success: true, message_id: sent.body.message_id, api_status: 'success', to: '12015550100' });
    // Poll slowly, because the key has 60 requests a minute.
    await eventually(async () => (await statusOf(sent.body.message_id))['delivery_status'] === 'read', { everyMs: 400 });
    const event = await eventOf('message.sent', { message_id: sent.body.message_id });
    expect(event.data).toEqual({
      message_id: sent.body.message_id,
      to: '12015550100',
      type: 'template',
      text: expect.stringContaining('1007') as string,
      sent_by: 'api',
      conversation_id: expect.any(Number) as number,
      business_id: stack.growth.id,
    });
    // Decision 286: each rise once, after message.sent.
    const seen = await eventually(() => {
      const own = events().filter(({ data }) => data['message_id'] === sent.body.message_id);
      return own.some(({ data }) => data['status'] === 'read') && own;
    });
    expect(seen.map(({ event, data }) => [event, data['previous_status'], data['status']])).toEqual([
      ['message.sent', undefined, undefined],
      ['message.status', 'sent', 'delivered'],
      ['message.status', 'delivered', 'read'],
    ]);
  });

  it('delivers both events of a customer’s message in order and signed, and then allows text (spec §3.2, §6)', async () => {
    await customer(stack.demo, stack.growth, '12015550100').writes('Is my order on its way?');
    const received = await eventOf('message.received', { from: '12015550100' });
    expect(received.data).toMatchObject({ type: 'text', text: 'Is my order on its way?', business_id: stack.growth.id });
    const names = events().map(({ event }) => event);
    expect(names.indexOf('conversation.created')).toBeGreaterThanOrEqual(0);
    expect(names.indexOf('conversation.created')).toBeLessThan(names.indexOf('message.received'));
    for (const { headers, body } of receiver.requests)
      expect(headers['x-service-signature']).toBe(createHmac('sha256', 'swordfish').update(body).digest('hex'));

    const sent = await crm.post<Sent>('send-text', { phone: '12015550100', message: 'It is.' });
    expect(sent.status).toBe(200);
    await eventOf('message.sent', { message_id: sent.body.message_id, text: 'It is.', type: 'text' });
  });

  it('shows the deliveries in the webhook list (spec §2.8, §3.4)', async () => {
    await eventually(async () => {
      const { body } = await owner.call<{ webhooks: Record<string, unknown>[] }>('GET', '/api/client/webhooks');
      return body.webhooks[0]?.['last_triggered_at'] && body.webhooks[0]['fail_count'] === 0;
    });
  });

  it('refuses a Starter key on send endpoints (spec §5.4)', async () => {
    const { status, body } = await integrator(stack.demo.base_url, stack.starter.api_key).post('send-text', {
      phone: '12015550100',
      message: 'Hello',
    });
    expect([status, body['error_code']]).toEqual([403, 'PLAN_NOT_ALLOWED']);
  });

  it('erases a person everywhere, even when services die meanwhile, and keeps counts and the opt-out (decisions 381 to 385)', async () => {
    const phone = '12015559177';
    const canary = customer(stack.demo, stack.growth, phone);
    const said = await canary.sends({ type: 'text', text: 'kestrel asks', name: 'Kestrel Bird' });
    await eventOf('message.received', { from: phone });
    const template = { phone, template_name: 'order_update', body_params: ['kestrel', '1007'] };
    const sent = await crm.post<Sent>('send-template', template);
    const recipients = [{ phone, body_params: ['kestrel', '1008'] }];
    const broadcast = { name: 'All', template_name: 'order_update', recipients };
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const now = (await owner.call<{ id: number }>('POST', '/api/client/broadcasts', broadcast)).body.id;
    const later = (await owner.call<{ id: number }>('POST', '/api/client/broadcasts', { ...broadcast, scheduled_at: tomorrow })).body.id;
    const broadcastOf = async (id: number) => (await owner.call(`GET`, `/api/client/broadcasts/${id}`)).body;
    await eventually(async () => (await broadcastOf(now))['status'] === 'completed');
    await eventually(async () => (await statusOf(sent.body.message_id))['delivery_status'] === 'read', { everyMs: 400 });
    const replies = async () => (await owner.call<{ replies: { state: string }[] }>('GET', '/api/client/auto-reply/replies')).body.replies;
    await eventually(async () => (await replies()).filter(({ state }) => state === 'replied').length === 2);
    // A status that comes later would be stored like that of an unknown message, or count.
    await eventually(
      async () => {
        const { messages } = (await owner.call<{ messages: { delivery_status: string }[] }>('GET', '/api/client/messages')).body;
        return messages.length === 6 && messages.every(({ delivery_status }) => delivery_status === 'read');
      },
      { everyMs: 400 },
    );
    const search = async (q: string) =>
      (await owner.call<{ conversations: { id: number; found?: object }[] }>('GET', `/api/client/conversations?q=${q}`)).body.conversations;
    const [conversation] = await search('kestrel+asks');
    expect(conversation?.found).toMatchObject({ text: expect.stringContaining('kestrel asks') as string });
    expect(await search('201-555+91')).toContainEqual(expect.objectContaining({ id: conversation?.id }));
    const thread = `/api/client/conversations/${conversation?.id}`;
    expect((await owner.call('POST', `${thread}/notes`, { text: 'kestrel waits' })).status).toBe(200);
    expect((await owner.call('PATCH', thread, { labels: ['VIP'] })).status).toBe(200);
    await canary.writes('STOP');
    await eventually(async () => (await owner.call('GET', `/api/client/suppressions/${phone}`)).status === 200);

    const cookie = await logIn(stack.demo.site_url, stack.growth.owner);
    const exported = await fetch(`${stack.demo.site_url}/api/client/people/+${phone}/export`, { headers: { cookie } });
    const lines = (await exported.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(new Set(lines.map(({ kind }) => kind))).toEqual(
      new Set(['conversation', 'opt_out', 'note', 'message_received', 'message_sent', 'status', 'broadcast', 'automatic_reply']),
    );
    expect(lines).toContainEqual(expect.objectContaining({ kind: 'message_received', message_id: said, text: 'kestrel asks' }));
    const times = lines.flatMap((line) => Object.entries(line).filter(([name]) => /(^|_)at$/.test(name) && line[name] !== null));
    expect(new Set(times.map(([name]) => name)).size).toBeGreaterThan(5);
    expect(times.filter(([, time]) => time !== new Date(time as string).toISOString())).toEqual([]);
    const usage = async () => (await owner.call<{ usage: ResponseOf<typeof GetUsage>['usage'] }>('GET', '/api/client/usage')).body.usage;
    const before = await usage();
    expect(before.reduce((sum, { read }) => sum + read, 0)).toBe(6);

    const [status, gateway] = [stack.pids('status'), stack.pids('gateway')].map((pids) => Object.values(pids)[0] as number);
    const erase = () => owner.call<{ id: number }>('DELETE', `/api/client/people/${phone}`, { reason: 'Asked for it.' });
    const erasure = await erase();
    expect(erasure.status).toBe(200);
    for (const pid of [status, gateway]) process.kill(pid as number, 'SIGKILL');
    await stack.ready(undefined, [status, gateway] as number[]);
    // The killed gateway's claim would delay the next round by a minute.
    const access = await connectAs('gateway', stack);
    await access.query('UPDATE access.erasures SET due_at = now() WHERE completed_at IS NULL');
    await access.end();
    const isDone = (id: number) =>
      eventually(
        async () => {
          const { body } = await owner.call<{ erasures: { id: number; state: string }[] }>('GET', '/api/client/erasures');
          return body.erasures.some((one) => one.id === id && one.state === 'done');
        },
        { timeoutMs: 120_000, everyMs: 500 },
      );
    await isDone(erasure.body.id);
    // A repeat is harmless.
    await isDone((await erase()).body.id);

    for (const mark of ['kestrel', '5559177']) expect(await search(mark)).toEqual([]);
    const held = [...(await rowsOf(stack)), ...(await messagesOf(stack))];
    expect(held.length).toBeGreaterThan(100);
    expect(held.filter((row) => row.startsWith(`send.conversation_labels (${conversation?.id},`))).toEqual([]);
    for (const mark of [phone, 'kestrel', 'Kestrel', said, sent.body.message_id])
      for (const text of [mark, Buffer.from(mark).toString('hex')])
        expect([mark, held.filter((row) => row.includes(text) && !HANDLED_IDS.test(row)).map((row) => row.slice(0, 300))]).toEqual([
          mark,
          [],
        ]);
    expect(await usage()).toEqual(before);
    expect(await broadcastOf(now)).toMatchObject({ total_recipients: 1, sent: 1, failed: 0 });
    expect(await broadcastOf(later)).toMatchObject({ total_recipients: 1, sent: 0, failed: 1 });
    expect((await statusOf(sent.body.message_id))['error_code']).toBe('NOT_FOUND');
    const refused = await crm.post('send-template', template);
    expect(refused.body).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED', suppression_state: 'opted_out' });
  }, 240_000);

  it('logs no key, phone number, message or webhook secret (guarantees §9)', () => {
    const log = stack.log();
    expect(log).toContain('"service":"gateway"');
    for (const secret of [
      stack.growth.api_key,
      '12015550100',
      'Is my order on its way',
      'swordfish',
      'kestrel',
      'Kestrel',
      '12015559177',
      stack.growth.owner.password,
    ])
      expect(log.includes(secret)).toBe(false);
  });
});
