import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { customer, dashboardUser, type DashboardUser } from './people';
import { sharedStack, type SharedStack } from './stack';

interface Reply {
  customer_phone: string;
  question: string;
  reply: string | null;
  state: string;
  reason: string | null;
}

describe('auto-reply and the live tail (spec §10, §6.2)', () => {
  let stack: SharedStack;
  let owner: DashboardUser;
  let receiver: Receiver;

  beforeAll(async () => {
    stack = await sharedStack();
    owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    receiver = await startReceiver();
    await owner.call('POST', '/api/client/webhooks', {
      name: 'w',
      url: receiver.url,
      events: ['ai.replied', 'message.sent', 'message.received', 'conversation.created'],
    });
  }, 150_000);
  afterAll(() => receiver?.close());

  const set = async (body: object) => expect((await owner.call('PUT', '/api/client/auto-reply', body)).status).toBe(200);
  const replies = async () => (await owner.call<{ replies: Reply[] }>('GET', '/api/client/auto-reply/replies')).body.replies;
  const ended = (question: string) =>
    eventually(async () => (await replies()).find((reply) => reply.question === question && reply.state !== 'pending'));
  const events = () => receiver.requests.map(({ body }) => JSON.parse(body) as { event: string; data: Record<string, unknown> });

  it('is off by default, never returns the key, and refuses a private address', async () => {
    const before = await owner.call('GET', '/api/client/auto-reply');
    expect(before.body).toMatchObject({ enabled: false, has_api_key: false });
    await set({ instructions: 'Be kind.', api_key: 'sk-very-secret', daily_limit: 3 });
    const after = await owner.call('GET', '/api/client/auto-reply');
    expect(after.body).toMatchObject({ instructions: 'Be kind.', has_api_key: true, daily_limit: 3 });
    expect(JSON.stringify(after.body)).not.toContain('sk-very-secret');
    const refused = await owner.call('PUT', '/api/client/auto-reply', { base_url: 'https://10.0.0.1/v1' });
    expect(refused.body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [{ field: 'base_url' }] });
    const tried = await owner.call<{ reply: string }>('POST', '/api/client/auto-reply/try', { text: 'Opening hours?' });
    expect(tried.body.reply).toContain('Opening hours?');
  });

  it('replies to the customer once, with message.sent and ai.replied', async () => {
    await set({ enabled: true });
    await customer(stack.demo, stack.growth, '12015550100').writes('Are you open?');
    expect(await ended('Are you open?')).toMatchObject({ state: 'replied', customer_phone: '12015550100' });
    const replied = await eventually(() => events().find(({ event }) => event === 'ai.replied'));
    expect(replied.data).toEqual({
      message_id: expect.stringMatching(/^wamid\./) as string,
      to: '12015550100',
      ai_response: expect.stringContaining('Are you open?') as string,
      conversation_id: expect.any(Number) as number,
      business_id: stack.growth.id,
    });
    const sent = await eventually(() => events().find(({ event }) => event === 'message.sent'));
    expect(sent.data).toMatchObject({ message_id: replied.data['message_id'], sent_by: 'ai', text: replied.data['ai_response'] });
  });

  it('does not reply when the model fails, an agent is active, the customer opts out or the limit is reached', async () => {
    await customer(stack.demo, stack.growth, '12015550101').writes('model-401');
    expect(await ended('model-401')).toMatchObject({ state: 'failed', reason: 'the model responded with 401' });

    const { body } = await owner.call<{ conversations: { id: number }[] }>('GET', '/api/client/conversations?q=12015550100');
    const path = `/api/client/conversations/${body.conversations[0]?.id}/messages`;
    expect((await owner.call('POST', path, { text: 'A person speaking.' })).status).toBe(200);
    await eventually(() => events().find(({ data }) => data['sent_by'] === 'agent'));
    await customer(stack.demo, stack.growth, '12015550100').writes('Thank you, person');
    expect(await ended('Thank you, person')).toMatchObject({ state: 'skipped', reason: 'an agent is active in this conversation' });

    await customer(stack.demo, stack.growth, '12015550104').writes('Stop');
    expect(await ended('Stop')).toMatchObject({ state: 'skipped', reason: 'the customer has opted out' });

    await set({ daily_limit: 1 });
    await customer(stack.demo, stack.growth, '12015550103').writes('One too many');
    expect(await ended('One too many')).toMatchObject({ state: 'skipped', reason: 'the daily limit is reached' });
    await set({ enabled: false });
    expect(events().filter(({ event }) => event === 'ai.replied')).toHaveLength(1);
  });

  it('shows the business’s events in the live tail and resumes after a reconnect', async () => {
    const first = await tail();
    await customer(stack.demo, stack.growth, '12015550107').writes('live one');
    const seen = await eventually(() => first.events.find(({ event, data }) => event === 'message.received' && data.includes('live one')));
    expect(JSON.parse(seen.data)).toMatchObject({ event: 'message.received', data: { from: '12015550107', text: 'live one' } });
    first.close();
    await customer(stack.demo, stack.growth, '12015550107').writes('while away');
    await eventually(() => events().find(({ data }) => data['text'] === 'while away'));
    const second = await tail({ 'last-event-id': seen.id });
    await eventually(() => second.events.some(({ data }) => data.includes('while away')));
    expect(second.events.some(({ data }) => data.includes('live one'))).toBe(false);
    const others = await tail({ 'last-event-id': '0' }, stack.starter.owner);
    await customer(stack.demo, stack.growth, '12015550107').writes('live two');
    await eventually(() => second.events.some(({ data }) => data.includes('live two')));
    expect(others.events).toEqual([]);
    for (const open of [second, others]) open.close();
  });

  it('shows the operator every service with its backlog (spec §11)', async () => {
    const operator = await dashboardUser(stack.demo.site_url, stack.demo.operator);
    const names = [
      'gateway',
      'send',
      'template',
      'status',
      'platform-webhook-ingest',
      'outbound-webhook-dispatcher',
      'broadcast',
      'auto-reply',
    ];
    // A busy service may miss one question.
    const services = await eventually(async () => {
      const { body } = await operator.call<{ services: { name: string; healthy: boolean; metrics: Record<string, number> }[] }>(
        'GET',
        '/api/admin/overview',
      );
      expect(body.services.map(({ name, healthy }) => [name, healthy])).toEqual(names.map((name) => [name, true]));
      return body.services;
    });
    expect(services.find(({ name }) => name === 'send')?.metrics).toMatchObject({ outbox_waiting: expect.any(Number) as number });
    expect((await owner.call('GET', '/api/admin/overview')).status).toBe(403);
  });

  async function tail(headers: Record<string, string> = {}, who = stack.growth.owner) {
    const site = stack.demo.site_url;
    const login = await fetch(`${site}/api/client/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: site },
      body: JSON.stringify(who),
    });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    const ending = new AbortController();
    const response = await fetch(`${site}/api/client/events/stream`, { headers: { cookie, ...headers }, signal: ending.signal });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const read: { id: string; event: string; data: string }[] = [];
    void (async () => {
      let text = '';
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(chunk).toString();
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) {
          const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
          if (field('id') !== undefined && field('event') !== 'stream.started')
            read.push({ id: field('id') ?? '', event: field('event') ?? '', data: field('data') ?? '' });
        }
      }
    })().catch(() => undefined);
    return { events: read, close: () => ending.abort() };
  }
});
