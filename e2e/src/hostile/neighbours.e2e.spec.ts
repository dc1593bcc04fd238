import { memoryOf, startRawReceiver, startReceiver, type RawReceiver, type Receiver } from '@mgw/testing';
import { Client } from 'pg';
import { dashboardUser, integrator, type DashboardUser, type Integrator } from '../people';
import { startStack, type RunningStack, type StackProcess } from '../stack';
import { callbackPoster, inboundMessages, repeat, median, Victim, type Measured } from './neighbours.fixture';

/** Far above the duration on a busy machine, far below the harm of a neighbour without shares: sends took 11.7 s, events 29 s. */
const BOUND_MS = 2_500;
/** The limit of the smallest pods. */
const MEMORY_MB = 384;
const CONVERSATIONS = 150_000;

/** Rule N2: each business has a share of every pool, which limits the effect of its neighbours. */
describe('one business does not slow another (guarantees §10, N2)', () => {
  let stack: RunningStack;
  let receiver: Receiver;
  let silent: RawReceiver;
  let aggressor: DashboardUser;
  let crm: Integrator;
  let victim: Victim;
  let quiet: Measured;
  let before: Record<string, number>;

  beforeAll(async () => {
    stack = await startStack({ env: { WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8' } });
    receiver = await startReceiver();
    silent = await startRawReceiver(undefined, { host: '0.0.0.0' });
    const operator = await dashboardUser(stack.demo.site_url, stack.demo.operator);
    await operator.call('PUT', '/api/admin/limits', { global_per_minute: 100_000 });
    for (const business of stack.demo.businesses) {
      const { body } = await operator.call<{ api_keys: { id: number }[] }>('GET', `/api/admin/api-keys?business_id=${business.id}`);
      await operator.call('PATCH', `/api/admin/api-keys/${body.api_keys[0]?.id}`, { per_minute_limit: 100_000, daily_limit: 100_000 });
    }
    aggressor = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    crm = integrator(stack.demo.base_url, stack.growth.api_key);
    const pro = stack.demo.businesses.find(({ plan }) => plan === 'Pro');
    if (!pro) throw new Error('the demo has no business on Pro');
    victim = await Victim.start(stack, pro, receiver);
    quiet = await victim.measure();
    before = stack.pids();
  }, 240_000);
  afterAll(async () => {
    await silent?.close();
    await receiver?.close();
    await stack?.stop();
  });

  async function expectUnaffected(name: string): Promise<void> {
    const measured = await victim.measure();
    const kinds = Object.keys(measured) as (keyof Measured)[];
    const row = kinds.map((kind) => `${kind} ${Math.round(median(quiet[kind]))} → ${Math.round(median(measured[kind]))} ms`);
    process.stdout.write(`${name}: ${row.join(', ')}\n`);
    for (const kind of kinds) expect([kind, median(measured[kind]) < BOUND_MS]).toEqual([kind, true]);
  }

  it('is not slowed by a number that hangs', async () => {
    // Stay below the deadline of a call, so that no circuit breaker opens.
    await control('rules', { match: { template: 'order_update' }, delay_ms: 12_000 });
    const update = { phone: '+1 202 555 0199', template_name: 'order_update', body_params: ['Asha', '1'] };
    const stop = repeat(300, () => crm.post('send-template', update));
    await expectUnaffected('hung number').finally(async () => {
      await control('rules');
      await stop();
    });
  }, 240_000);

  it('is not slowed by searches in many conversations', async () => {
    await manyConversations();
    const paths = ['conversations?q=', 'messages?q='].map((path) => `/api/client/${path}`);
    let n = 0;
    const stop = repeat(16, () => aggressor.call('GET', `${paths[(n += 1) % 2]}zz${n}`));
    await expectUnaffected('searches').finally(stop);
  }, 240_000);

  it('is not slowed by a flood of customers’ messages', async () => {
    const post = callbackPoster(stack, stack.growth);
    const flood = Array.from({ length: 16 }, (_, i) => post(inboundMessages(500, `flood.${i}`), stack.demo.app_secret));
    await Promise.all(flood.slice(0, 4));
    await expectUnaffected('inbound flood');
    expect(new Set(await Promise.all(flood))).toEqual(new Set([200]));
  }, 240_000);

  it('is not slowed by a language model that hangs', async () => {
    const settings = {
      enabled: true,
      instructions: 'Be kind.',
      base_url: `http://127.0.0.1:${silent.port}/v1`,
      api_key: 'sk-test',
      daily_limit: 10_000,
    };
    expect((await aggressor.call('PUT', '/api/client/auto-reply', settings)).status).toBe(200);
    await callbackPoster(stack, stack.growth)(inboundMessages(100, 'model'), stack.demo.app_secret);
    await expectUnaffected('hung model');
    const reply = await victim.reply();
    process.stdout.write(`hung model: reply ${Math.round(reply)} ms\n`);
    expect(reply).toBeLessThan(4 * BOUND_MS);
    await aggressor.call('PUT', '/api/client/auto-reply', { enabled: false });
  }, 240_000);

  it('is not slowed by webhooks whose receivers hang', async () => {
    for (let i = 0; i < 12; i++)
      await aggressor.call('POST', '/api/client/webhooks', {
        name: `hung ${i}`,
        // Each has its own host, so that the limit per host does not contain them.
        url: `http://127.0.1.${i + 1}:${silent.port}/`,
        events: ['message.received'],
      });
    await callbackPoster(stack, stack.growth)(inboundMessages(200, 'hooks'), stack.demo.app_secret);
    await expectUnaffected('hung webhooks');
  }, 240_000);

  it('is not slowed by forged callbacks', async () => {
    const post = callbackPoster(stack, stack.growth);
    const forged = { ...inboundMessages(1, 'forged'), padding: 'x'.repeat(1024 ** 2) };
    const stop = repeat(4, () => post(forged, 'a wrong secret'));
    await expectUnaffected('forged callbacks').finally(stop);
  }, 240_000);

  it('keeps every process alive and within the memory of its pod', () => {
    expect(stack.pids()).toEqual(before);
    const services = stack.processes().filter(({ probe_port, app }) => probe_port !== undefined && app !== 'platform-simulator');
    const tooLarge = services.map(({ name, pid }) => [name, memoryOf(pid).peakMb] as const).filter(([, peak]) => peak > MEMORY_MB);
    expect(tooLarge).toEqual([]);
  });

  /** Posts to the simulator's control plane, or deletes without a body. */
  async function control(path: string, body?: object): Promise<void> {
    const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${stack.demo.simulator_url}/__sim/${path}`, { method: body ? 'POST' : 'DELETE', ...sent });
    expect(response.status).toBe(200);
  }

  /** Inserts conversations by SQL, because customers would take hours. */
  async function manyConversations(): Promise<void> {
    const [{ port }] = stack.processes('PostgreSQL') as [StackProcess];
    const client = new Client({
      host: '127.0.0.1',
      port: port as number,
      user: 'send',
      password: stack.passwords.postgres['send'] as string,
      database: 'postgres',
    });
    await client.connect();
    await client.query(
      `INSERT INTO send.conversations (business_id, phone, name, last_inbound_at)
       SELECT $1, '1205' || lpad(n::text, 7, '0'), 'Customer ' || md5(n::text), now() FROM generate_series(1, ${CONVERSATIONS}) n`,
      [stack.growth.id],
    );
    await client.query('ANALYZE send.conversations');
    await client.end();
  }
});
