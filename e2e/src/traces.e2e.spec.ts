import { join } from 'node:path';
import { eventually, spawnNode, startReceiver, testDatabase, testNats, type Receiver } from '@mgw/testing';
import { customer, dashboardUser, integrator } from './people';
import { startSpanReceiver, type ReceivedSpan, type SpanReceiver } from './span-receiver.fixture';
import { ROOT, startStack, type RunningStack } from './stack';

const PHONE = '12015550100';
const OTP = '48151623';
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

describe('traces', () => {
  let collector: SpanReceiver;
  let receiver: Receiver;
  let stack: RunningStack;
  let sent: { messageId: string; otpMessageId: string; otpTrace: string };

  const events = () => receiver.requests.map(({ body }) => JSON.parse(body) as { event: string; data: Record<string, unknown> });
  const eventOf = (name: string, data: Record<string, unknown>) =>
    eventually(() =>
      events().find((event) => event.event === name && Object.entries(data).every(([key, value]) => event.data[key] === value)),
    );
  const spansOf = (traceId: string) => collector.spans().filter((span) => span.traceId === traceId);
  const wayTo = (span: ReceivedSpan | undefined) => collector.wayTo(span as ReceivedSpan);

  /** Runs all actions and stops the stack, which exports the remaining spans. */
  beforeAll(async () => {
    collector = await startSpanReceiver();
    receiver = await startReceiver();
    stack = await startStack({ standalone: true, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '3600000' } });
    const crm = integrator(stack.demo.base_url, stack.growth.api_key);
    const owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    await owner.call('POST', '/api/client/webhooks', {
      name: 'CRM',
      url: `${receiver.url}/hook/of-mine?token=sesame`,
      events: ['message.received', 'message.sent', 'conversation.created', 'ai.replied'],
      secret: 'swordfish',
    });
    const template = { phone: PHONE, template_name: 'order_update', body_params: ['Asha', 'parcel 1007'] };
    const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
    const first = await crm.post<{ message_id: string }>('send-template', template, { traceparent });
    expect(first.status).toBe(200);
    const otp = await crm.post<{ message_id: string }>('send-otp', { phone: PHONE, template_name: 'login_code', otp: OTP });
    expect(otp.status).toBe(200);
    sent = {
      messageId: first.body.message_id,
      otpMessageId: otp.body.message_id,
      otpTrace: otp.headers.get('x-request-id') ?? '',
    };
    await eventOf('message.sent', { message_id: sent.messageId });
    await eventOf('message.sent', { message_id: sent.otpMessageId });
    // A key in the query, a message id in the path and a phone number in both must not be exported.
    const query = new URLSearchParams({ apikey: stack.growth.api_key, phone: PHONE, template: 'order_update', params: 'Asha,1008' });
    expect((await fetch(`${stack.demo.base_url}/quick-send?${query}`, { headers: { 'x-request-id': PHONE } })).status).toBe(200);
    expect((await crm.get(`message-status/${encodeURIComponent(sent.messageId)}`)).status).toBe(200);
    await owner.call('GET', `/api/client/suppressions/${PHONE}`);
    await owner.call('PUT', '/api/client/auto-reply', { enabled: true });
    await customer(stack.demo, stack.growth, PHONE).writes('Are you open on Sundays?');
    await eventOf('ai.replied', { to: PHONE });
    expect(collector.spans()).toEqual([]);
    expect((await stack.stop()).code).toBe(0);
  }, 200_000);
  afterAll(async () => {
    await stack?.stop();
    await receiver?.close();
    await collector?.close();
  });

  it("continues the caller's trace through gateway and send service to the platform", () => {
    const call = spansOf(CALLER.traceId).find(({ name }) => name === 'POST /{phone_number_id}/messages');
    expect(wayTo(call)).toEqual([
      'gateway: POST /api/v1/send-template (server)',
      'gateway: rpc.send.template (client)',
      'send: rpc.send.template (server)',
      'send: POST /{phone_number_id}/messages (client)',
    ]);
    expect(call?.attributes).toMatchObject({ 'http.response.status_code': 200, 'server.address': '127.0.0.1' });
    const [request] = spansOf(CALLER.traceId).filter(({ service, kind }) => service === 'gateway' && kind === 2);
    expect(request?.parentSpanId).toBe(CALLER.spanId);
    expect(request?.attributes).toMatchObject({ 'http.route': '/api/v1/send-template', 'http.response.status_code': 200 });
  });

  it('continues the trace with the event through JetStream to the attempt at the receiver', () => {
    const attempts = spansOf(CALLER.traceId).filter(({ name }) => name === 'POST webhook');
    expect(attempts.map((attempt) => wayTo(attempt))).toEqual([
      [
        'gateway: POST /api/v1/send-template (server)',
        'gateway: rpc.send.template (client)',
        'send: rpc.send.template (server)',
        'send: publish public.message.sent (producer)',
        'outbound-webhook-dispatcher: process public.message.sent (consumer)',
        'outbound-webhook-dispatcher: POST webhook (client)',
      ],
    ]);
    expect(attempts[0]?.attributes).toMatchObject({ 'http.response.status_code': 200, 'server.address': '127.0.0.1' });
    const consumed = spansOf(CALLER.traceId).filter(({ name }) => name === 'process public.message.sent');
    expect(consumed.map(({ attributes }) => attributes['messaging.consumer.group.name'])).toContain('status-acceptances');
  });

  it('starts a trace for a request without traceparent, found by its request id', () => {
    const [request] = collector.spans().filter(({ attributes }) => attributes['mgw.request_id'] === sent.otpTrace);
    expect(request).toMatchObject({ name: 'POST /api/v1/send-otp', service: 'gateway' });
    expect(request?.parentSpanId).toBeUndefined();
    expect(request?.traceId).not.toBe(CALLER.traceId);
  });

  it("joins a customer's message and the automatic reply in one trace, from the callback to the last webhook", () => {
    const replied = collector.spans().find(({ name }) => name === 'process public.ai.replied');
    const attempt = spansOf(replied?.traceId ?? '').find(({ parentSpanId }) => parentSpanId === replied?.spanId);
    expect(wayTo(attempt)).toEqual([
      'gateway: POST /webhooks/whatsapp (server)',
      'gateway: rpc.platform-webhook-ingest.receive (client)',
      'platform-webhook-ingest: rpc.platform-webhook-ingest.receive (server)',
      'platform-webhook-ingest: publish platform.message (producer)',
      'send: process platform.message (consumer)',
      'send: publish public.message.received (producer)',
      'auto-reply: process public.message.received (consumer)',
      'auto-reply: publish public.ai.replied (producer)',
      'outbound-webhook-dispatcher: process public.ai.replied (consumer)',
      'outbound-webhook-dispatcher: POST webhook (client)',
    ]);
  });

  it('exports no person, message, key, secret, path or query (guarantees §9)', () => {
    const text = collector.text();
    expect(text).toContain('outbound-webhook-dispatcher');
    const { api_key, owner } = stack.growth;
    const hidden = [PHONE, OTP, api_key, owner.email, owner.password, 'Asha', 'parcel', 'Sunday', 'swordfish', 'sesame', 'of-mine'];
    const ids = ['wamid', encodeURIComponent(sent.messageId), sent.messageId, stack.growth.phone_number_id];
    expect([...hidden, ...ids, 'apikey'].filter((secret) => text.includes(secret))).toEqual([]);
  });
});

