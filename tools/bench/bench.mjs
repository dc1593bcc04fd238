// npm run bench: compares the product with a bare skeleton on this machine in one run, with private ports and throwaway data.
//   --seconds N   per round (5)      --rounds N   per measurement (3)      --only sends|webhooks|growth (growth runs only with --only)
//   --history N   stored messages of the last weeks (0)
// Prints a table; the whole result is in .local/bench.json.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureDependencies, ensureNode, run } from '../setup/dependencies.mjs';
import { freePort } from '../servers/free-port.cjs';
import { startNats, startRedis } from '../servers/servers.mjs';
import { Stack } from '../start/stack.mjs';
import { benchAccount, benchOperator } from './account.mjs';
import { measureGrowth } from './growth.mjs';
import { fillHistory } from './history.mjs';
import { measureWebhooks } from './webhooks.mjs';

process.chdir(new URL('../..', import.meta.url).pathname);
const option = (name, fallback) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : fallback);
const SECONDS = Number(option('--seconds', 5));
const ROUNDS = Number(option('--rounds', 3));
const ONLY = option('--only', 'all');
const HISTORY = Number(option('--history', 0));
const children = [];
const servers = [];

function child(file, args, env = {}) {
  const process_ = spawn(process.execPath, [new URL(file, import.meta.url).pathname, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(process_);
  return new Promise((resolve, reject) => {
    process_.stdout.on('data', (chunk) => String(chunk).includes('ready') && resolve(process_));
    process_.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
}

function load(options) {
  return new Promise((resolve, reject) => {
    const generator = spawn(process.execPath, [new URL('load.mjs', import.meta.url).pathname, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    generator.stdout.on('data', (chunk) => (out += chunk));
    generator.once('exit', (code) => (code === 0 ? resolve(JSON.parse(out)) : reject(new Error(`the load generator ended with ${code}`))));
  });
}

const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
/** CPU seconds of a process and its children. */
function cpuOf(pids) {
  return pids.reduce((sum, pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
      return sum + (Number(fields[11]) + Number(fields[12])) / TICKS;
    } catch {
      return sum;
    }
  }, 0);
}
const residentOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
const childrenOf = (pid) => {
  try {
    return [pid, ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)];
  } catch {
    return [pid];
  }
};
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function main() {
  ensureNode();
  ensureDependencies(() => {});
  if (run('nx', ['run-many', '-t', 'build', '--outputStyle=static'], { quiet: true }) !== 0) throw new Error('the build failed');
  const dir = mkdtempSync(join(tmpdir(), 'mgw-bench-'));
  chmodSync(dir, 0o755);
  const [platformPort, skeletonPort, gatewayPort, simulatorPort] = [await freePort(), await freePort(), await freePort(), await freePort()];
  Object.assign(process.env, {
    META_GRAPH_BASE_URL: `http://127.0.0.1:${platformPort}`,
    GATEWAY_PORT: String(gatewayPort),
    SIMULATOR_PORT: String(simulatorPort),
    LOG_LEVEL: 'warn',
    NODE_ENV: 'benchmark',
  });
  await child('platform.mjs', [String(platformPort)]);
  const stack = new Stack({ dir, say: () => {}, verbose: false, replicas: 1, onDeath: (reason) => console.error(reason) });
  const stop = async () => {
    for (const process_ of children) process_.kill('SIGKILL');
    await Promise.all(servers.map((server) => server.stop()));
    await stack.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('SIGINT', () => void stop().then(() => process.exit(1)));
  try {
    await stack.start();
    const operator = await benchOperator(stack);
    const account = await benchAccount(stack, operator, 8);
    if (HISTORY > 0) await fillHistory(stack.databaseUrl, account, HISTORY);
    const { processes } = JSON.parse(readFileSync(join(dir, 'processes.json'), 'utf8'));
    const result = {
      at: new Date().toISOString(),
      node: process.version,
      cores: cpus().length,
      seconds: SECONDS,
      rounds: ROUNDS,
      history: HISTORY,
    };
    result.idleMegabytes = memory(processes);
    // Measure webhooks first, while only the product runs. The skeleton and the dead rows come with the sends.
    if (ONLY === 'all' || ONLY === 'webhooks')
      result.webhooks = await measureWebhooks({ stack, operator, account, rounds: ROUNDS, cpu: () => cpuByName(processes) });
    if (ONLY === 'all' || ONLY === 'sends')
      result.sends = await measureSends({ dir, stack, account, processes, platformPort, skeletonPort });
    if (ONLY === 'growth') {
      const cpu = () => cpuByName(processes);
      result.growth = await measureGrowth({ stack, operator, account, rounds: ROUNDS, seconds: SECONDS, cpu, load });
    }
    result.residentMegabytes = memory(processes);
    mkdirSync('.local', { recursive: true });
    writeFileSync('.local/bench.json', `${JSON.stringify(result, null, 2)}\n`);
    print(result);
  } finally {
    await stop();
  }
}

const cpuByName = (processes) => Object.fromEntries(processes.map(({ name, pid }) => [name, cpuOf(childrenOf(pid))]));

function memory(processes) {
  return Object.fromEntries(processes.filter(({ probe_port }) => probe_port).map(({ name, pid }) => [name, Math.round(residentOf(pid))]));
}

async function measureSends({ dir, stack, account, processes, platformPort, skeletonPort }) {
  // The skeleton has no user on the product's NATS and Redis.
  const [nats, redis] = await Promise.all([startNats({ dir: join(dir, 'skeleton') }), startRedis()]);
  servers.push(nats, redis);
  const env = {
    DATABASE_URL: stack.databaseUrl,
    NATS_URL: nats.url,
    REDIS_URL: redis.url,
    PORT: String(skeletonPort),
    PLATFORM_URL: `http://127.0.0.1:${platformPort}`,
  };
  await child('skeleton-send.mjs', [], env);
  await child('skeleton-gateway.mjs', [], env);
  const product = (kind, connections) => ({
    origin: stack.siteUrl,
    path: `/api/v1/send-${kind}`,
    keys: account.keys,
    connections,
    seconds: SECONDS,
    kind,
  });
  const skeleton = (connections) => ({
    origin: `http://127.0.0.1:${skeletonPort}`,
    path: '/send',
    keys: ['bench'],
    connections,
    seconds: SECONDS,
    kind: 'template',
  });
  // Warm up until V8 has compiled the hot code.
  await load({ ...skeleton(32), seconds: 6 });
  await load({ ...product('template', 32), seconds: 20 });
  const compared = {};
  for (const connections of [32, 64]) {
    const rounds = { product: [], skeleton: [] };
    const cpu = {};
    for (let round = 0; round < ROUNDS; round++) {
      rounds.skeleton.push(await load(skeleton(connections)));
      await pause(1_000);
      const before = cpuByName(processes);
      rounds.product.push(await load(product('template', connections)));
      // Count the work that follows a send too.
      await pause(1_000);
      for (const [name, seconds] of Object.entries(cpuByName(processes))) cpu[name] = (cpu[name] ?? 0) + seconds - before[name];
    }
    const sent = rounds.product.reduce((sum, { sent }) => sum + sent, 0);
    const of = (which, what) => median(rounds[which].map((round) => round[what]));
    compared[connections] = {
      perSecond: of('product', 'perSecond'),
      p50: of('product', 'p50'),
      p99: of('product', 'p99'),
      skeletonPerSecond: of('skeleton', 'perSecond'),
      ratio: median(rounds.product.map(({ perSecond }, i) => perSecond / rounds.skeleton[i].perSecond)),
      statuses: rounds.product.map(({ statuses }) => statuses),
      cpuSecondsPerThousand: Object.fromEntries(Object.entries(cpu).map(([name, seconds]) => [name, (seconds / sent) * 1_000])),
    };
  }
  await account.openWindows(1_000);
  const kinds = {};
  for (const kind of ['template', 'text', 'media', 'otp'])
    for (const connections of [1, 16]) {
      const { perSecond, p50, p99, statuses } = await load({ ...product(kind, connections), seconds: Math.min(SECONDS, 3) });
      kinds[`${kind} × ${connections}`] = { perSecond, p50, p99, statuses };
    }
  return { compared, kinds };
}

function print({ sends, webhooks, growth, residentMegabytes, cores, node, history }) {
  const figure = (value, unit = '') =>
    value === null || value === undefined ? '–' : `${value >= 100 ? Math.round(value) : value.toFixed(2)}${unit}`;
  const rows = [];
  for (const [connections, c] of Object.entries(sends?.compared ?? {}))
    rows.push([
      `send-template × ${connections}`,
      `${figure(c.perSecond)}/s`,
      `p50 ${figure(c.p50, ' ms')}`,
      `p99 ${figure(c.p99, ' ms')}`,
      `skeleton ${figure(c.skeletonPerSecond)}/s, ratio ${figure(c.ratio)}`,
    ]);
  for (const [name, k] of Object.entries(sends?.kinds ?? {}))
    rows.push([name, `${figure(k.perSecond)}/s`, `p50 ${figure(k.p50, ' ms')}`, `p99 ${figure(k.p99, ' ms')}`, JSON.stringify(k.statuses)]);
  for (const [name, w] of Object.entries({ ...webhooks, ...growth }))
    rows.push([
      name,
      w.perSecond ? `${figure(w.perSecond)}/s` : '',
      w.p50 ? `p50 ${figure(w.p50, ' ms')}` : '',
      w.p99 ? `p99 ${figure(w.p99, ' ms')}` : '',
      w.note ?? '',
    ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => row[column].length)));
  console.log(`\n${cores} cores, Node ${node}; medians; servers, product and load on the same machine; ${history} earlier messages\n`);
  for (const row of rows) console.log(row.map((cell, i) => (i < 4 ? cell.padEnd(widths[i]) : cell)).join('   '));
  for (const [title, cpu] of [
    ['1,000 sends (64 connections), and what follows from them', sends?.compared['64']?.cpuSecondsPerThousand],
    ["1,000 customers' messages (200/s), to the customer's webhook", webhooks?.['webhook → webhook, 200/s'].cpuSecondsPerThousand],
  ]) {
    if (!cpu) continue;
    console.log(`\nCPU seconds for ${title}:`);
    for (const [name, seconds] of Object.entries(cpu).sort((a, b) => b[1] - a[1]))
      console.log(`  ${name.padEnd(28)} ${seconds.toFixed(3)}`);
  }
  console.log('\nResident megabytes after the run:');
  for (const [name, megabytes] of Object.entries(residentMegabytes)) console.log(`  ${name.padEnd(28)} ${megabytes}`);
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
