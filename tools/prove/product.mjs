// The product under test: `npm start` with replicas or in one process, its own folder and its own ports.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../servers/free-port.cjs';

const ROOT = join(import.meta.dirname, '../..');

export class Product {
  /** Ids of processes that a fault ended. */
  #ended = new Set();
  #seen = new Map();
  deaths = [];

  /** @param callbackUrl where the simulator posts callbacks @returns the running product */
  static async start({ replicas, standalone, callbackUrl }) {
    const product = new Product();
    const dir = mkdtempSync(join(tmpdir(), 'mgw-prove-'));
    chmodSync(dir, 0o755);
    mkdirSync(dir, { recursive: true });
    const env = {
      ...process.env,
      NODE_ENV: 'test',
      LOCAL_DIR: dir,
      GATEWAY_PORT: String(await freePort()),
      SIMULATOR_PORT: String(await freePort()),
      SIM_CALLBACK_URL: callbackUrl,
    };
    const args = ['--no-build', '--throwaway', ...(standalone ? ['--standalone'] : ['--replicas', String(replicas)])];
    // Ctrl-C reaches only this process, which stops the product in order.
    const child = spawn(process.execPath, [join(ROOT, 'tools/start/start.mjs'), ...args], { env, stdio: 'pipe', detached: true });
    Object.assign(product, { dir, child, standalone, output: '' });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (product.output += chunk));
    product.exited = new Promise((resolve) => child.once('exit', resolve));
    for (const end = Date.now() + 180_000; !product.output.includes('✓ Ready'); await pause(100))
      if (child.exitCode !== null || Date.now() > end) throw new Error(`the product did not start:\n${product.output}`);
    product.demo = JSON.parse(product.#read('demo.json'));
    product.secrets = JSON.parse(product.#read('secrets.json'));
    product.watch();
    return product;
  }

  #read(file) {
    return readFileSync(join(this.dir, file), 'utf8');
  }

  get running() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The running services and servers. */
  processes(app) {
    if (!existsSync(join(this.dir, 'processes.json'))) return [];
    return JSON.parse(this.#read('processes.json')).processes.filter((one) => app === undefined || one.app === app);
  }

  /** The processes that run this service. */
  processesOf(service) {
    return this.processes(this.standalone ? 'standalone' : service);
  }

  gateways() {
    return this.processesOf('gateway').map(({ port }) => `http://127.0.0.1:${port}`);
  }

  /** Sends a signal as a fault, so that its effect does not count as a death. */
  signal({ pid }, signal) {
    if (['SIGKILL', 'SIGTERM', 'SIGINT'].includes(signal)) this.#ended.add(pid);
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended already, and watch() counts that.
    }
  }

  /**
   * Compares process ids: a process that was replaced without a fault died by itself. After a kill, PostgreSQL needs several starts until
   * its last backend has ended.
   */
  watch() {
    for (const { name, pid, ready_ms } of this.processes()) {
      if (ready_ms === undefined) continue;
      const before = this.#seen.get(name);
      if (before !== undefined && before !== pid && !this.#ended.has(before))
        this.deaths.push({ name, pid: before, at: Date.now(), said: this.#lastWords(name) });
      this.#seen.set(name, pid);
    }
  }

  /** The fatal line and the exit code that `npm start` printed when a process ended last. */
  #lastWords(name) {
    const lines = this.output.split('\n').filter((line) => line.includes(`${name} |`) || line.includes(`${name} ended`));
    return lines.slice(-2).join('; ');
  }

  async isReady() {
    const probes = this.processes().filter(({ probe_port }) => probe_port !== undefined);
    const probe = ({ probe_port }) => fetch(`http://127.0.0.1:${probe_port}/readyz`, { signal: AbortSignal.timeout(2_000) });
    const responses = await Promise.all(
      probes.map((one) =>
        probe(one).then(
          ({ status }) => status,
          () => 0,
        ),
      ),
    );
    return responses.length > 0 && responses.every((status) => status === 200);
  }

  /** @returns the sum of a metric over all services */
  async metric(name) {
    const texts = await Promise.all(
      this.processes()
        .filter(({ probe_port }) => probe_port !== undefined)
        .map(({ probe_port }) =>
          fetch(`http://127.0.0.1:${probe_port}/metrics`).then(
            (response) => response.text(),
            () => '',
          ),
        ),
    );
    const values = texts.flatMap((text) => [...text.matchAll(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'gm'))]);
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }

  /** The services' log lines as objects. */
  log() {
    const previous = existsSync(join(this.dir, 'stack.log.1')) ? this.#read('stack.log.1') : '';
    return `${previous}${this.#read('stack.log')}`.split('\n').flatMap((line) => {
      const [name, json] = [line.slice(0, line.indexOf(' | ')), line.slice(line.indexOf(' | ') + 3)];
      try {
        return [{ ...JSON.parse(json), process: name }];
      } catch {
        return [];
      }
    });
  }

  /** Runs `work` on a connection of PostgreSQL's administrator. */
  async database(work) {
    const [{ port }] = this.processes('PostgreSQL');
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: 'gateway',
      password: this.#read('postgres.password').trim(),
      database: 'postgres',
    });
    client.on('error', () => undefined);
    await client.connect();
    return work((sql, values) => client.query(sql, values).then(({ rows }) => rows)).finally(() => client.end());
  }

  async stop() {
    this.child.kill('SIGTERM');
    await this.exited;
    rmSync(this.dir, { recursive: true, force: true });
  }
}
