import type { GetUsage, ResponseOf } from '@mgw/contracts';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { customer, dashboardUser, integrator, type DashboardUser, type Integrator } from './people';
import { sharedStack, type DemoBusiness, type SharedStack } from './stack';

interface Page {
  next_cursor: string | null;
}
interface Logged {
  message_id: string;
  to: string;
  type: string;
  template: string | null;
  api_status: string;
  delivery_status: string;
  failure_reason: string | null;
  sent_by: string;
}
interface Conversation {
  id: number;
  customer_phone: string;
  session_window: { open: boolean; closes_at: string | null };
  suppression_state: string | null;
  last_message: { direction: string; text: string } | null;
}
interface Delivery {
  id: number;
  event: string;
  event_id: string;
  state: string;
  response_code: number | null;
  duration_ms: number | null;
  attempts: number;
  reason: string | null;
  payload: { event: string; data: Record<string, unknown> };
}

const COUNTS = ['sent', 'delivered', 'read', 'failed', 'refused'] as const;

interface Usage {
  timezone: string;
  usage: ResponseOf<typeof GetUsage>['usage'];
  keys: { daily_limit: number }[];
}

describe('the dashboard API (spec §10)', () => {
  let stack: SharedStack;
  let crm: Integrator;
  let owner: DashboardUser;
  let stranger: DashboardUser;
  let receiver: Receiver;

  beforeAll(async () => {
    stack = await sharedStack();
    crm = integrator(stack.demo.base_url, stack.growth.api_key);
    owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    stranger = await dashboardUser(stack.demo.site_url, stack.starter.owner);
    receiver = await startReceiver();
  }, 150_000);
  afterAll(() => receiver?.close());

  const template = (phone: string) => ({ phone, template_name: 'order_update', body_params: ['Asha', '1007'] });
  const ok = async <B>(who: DashboardUser, method: string, path: string, body?: unknown): Promise<B> => {
    const response = await who.call<B>(method, `/api/client/${path}`, body);
    expect([path, response.status, response.status === 200 ? null : response.body]).toEqual([path, 200, null]);
    return response.body;
  };
  const conversationWith = (phone: string) =>
    eventually(async () => {
      const { conversations } = await ok<{ conversations: Conversation[] }>(owner, 'GET', `conversations?q=${phone}`);
      return conversations[0];
    });

  it('searches the message log by status, phone and text, in pages, for this business only', async () => {
    for (const phone of ['+1 201 555 0100', '+1 201 555 0126', '+1 201 555 0130']) await crm.post('send-template', template(phone));
    const log = (query: string) => ok<{ messages: Logged[] } & Page>(owner, 'GET', `messages?${query}`);
    await eventually(async () => (await log('status=failed')).messages.length === 2);
    await eventually(async () => (await log('status=read')).messages.length === 1);
    const { messages } = await log('phone=%2B1%20201%20555%200130');
    expect(messages).toMatchObject([
      {
        message_id: expect.stringMatching(/^gw_/) as string,
        to: '12015550130',
        type: 'template',
        template: 'order_update',
        api_status: 'failed',
        delivery_status: 'failed',
        failure_reason: expect.stringMatching(/^131030: /) as string,
        sent_by: 'api',
      },
    ]);
    const first = await log('limit=2&q=1007');
    expect(first.messages).toHaveLength(2);
    const second = await log(`limit=2&q=1007&cursor=${first.next_cursor}`);
    expect([second.messages.length, second.next_cursor]).toEqual([1, null]);
    expect(new Set([...first.messages, ...second.messages].map(({ message_id }) => message_id)).size).toBe(3);
    expect((await ok<{ messages: Logged[] }>(stranger, 'GET', 'messages')).messages).toEqual([]);
  });

  it('refuses an invalid cursor in every list', async () => {
    const webhook = { name: 'Pages', url: `${receiver.url}/pages`, events: ['ai.replied'] };
    const { id } = await ok<{ id: number }>(owner, 'POST', 'webhooks', webhook);
    await crm.post('send-template', template('+1 201 555 0100'));
    const conversation = await conversationWith('12015550100');
    const cursorOf = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
    const garbled = [
      'x',
      '%00',
      cursorOf(),
      cursorOf('abc'),
      cursorOf('9'.repeat(40)),
      cursorOf('abc', 'def'),
      cursorOf('2026-02-30 00:00:00+00', '1'),
      cursorOf('2026-01-01 00:00:00+00', '\0'),
      cursorOf(null, {}),
    ];
    const lists = [
      'messages',
      'conversations',
      `conversations/${conversation.id}/messages`,
      'suppressions',
      'broadcasts',
      'auto-reply/replies',
    ];
    for (const list of [...lists, `webhooks/${id}/deliveries`])
      for (const cursor of garbled) {
        const { status, body } = await owner.call<{ error_code: string }>('GET', `/api/client/${list}?cursor=${cursor}`);
        expect([list, cursor, status, body.error_code]).toEqual([list, cursor, 400, 'VALIDATION_FAILED']);
      }
    await ok(owner, 'DELETE', `webhooks/${id}`);
  });

  it('shows a message with its timeline and its webhooks', async () => {
    const { id } = await ok<{ id: number }>(owner, 'POST', 'webhooks', {
      name: 'CRM',
      url: `${receiver.url}/hook`,
      events: ['message.sent', 'message.received'],
      secret: 'swordfish',
    });
    const { body } = await crm.post<{ message_id: string }>('send-template', template('+1 201 555 0107'));
    const path = `messages/${encodeURIComponent(body.message_id)}`;
    const shown = await eventually(async () => {
      const detail = await ok<{ message: Logged; timeline: { status: string }[]; webhooks: (Delivery & { webhook_id: number })[] }>(
        owner,
        'GET',
        path,
      );
      return detail.message.delivery_status === 'read' && detail.webhooks[0]?.state === 'succeeded' && detail;
    });
    expect(shown.timeline.map(({ status }) => status)).toEqual(['accepted', 'sent', 'delivered', 'played']);
    expect(shown.webhooks).toMatchObject([{ webhook_id: id, webhook_name: 'CRM', event: 'message.sent', response_code: 200, attempts: 1 }]);
    expect((await stranger.call('GET', `/api/client/${path}`)).status).toBe(404);
  });

  it('shows payloads in the delivery log; a manual redelivery leaves fail_count unchanged (decision 34)', async () => {
    const [webhook] = (await ok<{ webhooks: { id: number; fail_count: number }[] }>(owner, 'GET', 'webhooks')).webhooks;
    const id = webhook?.id as number;
    const { deliveries } = await ok<{ deliveries: Delivery[] }>(owner, 'GET', `webhooks/${id}/deliveries?state=succeeded`);
    expect(deliveries[0]).toMatchObject({ event: 'message.sent', state: 'succeeded', reason: null });
    expect(deliveries[0]?.payload).toMatchObject({ event: 'message.sent', data: { to: '12015550107' } });
    receiver.respond((_, response) => void response.writeHead(500).end());
    await ok(owner, 'POST', `webhooks/${id}/deliveries/${deliveries[0]?.id}/redeliver`, {});
    const again = await eventually(async () => {
      const [delivery] = (await ok<{ deliveries: Delivery[] }>(owner, 'GET', `webhooks/${id}/deliveries?state=failed`)).deliveries;
      return delivery;
    });
    expect(again).toMatchObject({ id: deliveries[0]?.id, attempts: 2, response_code: 500, reason: 'responded 500 instead of 200' });
    const [first, second] = receiver.requests.filter(({ headers }) => headers['webhook-id'] === deliveries[0]?.event_id);
    expect(second?.body).toBe(first?.body as string);
    const [listed] = (await ok<{ webhooks: { fail_count: number }[] }>(owner, 'GET', 'webhooks')).webhooks;
    expect(listed?.fail_count).toBe(0);
    receiver.respond((_, response) => void response.writeHead(200).end());
    const test = await ok<{ delivery_id: number }>(owner, 'POST', `webhooks/${id}/test`, { event: 'broadcast.completed' });
    await eventually(() => receiver.requests.some(({ body }) => (JSON.parse(body) as { event: string }).event === 'broadcast.completed'));
    expect((await stranger.call('POST', `/api/client/webhooks/${id}/test`, {})).status).toBe(404);
    expect((await stranger.call('GET', `/api/client/webhooks/${id}/deliveries`)).status).toBe(404);

    await ok(owner, 'PUT', `webhooks/${id}`, { is_active: false });
    const off = await owner.call('POST', `/api/client/webhooks/${id}/deliveries/${test.delivery_id}/redeliver`, {});
    expect([off.status, off.body['error_code']]).toEqual([409, 'CONFLICT']);
    // A disabled webhook's deliveries are stored as skipped and can be redelivered (decision 34).
    await crm.post('send-template', template('+1 201 555 0101'));
    const skipped = await eventually(async () => {
      const page = await ok<{ deliveries: Delivery[] }>(owner, 'GET', `webhooks/${id}/deliveries?state=skipped`);
      return page.deliveries[0];
    });
    await ok(owner, 'PUT', `webhooks/${id}`, { is_active: true });
    await ok(owner, 'POST', `webhooks/${id}/deliveries/${skipped.id}/redeliver`, {});
    await eventually(() => receiver.requests.some(({ headers }) => headers['webhook-id'] === skipped.event_id));
  });

  it('lets an agent reply in the inbox, within the window only', async () => {
    const asha = customer(stack.demo, stack.growth, '12015550102');
    await crm.post('send-template', template(asha.phone));
    const closed = await conversationWith(asha.phone);
    expect(closed).toMatchObject({ session_window: { open: false, closes_at: null }, last_message: { direction: 'out' } });
    const refused = await owner.call('POST', `/api/client/conversations/${closed.id}/messages`, { text: 'Hello' });
    expect([refused.status, refused.body['error_code']]).toEqual([400, 'WINDOW_CLOSED']);

    await asha.writes('Where is it?');
    await eventually(async () => (await conversationWith(asha.phone)).session_window.open);
    const sent = await ok<{ message_id: string; phone: string; delivery_status: string }>(
      owner,
      'POST',
      `conversations/${closed.id}/messages`,
      { text: 'On its way.' },
    );
    expect(sent).toMatchObject({ success: true, phone: asha.phone, delivery_status: 'queued' });
    const thread = await ok<{ messages: { direction: string; text: string; sent_by: string | null }[] } & Page>(
      owner,
      'GET',
      `conversations/${closed.id}/messages`,
    );
    expect(thread.messages).toMatchObject([
      { direction: 'out', text: 'On its way.', sent_by: 'agent', delivery_status: expect.any(String) as string },
      { direction: 'in', text: 'Where is it?', delivery_status: null },
      { direction: 'out', type: 'template', template: 'order_update' },
    ]);
    const page = await ok<{ messages: unknown[] } & Page>(owner, 'GET', `conversations/${closed.id}/messages?limit=1`);
    const next = await ok<{ messages: { text: string }[] }>(
      owner,
      'GET',
      `conversations/${closed.id}/messages?limit=1&cursor=${page.next_cursor}`,
    );
    expect(next.messages).toMatchObject([{ text: 'Where is it?' }]);
    expect((await stranger.call('GET', `/api/client/conversations/${closed.id}/messages`)).status).toBe(404);
    const event = await eventually(() =>
      receiver.requests.map(({ body }) => JSON.parse(body) as Delivery['payload']).find(({ data }) => data['text'] === 'On its way.'),
    );
    expect(event.data).toMatchObject({ sent_by: 'agent', type: 'text', conversation_id: closed.id });
  });

  it('decision 735: unassigns the conversations of a person who is removed from the team, also closed ones', async () => {
    const [open, closed] = ['12015550140', '12015550141'] as const;
    const person = { email: 'leaver@team.example', name: 'Leaver', role: 'agent' };
    const { id } = await ok<{ id: number }>(owner, 'POST', 'team', person);
    for (const phone of [open, closed]) await customer(stack.demo, stack.growth, phone).writes('Hello');
    const ids = [(await conversationWith(open)).id, (await conversationWith(closed)).id];
    await ok(owner, 'PATCH', `conversations/${ids[0]}`, { assigned_to: id });
    await ok(owner, 'PATCH', `conversations/${ids[1]}`, { assigned_to: id, status: 'closed' });
    const unassigned = async () => {
      const { conversations } = await ok<{ conversations: Conversation[] }>(owner, 'GET', 'conversations?view=unassigned');
      return ids.map((one) => conversations.some((listed) => listed.id === one));
    };
    expect(await unassigned()).toEqual([false, false]);
    await ok(owner, 'DELETE', `team/${id}`);
    expect(await unassigned()).toEqual([true, false]);
    await customer(stack.demo, stack.growth, closed).writes('Hello again');
    await eventually(async () => (await unassigned())[1]);
  });

  it('sets and lifts suppressions; START lifts the person’s own, not the dashboard’s (decisions 18, 45)', async () => {
    const person = customer(stack.demo, stack.growth, '12015550103');
    const sending = async () => {
      const { body } = await crm.post('send-template', template(person.phone));
      return body['suppression_state'] ?? body['delivery_status'];
    };
    await ok(owner, 'PUT', 'suppressions/%2B1%20201%20555%200103', { state: 'blocked', reason: 'abuse' });
    expect(await sending()).toBe('blocked');
    const { suppressions } = await ok<{ suppressions: Record<string, unknown>[] }>(owner, 'GET', 'suppressions');
    expect(suppressions).toMatchObject([{ phone: person.phone, state: 'blocked', source: 'dashboard', reason: 'abuse' }]);
    await person.writes('START');
    await eventually(async () => (await conversationWith(person.phone)).session_window.open);
    expect(await sending()).toBe('blocked');
    await ok(owner, 'DELETE', `suppressions/${person.phone}`);
    expect((await owner.call('DELETE', `/api/client/suppressions/${person.phone}`)).status).toBe(404);
    expect(await sending()).toBe('queued');

    await ok(owner, 'PUT', 'settings', { stop_words: ['Halt'], otp_to_opted_out: true });
    await person.writes(' halt ');
    await eventually(async () => (await sending()) === 'opted_out');
    const otp = await crm.post('send-otp', { phone: person.phone, template_name: 'login_code' });
    expect(otp.status).toBe(200);
    await ok(owner, 'PUT', 'settings', { otp_to_opted_out: false });
    expect((await crm.post('send-otp', { phone: person.phone, template_name: 'login_code' })).body['suppression_state']).toBe('opted_out');
    await person.writes('start');
    await eventually(async () => (await sending()) === 'queued');
    expect(await ok(owner, 'GET', 'settings')).toMatchObject({ timezone: 'Asia/Kolkata', stop_words: ['Halt'], otp_to_opted_out: false });
  });

  it('counts usage by day and kind, in the business’s time zone', async () => {
    const business = stack.demo.businesses.find(({ plan }) => plan === 'Pro') as DemoBusiness;
    const [app, reader] = [integrator(stack.demo.base_url, business.api_key), await dashboardUser(stack.demo.site_url, business.owner)];
    for (const phone of ['+1 201 555 0100', '+1 201 555 0126', '+1 201 555 0130']) await app.post('send-template', template(phone));
    expect((await app.post('send-otp', { phone: '+1 201 555 0100', template_name: 'login_code' })).status).toBe(200);
    // Summed, because the day may change during the test.
    const total = ({ usage }: Usage, kind: string) =>
      COUNTS.map((count) => usage.filter((line) => line.kind === kind).reduce((sum, line) => sum + line[count], 0));
    const report = await eventually(async () => {
      const shown = await ok<Usage>(reader, 'GET', 'usage');
      expect({ otp: total(shown, 'otp'), template: total(shown, 'template') }).toEqual({ otp: [1, 1, 1, 0, 0], template: [2, 1, 1, 1, 1] });
      return shown;
    });
    expect(new Set(report.usage.map(({ kind }) => kind))).toEqual(new Set(['otp', 'template']));
    expect(report).toMatchObject({ timezone: 'Asia/Kolkata', keys: [{ daily_limit: 5000 }] });
    expect((await reader.call('GET', '/api/client/usage?from=2026-02-30')).status).toBe(400);
    expect((await reader.call('GET', '/api/client/usage?from=2026-02-03&to=2026-02-01')).status).toBe(400);
  });
});
