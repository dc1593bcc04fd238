import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, spawnNode } from '@mgw/testing';
import { integrator, untilDone } from './people';
import { ROOT, START, startStack, type RunningStack, type StackProcess } from './stack';
import { runWithTool } from './tool-script';

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Metrics in the queries of alerts, the board and the chart's autoscalers, and the label matchers of these queries. */
function metricsInUse(): { names: string[]; matchers: { name: string; label: string; operator: string; value: string }[] } {
  const files = ['deploy/prometheus/alerts.yaml', 'deploy/grafana/overview.json', 'deploy/helm/messaging-gateway/values.yaml'];
  const text = files.map((file) => readFileSync(join(ROOT, file), 'utf8').replaceAll('\\"', '"')).join('\n');
  const names = [...text.matchAll(/\b(?:mgw|nodejs|process)_\w+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, ''));
  const matchers = [...text.matchAll(/\b(mgw_\w+)\{([^}]+)\}/g)].flatMap(([, name = '', selector = '']) =>
    [...selector.matchAll(/(\w+)(=~|!=|!~|=)"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => ({
      name,
      label,
      operator,
      value,
    })),
  );
  return { names, matchers };
}

describe('npm start (spec §13)', () => {
  const started: RunningStack[] = [];
  const start: typeof startStack = async (options) => {
    const stack = await startStack(options);
    started.push(stack);
    return stack;
  };
  let dir: string;
  let stack: RunningStack;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'mgw-keep-'));
    chmodSync(dir, 0o755);
    stack = await start({ dir });
  }, 150_000);
  afterAll(async () => {
    await Promise.all(started.map((one) => one.stop()));
    rmSync(dir, { recursive: true, force: true });
  });

  const send = ({ demo, growth }: RunningStack) =>
    integrator(demo.base_url, growth.api_key).post<{ message_id: string; error_code: string }>('send-template', {
      phone: '+1 201 555 0100',
      template_name: 'order_update',
      body_params: ['Asha', '1'],
    });

  it('serves /livez, /readyz and /metrics of every service on its own port', async () => {
    const services = stack.processes().filter(({ probe_port }) => probe_port !== undefined);
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
    expect((await integrator(stack.demo.base_url, stack.growth.api_key).get('health')).status).toBe(200);
    const exported = new Set<string>();
    let series = '';
    for (const { probe_port } of services) {
      for (const path of ['livez', 'readyz']) expect((await fetch(`http://127.0.0.1:${probe_port}/${path}`)).status).toBe(200);
      const metrics = await (await fetch(`http://127.0.0.1:${probe_port}/metrics`)).text();
      expect(metrics).toContain('process_cpu_seconds_total');
      for (const [, name = ''] of metrics.matchAll(/^# TYPE (\w+)/gm)) exported.add(name);
      series += metrics;
    }
    // Alerts, the board and the autoscalers use metrics that the running services export.
    const { names, matchers } = metricsInUse();
    expect(names.filter((name) => !exported.has(name))).toEqual([]);
    // A counter of events has no series before its first event. Gauges always have their series, with every label.
    const valuesOf = ({ name, label }: { name: string; label: string }) =>
      [...series.matchAll(new RegExp(`^${name}\\{(?:.*,)?${label}="([^"]*)"`, 'gm'))].map(([, value = '']) => value);
    const gauges = matchers.filter(({ name }) => /^mgw_(service|events_waiting|rate_limit)/.test(name));
    expect(gauges.length).toBeGreaterThan(10);
    expect(gauges.filter((matcher) => valuesOf(matcher).length === 0)).toEqual([]);
    const equal = gauges.filter(({ name, operator }) => name.startsWith('mgw_service') && operator === '=');
    expect(equal.filter((matcher) => !valuesOf(matcher).includes(matcher.value))).toEqual([]);
    const patterns = gauges.filter(({ operator }) => operator === '=~');
    const matches = ({ value }: { value: string }, actual: string) => new RegExp(`^(?:${value})$`).test(actual);
    expect(patterns.filter((matcher) => !valuesOf(matcher).some((actual) => matches(matcher, actual)))).toEqual([]);
    expect(series).toMatch(/^mgw_rate_limit_decisions_total\{by="redis",outcome="taken"\} [1-9]/m);
  });

  it('names the files of its data folder', () => {
    expect(stack.output()).toContain(`${join(dir, 'demo.json')}, the services' log in ${join(dir, 'stack.log')}`);
  });

  it.each(['PostgreSQL', 'NATS', 'Redis'])(
    'restarts a killed %s on its port with its data, and stops nothing else',
    async (name) => {
      const accepted = await eventually(async () => {
        const { status, body } = await send(stack);
        return status === 200 && body;
      });
      const before = stack.processes(name)[0] as StackProcess;
      const others = { ...stack.pids(), [name]: 0 };
      process.kill(before.pid, 'SIGKILL');
      await eventually(() => stack.output().includes(`▸ ${name} accepts connections again`));
      expect(stack.output()).toContain(`▸ ${name} ended (SIGKILL), starting it again with its data`);
      const after = stack.processes(name)[0] as StackProcess;
      expect([after.port, after.pid === before.pid]).toEqual([before.port, false]);
      await eventually(async () => (await send(stack)).status === 200, { timeoutMs: 60_000, everyMs: 200 });
      const status = () => integrator(stack.demo.base_url, stack.growth.api_key).get(`message-status/${accepted.message_id}`);
      // Each service finds the server again in its own time.
      expect((await untilDone(status)).status).toBe(200);
      expect({ ...stack.pids(), [name]: 0 }).toEqual(others);
    },
    150_000,
  );

  it('stops within 10 s on Ctrl-C, keeps the data, and stops even when npm is killed', async () => {
    // A restarted simulator does not know the demo's numbers: a send finds the connection broken, and the gateway remembers it.
    process.kill((stack.processes('platform-simulator')[0] as StackProcess).pid, 'SIGKILL');
    await eventually(async () => (await send(stack)).body.error_code === 'NOT_CONNECTED', { timeoutMs: 60_000, everyMs: 100 });
    const pids = Object.values(stack.pids());
    const stoppedAt = Date.now();
    const { pid: simulator } = stack.processes('platform-simulator')[0] as StackProcess;
    const services = ['gateway', 'send', 'broadcast', 'auto-reply'].flatMap((app) => stack.processes(app).map(({ pid }) => pid));
    const stopped = stack.stop('SIGINT');
    // WhatsApp responds until the last send has ended.
    await eventually(() => !isAlive(simulator), { everyMs: 5 });
    expect(services.filter(isAlive)).toEqual([]);
    expect(await stopped).toEqual({ code: 0, signal: null });
    expect(Date.now() - stoppedAt).toBeLessThan(10_000);
    expect(pids.filter(isAlive)).toEqual([]);

    // The same data and configuration, in one process (decision 501).
    const second = await start({ dir, throughNpm: true, standalone: true });
    expect(second.demo.businesses).toEqual(stack.demo.businesses);
    const { body } = await integrator(second.demo.base_url, stack.growth.api_key).get('health');
    expect(body['business']).toBe(stack.growth.name);
    expect((await send(second)).status).toBe(200);
    // A service has the chart's grace period: a send that WhatsApp accepts after 6 s outlives the stop.
    const rules = `${second.demo.simulator_url}/__sim/rules`;
    await fetch(rules, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ delay_ms: 6_000 }) });
    const slow = send(second);
    await eventually(async () => {
      const {
        rules: [rule],
      } = (await (await fetch(rules)).json()) as { rules: { seen: number }[] };
      return rule?.seen === 1;
    });
    const running = Object.values(second.pids());
    await second.stop('SIGKILL');
    expect((await slow).status).toBe(200);
    // The start removes the file last.
    await eventually(() => running.filter(isAlive).length === 0 && !existsSync(join(dir, 'processes.json')), { everyMs: 100 });
  }, 150_000);

  it('leaves nothing running when a start is interrupted, and ends what a killed start left', async () => {
    await stack.stop();
    const env = { LOCAL_DIR: dir, GATEWAY_PORT: String(await freePort()), SIMULATOR_PORT: String(await freePort()) };
    const interrupted = spawnNode(START, env, ['--no-build']);
    await interrupted.printed(/starting PostgreSQL/);
    expect(await interrupted.kill()).toEqual({ code: 0, signal: null });
    const { stdout: running } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    expect(running.split('\n').filter((line) => line.includes(dir))).toEqual([]);

    const killed = spawnNode(START, env, ['--no-build']);
    await killed.printed(/migrating/);
    const { processes } = JSON.parse(readFileSync(join(dir, 'processes.json'), 'utf8')) as { processes: StackProcess[] };
    // The servers come first; services may follow before this looks.
    const left = processes.slice(0, 3).map(({ pid }) => pid);
    await killed.kill('SIGKILL');
    expect(left.filter(isAlive)).toEqual(left);
    writeFileSync(join(dir, 'demo.json'), '{ "businesses": [');
    const next = await start({ dir, standalone: true });
    expect(left.filter(isAlive)).toEqual([]);
    expect(next.demo.businesses.map(({ id, name }) => [id, name])).toEqual(stack.demo.businesses.map(({ id, name }) => [id, name]));
    // The data of before the killed npm.
    expect((await integrator(next.demo.base_url, stack.growth.api_key).get('health')).status).toBe(200);
    expect((await send(next)).status).toBe(200);
    await next.stop();
  }, 150_000);

  it('npm run dev: rebuilds a changed source and restarts only its service', async () => {
    // Use another checkout, because other tests run from this one's build. Its path needs percent-encoding in a URL.
    const checkout = mkdtempSync(join(tmpdir(), 'mgw checkout é-'));
    const files = ['apps', 'libs', 'tools', 'deploy', 'docs', 'dist', '.nx', '.swcrc', 'nx.json', 'package.json', 'package-lock.json'];
    for (const file of [...files, 'tsconfig.base.json', 'tsconfig.json'])
      cpSync(join(ROOT, file), join(checkout, file), { recursive: true, preserveTimestamps: true });
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    const watched = await start({ args: ['--watch'], start: join(checkout, 'tools/start/start.mjs') });
    await eventually(() => watched.output().includes('watching'));
    const pid = (app: string) => watched.processes(app)[0]?.pid;
    const before = { autoReply: pid('auto-reply'), gateway: pid('gateway') };
    appendFileSync(join(checkout, 'apps/auto-reply/src/main.ts'), "process.stdout.write('changed by hand\\n');\n");
    await eventually(() => watched.output().includes('▸ ready'), { timeoutMs: 90_000 });
    await eventually(() => watched.log().includes('auto-reply | changed by hand'));
    expect(pid('auto-reply')).not.toBe(before.autoReply);
    expect(pid('gateway')).toBe(before.gateway);
    expect((await integrator(watched.demo.base_url, watched.growth.api_key).get('health')).status).toBe(200);
    await watched.stop();
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
  });

  it('restarts a process that keeps dying with growing pauses, then gives up', () => {
    const script = `const deaths = new Deaths({ limit: 7, windowMs: 10_000 });
      console.log(JSON.stringify([deaths.next(0), ...[20_000, 20_000, 20_001, 20_002, 20_003, 20_004, 20_005].map((at) => deaths.next(at))]));`;
    const { stdout } = runWithTool('tools/start/deaths.mjs', 'Deaths', script);
    expect(JSON.parse(stdout)).toEqual([50, 50, 500, 1_000, 2_000, 4_000, 4_000, null]);
  });
});
