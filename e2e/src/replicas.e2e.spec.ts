import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { eventually, startReceiver } from '@mgw/testing';
import { dashboardUser, integrator, logIn, untilDone, type ApiResponse, type DashboardUser } from './people';
import { startStack, type RunningStack, type StackProcess } from './stack';

interface PlatformCall {
  method: string;
  path: string;
  body: { to?: string };
}

/** With two replicas of each service, limits are exact, nothing is sent twice, and a rolling restart loses nothing. */
describe('two replicas of each service', () => {
  let stack: RunningStack;
  let owner: DashboardUser;
  let operator: DashboardUser;
  let sites: string[];

  beforeAll(async () => {
    stack = await startStack({ replicas: 2 });
    owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    operator = await dashboardUser(stack.demo.site_url, stack.demo.operator);
    await operator.call('PUT', '/api/admin/limits', { global_per_minute: 100_000 });
    sites = stack.processes('gateway').map(({ port }) => `http://127.0.0.1:${port}`);
    expect(sites).toHaveLength(2);
  }, 180_000);
  afterAll(() => stack?.stop());

  async function newKey(limits: { per_minute_limit?: number; daily_limit?: number }): Promise<string> {
    const { body } = await owner.call<{ id: number; key: string }>('POST', '/api/client/api-keys', { name: 'Test', permissions: ['*'] });
    const all = { per_minute_limit: 100_000, daily_limit: 100_000, ...limits };
    expect(await operator.call('PATCH', `/api/admin/api-keys/${body.id}`, all)).toMatchObject({ status: 200 });
    return body.key;
  }
  const via = (key: string, n: number) => integrator(`${sites[n % 2]}/api/v1`, key);
  const template = (phone: string) => ({ phone, template_name: 'order_update', body_params: ['Asha', '1'] });
  /** Sends one template to each of the given number of phones at once. */
  const sendTo = (prefix: string, many: number, key: string) =>
    Promise.all(
      Array.from({ length: many }, (_, n) => {
        const phone = `${prefix}${String(n).padStart(4, '0')}`;
        return untilDone(() => via(key, n).post<{ message_id: string }>('send-template', template(phone), { 'idempotency-key': phone }));
      }),
    );
  const callsTo = async (prefix: string) => {
    const response = await fetch(`${stack.demo.simulator_url}/__sim/requests?limit=20000`);
    const { requests } = (await response.json()) as { requests: PlatformCall[] };
    return requests.filter(({ method, path, body }) => method === 'POST' && path.endsWith('/messages') && body.to?.startsWith(`+${prefix}`))
      .length;
  };
  const count = (responses: ApiResponse<unknown>[], status: number) => responses.filter((response) => response.status === status).length;

  it('spec §8: sends exactly the daily cap of 100 concurrent sends', async () => {
    const key = await newKey({ daily_limit: 40 });
    const responses = await sendTo('1202557', 100, key);
    expect([count(responses, 200), count(responses, 429), await callsTo('1202557')]).toEqual([40, 60, 40]);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ success: false, daily_limit: 40, daily_used: 40, plan: 'Growth', retry_after: 'midnight' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('sends every message once and delivers every event once', async () => {
    const receiver = await startReceiver();
    try {
      const key = await newKey({});
      const webhook = { name: 'w', url: receiver.url, events: ['message.sent'] };
      const { body } = await owner.call<{ id: number }>('POST', '/api/client/webhooks', webhook);
      const responses = await sendTo('1202555', 40, key);
      expect([responses.filter(({ status }) => status === 200).length, await callsTo('1202555')]).toEqual([40, 40]);
      const received = () => receiver.requests.map(({ body }) => (JSON.parse(body) as { data: { message_id: string } }).data.message_id);
      const ids = responses.map(({ body }) => body.message_id);
      await eventually(() => ids.every((id) => received().includes(id)), { everyMs: 100 });
      expect(received().filter((id) => ids.includes(id))).toHaveLength(40);
      await owner.call('DELETE', `/api/client/webhooks/${body.id}`);
    } finally {
      await receiver.close();
    }
  });

  it('spec §8: accepts exactly the per-minute limit of 100 concurrent requests', async () => {
    const key = await newKey({ per_minute_limit: 30 });
    const responses = await Promise.all(Array.from({ length: 100 }, (_, n) => via(key, n).get('health')));
    expect([count(responses, 200), count(responses, 429)]).toEqual([30, 70]);
    const refused = responses.find(({ status }) => status === 429);
    expect(Object.keys(refused?.body ?? {}).sort()).toEqual(['error', 'retry_after_seconds']);
  });

  it('guarantees §1, S5: a refused send uses no cap', async () => {
    const key = await newKey({ daily_limit: 1 });
    const send = (phone: string) => via(key, 0).post('send-template', template(phone));
    expect((await send('+1 201 555 0130')).status).toBe(400);
    expect((await send('+1 201 555 0100')).status).toBe(200);
    expect((await send('+1 201 555 0100')).status).toBe(429);
  });

  it('decision 24: 50 identical concurrent requests send once, and a repeat returns the same result', async () => {
    const key = await newKey({});
    const same = (n: number) =>
      via(key, n).post('send-otp', { phone: '12025580001', template_name: 'login_code' }, { 'idempotency-key': 'one' });
    const responses = await Promise.all(Array.from({ length: 50 }, (_, n) => same(n)));
    expect(await callsTo('12025580001')).toBe(1);
    const accepted = responses.filter(({ status }) => status === 200);
    expect(accepted.length).toBeGreaterThan(0);
    expect(responses.filter(({ status }) => status !== 200).every(({ body }) => body['error_code'] === 'IDEMPOTENCY_IN_FLIGHT')).toBe(true);
    const again = await same(1);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    for (const { body } of accepted) expect([body['message_id'], body['otp']]).toEqual([again.body['message_id'], again.body['otp']]);
  });

  it('guarantees §7: an emptied Redis causes no error and keeps the daily cap', async () => {
    const key = await newKey({ daily_limit: 1 });
    expect((await via(key, 0).post('send-template', template('+1 201 555 0100'))).status).toBe(200);
    const redis = new Redis({
      port: stack.processes('Redis')[0]?.port as number,
      username: 'admin',
      password: stack.passwords.redis['admin'],
    });
    expect(await redis.flushall()).toBe('OK');
    redis.disconnect();
    expect((await via(key, 1).get('health')).status).toBe(200);
    expect((await via(key, 1).post('send-template', template('+1 201 555 0100'))).body).toMatchObject({
      error_code: 'DAILY_LIMIT_REACHED',
    });
  });

  it('decision 21: applies an operator’s change everywhere soon', async () => {
    const { body } = await owner.call<{ id: number; key: string }>('POST', '/api/client/api-keys', { name: 'Test', permissions: ['*'] });
    const limitAt = async (n: number) => (await via(body.key, n).get('health')).headers.get('ratelimit-limit');
    expect([await limitAt(0), await limitAt(1)]).toEqual(['60', '60']);
    await operator.call('PATCH', `/api/admin/api-keys/${body.id}`, { per_minute_limit: 77 });
    await eventually(async () => (await limitAt(0)) === '77' && (await limitAt(1)) === '77', { everyMs: 200 });
  });

  const isReady = async ({ probe_port }: StackProcess) =>
    (await fetch(`http://127.0.0.1:${probe_port}/readyz`).catch(() => null))?.status === 200;
  const isReplaced = (old: StackProcess) =>
    eventually(
      async () => {
        const now = stack.processes().find((one) => one.name === old.name);
        return now !== undefined && now.pid !== old.pid && (await isReady(now));
      },
      { timeoutMs: 60_000, everyMs: 100 },
    );
  const running = async ({ probe_port }: StackProcess) => {
    const metrics = await (await fetch(`http://127.0.0.1:${probe_port}/metrics`)).text();
    return Number(/^mgw_rpc_running(?:{.*})? (\d+)$/m.exec(metrics)?.[1]);
  };

  it('guarantees §8: finishes a send that WhatsApp accepts after 9 s despite SIGTERM, and ends the live tail', async () => {
    const key = await newKey({});
    const slow = { match: { to: '12025560001' }, delay_ms: 9_000 };
    await fetch(`${stack.demo.simulator_url}/__sim/rules`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(slow),
    });
    const responses = [0, 1].map((n) => via(key, n).post('send-template', template(slow.match.to)));
    await eventually(async () => (await Promise.all(stack.processes('send').map(running))).reduce((sum, one) => sum + one) === 2);
    const carriers = [...stack.processes('gateway'), ...stack.processes('send')];
    const cookie = await logIn(stack.demo.site_url, stack.growth.owner);
    const streams = () => Promise.all(sites.map((site) => fetch(`${site}/api/client/events/stream`, { headers: { cookie } })));
    const early = await streams();
    for (const { pid } of carriers) process.kill(pid, 'SIGTERM');
    await eventually(async () => (await Promise.all(carriers.map(isReady))).every((ready) => !ready));
    // A gateway that is not ready still serves clients that do not know yet.
    const late = await streams().catch(() => []);
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200]);
    await Promise.all([...carriers.map(isReplaced), ...[...early, ...late].map((stream) => stream.text())]);
  });

  it('guarantees §8: no request fails at 20 requests/s while every process gets SIGTERM, two at a time', async () => {
    const key = await newKey({});
    const failures: unknown[] = [];
    let sent = 0;
    let stopped = false;
    // Like a load balancer, send no requests to a gateway that is not ready.
    const ready = new Map<string, boolean>();
    const watch = setInterval(() => {
      for (const { probe_port, port } of stack.processes('gateway'))
        void fetch(`http://127.0.0.1:${probe_port}/readyz`).then(
          ({ status }) => ready.set(`http://127.0.0.1:${port}`, status === 200),
          () => ready.set(`http://127.0.0.1:${port}`, false),
        );
    }, 100);
    const request = async (n: number) => {
      const open = sites.filter((site) => ready.get(site) !== false);
      const site = open[n % open.length] ?? sites[0];
      const response = await integrator(`${site}/api/v1`, key).post('send-template', template(`1202559${String(n).padStart(4, '0')}`));
      if (response.status !== 200) failures.push([response.status, response.body]);
    };
    const load = (async () => {
      const under: Promise<void>[] = [];
      for (let n = 0; !stopped; n += 1) {
        sent += 1;
        under.push(request(n).catch((error: unknown) => void failures.push(String((error as { cause?: unknown }).cause ?? error))));
        await pause(50);
      }
      await Promise.all(under);
    })();
    const services = stack.processes().filter(({ probe_port, app }) => probe_port !== undefined && app !== 'platform-simulator');
    // Two at a time, of different services: the first replica of one and the second of the next.
    const apps = [...new Set(services.map(({ app }) => app))];
    const replicas = apps.map((app) => services.filter((service) => service.app === app));
    for (const [n, [first]] of replicas.entries()) {
      const both = [first, replicas[(n + 1) % replicas.length]?.[1]] as [StackProcess, StackProcess];
      for (const { pid } of both) process.kill(pid, 'SIGTERM');
      await Promise.all(both.map(isReplaced));
    }
    stopped = true;
    await load;
    clearInterval(watch);
    expect(failures).toEqual([]);
    expect(await callsTo('1202559')).toBe(sent);
  }, 180_000);
});
