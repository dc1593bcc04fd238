import { appendFileSync, chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { eventually, freePort, spawnNode, startReceiver } from '@mgw/testing';
import { dashboardUser, integrator } from './people';
import { ROOT, START, startStack, type RunningStack, type StackProcess } from './stack';

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Metrics and label selectors in the queries of alerts, the Grafana dashboard and the chart's autoscalers. */
function metricsSpokenOf(): { names: string[]; chosen: { name: string; label: string; operator: string; value: string }[] } {
  const files = ['deploy/prometheus/alerts.yaml', 'deploy/grafana/overview.json', 'deploy/helm/messaging-gateway/values.yaml'];
  const text = files.map((file) => readFileSync(join(ROOT, file), 'utf8').replaceAll('\\"', '"')).join('\n');
  const names = [...text.matchAll(/\b(?:mgw|nodejs|process)_\w+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, ''));
  const chosen = [...text.matchAll(/\b(mgw_\w+)\{([^}]+)\}/g)].flatMap(([, name = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)(=~|!=|!~|=)"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => ({
      name,
      label,
      operator,
      value,
    })),
  );
  return { names, chosen };
}

describe('npm start (spec §13)', () => {
  const started: RunningStack[] = [];
  const start: typeof startStack = async (options) => {
    const stack = await startStack(options);
    started.push(stack);
    return stack;
  };
  /** Shared by tests that leave no trace in it. */
  let shared: Promise<RunningStack> | undefined;
  afterAll(() => Promise.all(started.map((stack) => stack.stop())));

  it('serves /livez, /readyz and /metrics of every service on its own port, stops within 10 s on SIGTERM, and keeps the data', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'mgw-keep-'));
    chmodSync(dir, 0o755);
    const first = await start({ dir });
    const services = first.processes().filter(({ probe_port }) => probe_port !== undefined);
    expect(services.map(({ app }) => app).sort()).toEqual([
      'auto-reply',
      'broadcast',
      'gateway',
      'outbound-webhook-dispatcher',
      'platform-simulator',
      'platform-webhook-ingest',
      'send',
      'status',
      'template',
    ]);
    expect((await integrator(first.demo.base_url, first.growth.api_key).get('health')).status).toBe(200);
    const exported = new Set<string>();
    let series = '';
    for (const { probe_port } of services) {
      for (const path of ['livez', 'readyz']) expect((await fetch(`http://127.0.0.1:${probe_port}/${path}`)).status).toBe(200);
      const metrics = await (await fetch(`http://127.0.0.1:${probe_port}/metrics`)).text();
      expect(metrics).toContain('process_cpu_seconds_total');
      for (const [, name = ''] of metrics.matchAll(/^# TYPE (\w+)/gm)) exported.add(name);
      series += metrics;
    }
    // Alerts and dashboard may only query metrics that the running services export.
    const { names, chosen } = metricsSpokenOf();
    expect(names.filter((name) => !exported.has(name))).toEqual([]);
    // A counter has no series before its first event. Gauges always have one, and every series has its labels.
    const labelValues = ({ name, label }: { name: string; label: string }) =>
      [...series.matchAll(new RegExp(`^${name}\\{(?:.*,)?${label}="([^"]*)"`, 'gm'))].map(([, value = '']) => value);
    const always = chosen.filter(({ name }) => /^mgw_(service|events_waiting|rate_limit)/.test(name));
    expect(always.length).toBeGreaterThan(10);
    expect(always.filter((one) => labelValues(one).length === 0)).toEqual([]);
    const equal = always.filter(({ name, operator }) => name.startsWith('mgw_service') && operator === '=');
    expect(equal.filter((one) => !labelValues(one).includes(one.value))).toEqual([]);
    const like = always.filter(({ operator }) => operator === '=~');
    expect(like.filter((one) => !labelValues(one).some((value) => new RegExp(`^(?:${one.value})$`).test(value)))).toEqual([]);
    expect(series).toMatch(/^mgw_rate_limit_decisions_total\{by="redis",outcome="taken"\} [1-9]/m);
    // A restarted simulator does not know the demo's numbers, so sends report a connection problem, which is stored.
    const send = (stack: RunningStack) =>
      integrator(stack.demo.base_url, first.growth.api_key).post('send-template', {
        phone: '+1 201 555 0100',
        template_name: 'order_update',
        body_params: ['Asha', '1'],
      });
    process.kill((first.processes('platform-simulator')[0] as StackProcess).pid, 'SIGKILL');
    await eventually(async () => (await send(first)).body['error_code'] === 'NOT_CONNECTED', { timeoutMs: 20_000 });
    const pids = first.processes().map(({ pid }) => pid);
    const stoppedAt = Date.now();
    expect(await first.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(Date.now() - stoppedAt).toBeLessThan(10_000);
    expect(pids.filter(isAlive)).toEqual([]);

    const second = await start({ dir });
    expect(second.demo.businesses).toEqual(first.demo.businesses);
    const { body } = await integrator(second.demo.base_url, first.growth.api_key).get('health');
    expect(body['business']).toBe(first.growth.name);
    expect((await send(second)).status).toBe(200);
    // The shutdown time equals the chart's, so a send that WhatsApp answers after 6 s survives Ctrl-C.
    const rule = { delay_ms: 6_000 };
    await fetch(`${second.demo.simulator_url}/__sim/rules`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(rule),
    });
    const slow = send(second);
    await eventually(async () => {
      const rules = (await (await fetch(`${second.demo.simulator_url}/__sim/rules`)).json()) as { rules: { seen: number }[] };
      return rules.rules[0]?.seen === 1;
    });
    await Promise.all([second.stop('SIGINT'), slow]);
    expect((await slow).status).toBe(200);
    rmSync(dir, { recursive: true, force: true });
  }, 120_000);

  it('npm run dev: rebuilds a changed source and restarts only its service', async () => {
    // Use another checkout, because other tests run from this one's build.
    const checkout = mkdtempSync(join(tmpdir(), 'mgw-checkout-'));
    const files = ['apps', 'libs', 'tools', 'deploy', 'docs', 'dist', '.nx', '.swcrc', 'nx.json', 'package.json', 'package-lock.json'];
    for (const file of [...files, 'tsconfig.base.json', 'tsconfig.json'])
      cpSync(join(ROOT, file), join(checkout, file), { recursive: true, preserveTimestamps: true });
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    const stack = await start({ args: ['--watch'], start: join(checkout, 'tools/start/start.mjs') });
    await eventually(() => stack.output().includes('watching'));
    const pid = (app: string) => stack.processes(app)[0]?.pid;
    const before = { autoReply: pid('auto-reply'), gateway: pid('gateway') };
    appendFileSync(join(checkout, 'apps/auto-reply/src/main.ts'), "process.stdout.write('changed by hand\\n');\n");
    await eventually(() => stack.output().includes('▸ ready'), { timeoutMs: 90_000 });
    expect(stack.log()).toContain('auto-reply | changed by hand');
    expect(pid('auto-reply')).not.toBe(before.autoReply);
    expect(pid('gateway')).toBe(before.gateway);
    expect((await integrator(stack.demo.base_url, stack.growth.api_key).get('health')).status).toBe(200);
    await stack.stop();
    rmSync(checkout, { recursive: true, force: true });
  }, 180_000);

  it('platform §8: a restarted simulator uses other ids unless SIM_SEED is set', async () => {
    const begins = async (env: Record<string, string>) => {
      const port = await freePort();
      const simulator = spawnNode(join(ROOT, 'dist/apps/platform-simulator/src/main.js'), { SIMULATOR_PORT: String(port), ...env });
      await simulator.printed(/"msg":"ready"/);
      const { random } = (await (await fetch(`http://127.0.0.1:${port}/__sim/snapshot`)).json()) as { random: number };
      await simulator.kill();
      return random;
    };
    expect(await begins({})).not.toBe(await begins({}));
    expect(await begins({ SIM_SEED: '7' })).toBe(await begins({ SIM_SEED: '7' }));
  });

  it('reports a port in use in one line with the fix, and leaves nothing running', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => taken.listen(0, () => resolve((taken.address() as { port: number }).port)));
    const dir = mkdtempSync(join(tmpdir(), 'mgw-port-'));
    const env = { LOCAL_DIR: dir, GATEWAY_PORT: String(port), SIMULATOR_PORT: String(await freePort()) };
    const child = spawnNode(START, env, ['--no-build']);
    expect((await child.exited).code).toBe(1);
    expect(child.output()).toMatch(new RegExp(`✗ port ${port} is in use: .*GATEWAY_PORT`));
    taken.close();
    rmSync(dir, { recursive: true, force: true });
  }, 60_000);

  it.each(['PostgreSQL', 'NATS', 'Redis'])(
    'restarts a killed %s on its port with its data, and stops nothing else',
    async (name) => {
      const stack = await (shared ??= start());
      const crm = integrator(stack.demo.base_url, stack.growth.api_key);
      const send = () =>
        crm.post<{ message_id: string }>('send-template', {
          phone: '+1 201 555 0100',
          template_name: 'order_update',
          body_params: ['Asha', '1'],
        });
      const { message_id } = (await eventually(async () => {
        const { status, body } = await send();
        return status === 200 && body;
      })) as { message_id: string };
      const before = stack.processes(name)[0] as StackProcess;
      const others = { ...stack.pids(), [name]: 0 };
      process.kill(before.pid, 'SIGKILL');
      await eventually(() => stack.output().includes(`▸ ${name} accepts connections again`), { timeoutMs: 60_000 });
      expect(stack.output()).toContain(`▸ ${name} ended (SIGKILL), starting it again with its data`);
      const after = stack.processes(name)[0] as StackProcess;
      expect([after.port, after.pid === before.pid]).toEqual([before.port, false]);
      await eventually(async () => (await send()).status === 200, { timeoutMs: 60_000, everyMs: 200 });
      expect((await crm.get(`message-status/${encodeURIComponent(message_id)}`)).status).toBe(200);
      expect({ ...stack.pids(), [name]: 0 }).toEqual(others);
    },
    150_000,
  );

  it('restarts a process that keeps dying with growing pauses, then gives up', async () => {
    const file = pathToFileURL(join(ROOT, 'tools/start/deaths.mjs')).href;
    const script = `import { Deaths } from '${file}';
      const deaths = new Deaths({ limit: 7, windowMs: 10_000 });
      console.log(JSON.stringify([deaths.next(0), ...[20_000, 20_000, 20_001, 20_002, 20_003, 20_004, 20_005].map((at) => deaths.next(at))]));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(JSON.parse(stdout)).toEqual([50, 50, 500, 1_000, 2_000, 4_000, 4_000, null]);
  });

  it('shares the work of two replicas per service: every send once, every event once', async () => {
    const stack = await start({ replicas: 2 });
    const receiver = await startReceiver();
    expect(stack.processes('send')).toHaveLength(2);
    const owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    await owner.call('POST', '/api/client/webhooks', { name: 'w', url: receiver.url, events: ['message.sent'] });
    const crm = integrator(stack.demo.base_url, stack.growth.api_key);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        crm.post<{ message_id: string }>('send-template', {
          phone: `1202555${String(i).padStart(4, '0')}`,
          template_name: 'order_update',
          body_params: ['Asha', '7'],
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const ids = answers.map(({ body }) => body.message_id);
    const received = () => receiver.requests.map(({ body }) => (JSON.parse(body) as { data: { message_id: string } }).data.message_id);
    await eventually(() => ids.every((id) => received().includes(id)), { timeoutMs: 20_000 });
    expect(received()).toHaveLength(40);
    await receiver.close();
    await stack.stop();
  }, 120_000);
});
