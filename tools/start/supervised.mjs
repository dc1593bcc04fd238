// One service process: starts it, watches it, restarts it when it dies, and stops it.
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Deaths } from './deaths.mjs';

/** V8's heap limits in megabytes and its threads, equal to those of the images (Dockerfile), so that measurements hold there. */
const NODE_OPTIONS = '--max-semi-space-size=4 --max-old-space-size=256 --v8-pool-size=2';

export class Supervised {
  #child;
  #ended;
  #stopping = false;
  #keepAlive = false;
  #deaths = new Deaths({ limit: 6, windowMs: 30_000 });
  #lastError = '';

  constructor(options) {
    Object.assign(this, options);
  }

  get pid() {
    return this.#child?.pid;
  }

  /** Starts it and waits until it is ready. @throws Error if it ends or is not ready in time */
  async start(timeoutMs = 60_000) {
    this.#spawn();
    const begun = Date.now();
    const end = begun + timeoutMs;
    while (Date.now() < end) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`${this.name} did not start: ${this.#lastError}`);
      if (await this.#isReady()) return void (this.readyMs = Date.now() - begun);
      await pause(50);
    }
    throw new Error(`${this.name} was not ready within ${timeoutMs / 1000} s: ${this.#lastError}`);
  }

  keepAlive() {
    this.#keepAlive = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) void this.#revive();
  }

  /** Stops it and starts the current build. @throws Error as start() does */
  async restart(graceMs) {
    this.#keepAlive = false;
    await this.stop(graceMs);
    this.#stopping = false;
    await this.start();
    this.keepAlive();
  }

  async stop(graceMs) {
    this.#stopping = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await this.#ended;
    clearTimeout(timer);
  }

  async #isReady() {
    const response = await fetch(`http://127.0.0.1:${this.probePort}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    return response?.status === 200;
  }

  #spawn() {
    // Use a process group, so that Ctrl-C reaches only the supervisor, which stops processes in order.
    const child = spawn(process.execPath, [this.file], {
      env: { NODE_OPTIONS, ...this.env, ...(this.heapMb && { NODE_OPTIONS: `${NODE_OPTIONS} --max-old-space-size=${this.heapMb}` }) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    this.startedAt = Date.now();
    this.onChange();
    if (this.nice !== undefined && child.pid) prioritize(child.pid, this.nice);
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', (line) => this.#record(line));
    this.#ended = new Promise((resolve) => {
      child.once('error', resolve);
      child.once('exit', resolve);
    });
    void this.#ended.then(() => this.#keepAlive && this.#revive());
  }

  #record(line) {
    this.log.write(`${this.name} | ${line}\n`);
    const { level, msg, err } = parsed(line);
    if (!level || level === 'error' || level === 'fatal') this.#lastError = err?.msg ? `${msg}: ${err.msg}` : (msg ?? line);
    if (this.verbose) console.log(`${this.name} | ${line}`);
    else if (level === 'fatal') console.error(`${this.name} | ${msg}${err?.msg ? `: ${err.msg}` : ''}`);
  }

  async #revive() {
    if (this.#stopping) return;
    const waitMs = this.#deaths.next();
    if (waitMs === null) return this.onGiveUp(`${this.name} keeps dying: ${this.#lastError}`);
    this.say(`${this.name} ended (${this.#child.signalCode ?? this.#child.exitCode}), starting it again`);
    await pause(waitMs);
    if (this.#stopping) return;
    this.#spawn();
  }
}

/** Only root may give a higher priority. Without it, the process runs like the others. */
function prioritize(pid, nice) {
  try {
    setPriority(pid, nice);
  } catch (error) {
    if (error.code !== 'ERR_SYSTEM_ERROR') throw error;
  }
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return { msg: line };
  }
}

/** Runs a command of an app to its end. @throws Error with its last line if it fails, or with the fact that it took too long */
export async function runOnce(name, file, env, args = [], timeoutMs = 60_000) {
  const child = spawn(process.execPath, [file, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output = (output + chunk).slice(-4_000)));
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('exit', resolve);
  });
  if (code === 0) return output;
  const command = `${name}: ${file.split('/').pop()}`;
  if (child.killed) throw new Error(`${command} did not end within ${timeoutMs / 1_000} s, and was ended`);
  // Node prints its version after an uncaught error.
  const lines = output.trim().split('\n');
  const last = lines.findLast((line) => /^\w*Error\b/.test(line)) ?? lines.pop() ?? '';
  const { msg, err } = parsed(last);
  throw new Error(`${command} failed: ${err?.msg ? `${msg}: ${err.msg}` : (msg ?? last)}`);
}
