// One service process: started, watched, started again when it dies, stopped in time.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Deaths } from './deaths.mjs';

/** Megabytes that V8 takes before it collects; the same as in the images (Dockerfile), so that what is measured here is what runs there. */
const NODE_OPTIONS = '--max-semi-space-size=4 --max-old-space-size=256';

export class Supervised {
  #child;
  #ended;
  #stopping = false;
  #keepAlive = false;
  #deaths = new Deaths({ limit: 6, windowMs: 30_000 });
  #lastWords = '';

  constructor(options) {
    Object.assign(this, options);
  }

  get pid() {
    return this.#child?.pid;
  }

  /** Starts it and waits until it is ready. @throws Error when it ends or is not ready in time. */
  async start(timeoutMs = 30_000) {
    this.#spawn();
    const end = Date.now() + timeoutMs;
    while (Date.now() < end) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`${this.name} did not start: ${this.#lastWords}`);
      if (await this.#isReady()) return;
      await pause(50);
    }
    throw new Error(`${this.name} was not ready within ${timeoutMs / 1000} s: ${this.#lastWords}`);
  }

  keepAlive() {
    this.#keepAlive = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) void this.#revive();
  }

  /** Ends it and starts what is built now. @throws Error as start() does */
  async restart(graceMs) {
    this.#keepAlive = false;
    await this.stop(graceMs);
    this.#stopping = false;
    await this.start();
    this.keepAlive();
    this.onRestart();
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
    const answer = await fetch(`http://127.0.0.1:${this.probePort}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    return answer?.status === 200;
  }

  #spawn() {
    // A group of its own: Ctrl-C reaches only the supervisor, which stops things in order.
    const child = spawn(process.execPath, [this.file], {
      env: { NODE_OPTIONS, ...this.env, ...(this.heapMb && { NODE_OPTIONS: `${NODE_OPTIONS} --max-old-space-size=${this.heapMb}` }) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', (line) => this.#hear(line));
    this.#ended = new Promise((resolve) => {
      child.once('error', resolve);
      child.once('exit', resolve);
    });
    void this.#ended.then(() => this.#keepAlive && this.#revive());
  }

  #hear(line) {
    this.log.write(`${this.name} | ${line}\n`);
    const { level, msg, err } = parsed(line);
    if (!level || level === 'error' || level === 'fatal') this.#lastWords = err?.msg ? `${msg}: ${err.msg}` : (msg ?? line);
    if (this.verbose) console.log(`${this.name} | ${line}`);
    else if (level === 'fatal') console.error(`${this.name} | ${msg}${err?.msg ? `: ${err.msg}` : ''}`);
  }

  async #revive() {
    if (this.#stopping) return;
    const waitMs = this.#deaths.next();
    if (waitMs === null) return this.onGiveUp(`${this.name} keeps dying: ${this.#lastWords}`);
    this.say(`${this.name} ended (${this.#child.signalCode ?? this.#child.exitCode}), starting it again`);
    await pause(waitMs);
    if (this.#stopping) return;
    this.#spawn();
    this.onRestart();
  }
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return { msg: line };
  }
}

/** Runs a command of an app to its end. @throws Error with its last line when it fails. */
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
  // Node ends what it prints of an uncaught error with its own version.
  const lines = output.trim().split('\n');
  const last = lines.findLast((line) => /^\w*Error\b/.test(line)) ?? lines.pop() ?? '';
  const { msg, err } = parsed(last);
  throw new Error(`${name}: ${file.split('/').pop()} failed: ${err?.msg ? `${msg}: ${err.msg}` : (msg ?? last)}`);
}