describe('exporting traces', () => {
  let collector: SpanReceiver;
  beforeEach(async () => {
    collector = await startSpanReceiver();
  });
  afterEach(() => collector.close());
  const oneSpan = (env: Record<string, string>) => spawnNode(join(__dirname, 'one-span.fixture.cjs'), env);

  it('exports the error code of a failed step, never its text (guarantees §9)', async () => {
    await oneSpan({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }).printed(/^closed/);
    expect(collector.spans()).toMatchObject([{ service: 'test', name: 'step', attributes: { 'error.type': '23505' } }]);
    expect(collector.text()).not.toContain('919876543210');
  });

  it('reads sampling and resource attributes from the variables of OpenTelemetry', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging' };
    await oneSpan({ ...env, OTEL_TRACES_SAMPLER: 'always_off' }).printed(/^closed/);
    expect(collector.spans()).toEqual([]);
    await oneSpan({ ...env, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '1' }).printed(/^closed/);
    expect(collector.spans()).toHaveLength(1);
    expect(collector.text()).toContain('staging');
  });

  it.each(['away', 'silent'])('stops in time with a collector that is %s, and logs the loss', async (how) => {
    const endless = { OTEL_EXPORTER_OTLP_TIMEOUT: '3600000', OTEL_BSP_EXPORT_TIMEOUT: '3600000' };
    if (how === 'silent') collector.answerNothing();
    const child = oneSpan({ OTEL_EXPORTER_OTLP_ENDPOINT: how === 'away' ? 'http://127.0.0.1:9' : collector.url, ...endless });
    await child.printed(/^closed/);
    await eventually(() => child.output().includes('the last spans could not be exported'));
    await child.kill();
  });
});

describe('a service loads only what it uses', () => {
  it.each([
    ['without an endpoint for traces nothing of OpenTelemetry, and never what only migrations need', {}, 'nothing'],
    ['with one it is', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, 'sdk-trace'],
  ])('%s', async (_, extraEnv, loaded) => {
    const [database, broker] = [await testDatabase(), await testNats()];
    const env = { DATABASE_URL: database.url, NATS_URL: broker.url, NODE_ENV: 'test', ...extraEnv };
    const main = join(ROOT, 'dist/apps/status/src/main.js');
    try {
      expect((await spawnNode(main, env, ['migrate']).exited).code).toBe(0);
      const status = spawnNode(main, { ...env, NODE_OPTIONS: `--require ${join(__dirname, 'loaded-modules.fixture.cjs')}` });
      await status.printed(/"msg":"ready"/);
      process.kill(status.pid, 'SIGUSR2');
      expect(await status.printed(/^loaded: /)).toContain(loaded);
      await status.kill();
    } finally {
      await broker.stop();
      await database.drop();
    }
  });
});
