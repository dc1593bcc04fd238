// The products that a benchmark compares: the one of this folder, and that of another commit.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { ensureDependencies, run } from '../setup/dependencies.mjs';
import { freePort } from '../servers/free-port.cjs';
import { benchAccount, benchOperator } from './account.mjs';

const KEYS = 8;
const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Builds the product of the current folder. */
export function build() {
  ensureDependencies();
  if (run('nx', ['run-many', '-t', 'build', '--outputStyle=static'], { quiet: true }) !== 0) throw new Error('the build failed');
}

/** Checks another commit out and builds it. @returns its folder, and how to delete it */
export function checkOut(commit) {
  const root = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'mgw-bench-commit-'));
  const git = (...args) => execFileSync('git', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  git('worktree', 'add', '--detach', folder, commit);
  const remove = () => {
    process.chdir(root);
    git('worktree', 'remove', '--force', folder);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const lock = (of) => readFileSync(join(of, 'package-lock.json'), 'utf8');
    if (lock(folder) === lock(root)) {
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      // A checkout is newer than the installed packages: npm ci would empty the linked folder.
      utimesSync(join(folder, 'package-lock.json'), 0, 0);
    }
    process.chdir(folder);
    build();
    process.chdir(root);
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A running product with an account, and what its processes use. */
export class Product {
  /** The measurements, by name. */
  results = {};

  /**
   * @param form `standalone`: all services in one process
   * @param pace messages of a broadcast in a second
   */
  static async start(name, folder, platformPort, { form = '', pace }) {
    const ports = { GATEWAY_PORT: String(await freePort()), SIMULATOR_PORT: String(await freePort()) };
    const env = {
      ...process.env,
      ...ports,
      META_GRAPH_BASE_URL: `http://127.0.0.1:${platformPort}`,
      BROADCAST_PER_SECOND: String(pace),
      LOG_LEVEL: 'warn',
      NODE_ENV: 'benchmark',
    };
    const child = spawn(process.execPath, [join(import.meta.dirname, 'serve.mjs'), folder, form], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const product = new Product();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    product.stop = () => (child.stdin.end(), ended);
    const died = ended.then((code) => Promise.reject(new Error(`the product of ${name} ended with ${code} before it was ready`)));
    const line = await Promise.race([new Promise((resolve) => createInterface(child.stdout).once('line', resolve)), died]);
    Object.assign(product, { name, startedAt: Date.now() }, JSON.parse(line));
    product.operator = await benchOperator(product);
    product.account = await benchAccount(product, product.operator, KEYS);
    return product;
  }

  /** CPU seconds so far, by process. */
  cpu() {
    return Object.fromEntries(this.processes.map(({ name, pid }) => [name, cpuOf(childrenOf(pid))]));
  }

  /** Connections to the database, except the one that counts them. */
  async connections() {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    const { rows } = await client.query("SELECT count(*)::int - 1 AS n FROM pg_stat_activity WHERE backend_type = 'client backend'");
    await client.end();
    return rows[0].n;
  }

  /** Resident megabytes of the Node processes. */
  memory() {
    return Object.fromEntries(
      this.processes.filter(({ probe_port }) => probe_port).map(({ name, pid }) => [name, Math.round(residentOf(pid))]),
    );
  }

  /** Resident megabytes of the services together, without the simulator. */
  servicesMemory() {
    return sum({ ...this.memory(), 'platform-simulator': 0 });
  }

  /** @returns the result of `act` and the CPU seconds that the product used meanwhile, by process */
  async counting(act) {
    const before = this.cpu();
    const result = await act();
    return { result, cpu: Object.fromEntries(Object.entries(this.cpu()).map(([name, seconds]) => [name, seconds - before[name]])) };
  }
}

/** Measures the products in turn in each round, so that a slow minute of the machine affects all of them. @returns each product's rounds */
export async function alternate(products, rounds, measure) {
  const measured = new Map(products.map((product) => [product, []]));
  for (let round = 0; round < rounds; round++) for (const product of products) measured.get(product).push(await measure(product));
  return measured;
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
export const sum = (values) => Object.values(values).reduce((total, value) => total + value, 0);

/** CPU seconds of a list of rounds for `count` pieces of work, by process, for 1,000 of them. */
export function cpuPerThousand(rounds, count) {
  const names = Object.keys(rounds[0].cpu);
  return Object.fromEntries(names.map((name) => [name, (sum(rounds.map(({ cpu }) => cpu[name])) / count) * 1_000]));
}

/** CPU seconds of processes. */
function cpuOf(pids) {
  return sum(
    pids.map((pid) => {
      if (!existsSync(`/proc/${pid}/stat`)) return 0;
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
      // The parent holds the time of children that have ended.
      return sum(fields.slice(11, 15).map(Number)) / TICKS;
    }),
  );
}

function residentOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

function childrenOf(pid) {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? [pid, ...readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number)] : [pid];
}
