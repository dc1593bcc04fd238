import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES as BEHIND_GATEWAY } from '@mgw/contracts';
import { eventually, freePort, spawnNode } from '@mgw/testing';
import type { Demo, DemoBusiness } from './demo';
import { withOwnBusinesses } from './own-businesses';
import { dashboardUser } from './people';

export type { Demo, DemoBusiness };

export interface StackProcess {
  app: string;
  name: string;
  pid: number;
  probe_port?: number;
  port?: number;
}

export interface RunningStack {
  demo: Demo;
  growth: DemoBusiness;
  starter: DemoBusiness;
  /** The output of `npm start` so far. */
  output(): string;
  /** The running processes, as `npm start` reports them. */
  processes(app?: string): StackProcess[];
  /** Process ids by name of service or server; a change means a restart. */
  pids(app?: string): Record<string, number>;
  /**
   * Waits until each service, or each replica of one, is ready.
   * @param killed process ids that must be gone first
   */
  ready(app?: string, killed?: number[]): Promise<void>;
  /** The logs of all services. */
  log(): string;
  /** The ring with which the services seal secrets. */
  sealingKeys: string;
  /** Credentials by service and server. */
  passwords: Record<'postgres' | 'nats' | 'redis', Record<string, string>>;
  /** @throws Error if a server refused a service's action, because its rights are too narrow */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Services that one process runs together in the standalone form. */
const SERVICES: readonly string[] = ['gateway', ...BEHIND_GATEWAY];

/** Permission errors of NATS, PostgreSQL and Redis. */
const REFUSED = /PERMISSIONS_VIOLATION|permission denied|must be owner|NOPERM/i;

export const ROOT = join(__dirname, '../..');
export const START = join(ROOT, 'tools/start/start.mjs');
const NPM = join(process.execPath, '../../lib/node_modules/npm/bin/npm-cli.js');

/** The demo, and its businesses that most specs use. */
function demoParts(demo: Demo): Pick<RunningStack, 'demo' | 'growth' | 'starter'> {
  const on = (plan: string) => demo.businesses.find((business) => business.plan === plan) as DemoBusiness;
  return { demo, growth: on('Growth'), starter: on('Starter') };
}

/** Runs `npm start` with the current build, on its own ports and folders. STANDALONE=1 runs a spec against one process for all services. */
export async function startStack({
  replicas = 1,
  standalone = process.env['STANDALONE'] === '1',
  heapMb,
  streamMaxBytes,
  env = {},
  args = [],
  dir: kept,
  start = START,
  throughNpm = false,
}: {
  replicas?: number;
  /** All services in one process. */ standalone?: boolean;
  /** Heap of each service in megabytes; by default that of the images. */ heapMb?: number;
  /** Size of each stream; by default 1 GiB. */ streamMaxBytes?: number;
  env?: Record<string, string>;
  args?: string[];
  /** A folder whose data survives the stop. */ dir?: string;
  /** The start script of another checkout. */ start?: string;
  /** Runs `npm start`, so that signals go to npm. */ throughNpm?: boolean;
} = {}): Promise<RunningStack> {
  const dir = kept ?? mkdtempSync(join(tmpdir(), 'mgw-stack-'));
  // PostgreSQL refuses to run as root, so the tests use another account then.
  chmodSync(dir, 0o755);
  const [gateway, simulator] = [await freePort(), await freePort()];
  const environment = {
    LOCAL_DIR: dir,
    GATEWAY_PORT: String(gateway),
    SIMULATOR_PORT: String(simulator),
    NODE_ENV: 'test',
    ...(streamMaxBytes !== undefined && { NATS_STREAM_MAX_BYTES: String(streamMaxBytes) }),
    ...env,
  };
  const heap = heapMb === undefined ? [] : ['--heap', String(heapMb)];
  const folder = ['--throwaway', ...(kept === undefined ? [] : ['--keep-folder'])];
  const flags = ['--no-build', ...folder, '--replicas', String(replicas), ...(standalone ? ['--standalone'] : []), ...heap, ...args];
  const [script, words] = throughNpm ? [NPM, ['start', '--', ...flags]] : [start, flags];
  const child = spawnNode(script, environment, words, { stopsItself: true });
  const removeData = () => kept === undefined && rmSync(dir, { recursive: true, force: true });
  await child.printed(/✓ Ready/, 120_000).catch(async (error: unknown) => {
    await child.kill();
    removeData();
    throw error;
  });
  const read = (file: string) => readFileSync(join(dir, file), 'utf8');
  const demo = JSON.parse(read('demo.json')) as Demo;
  const processes = (app?: string) => {
    const wanted = standalone && SERVICES.includes(app ?? '') ? 'standalone' : app;
    return (JSON.parse(read('processes.json')) as { processes: StackProcess[] }).processes.filter(
      (process) => wanted === undefined || process.app === wanted,
    );
  };
  const isReady = ({ probe_port }: StackProcess) =>
    probe_port === undefined || fetch(`http://127.0.0.1:${probe_port}/readyz`).then(({ status }) => status === 200);
  const secrets = JSON.parse(read('secrets.json')) as Pick<RunningStack, 'passwords'> & { sealing_keys: string };
  return {
    ...demoParts(demo),
    output: child.output,
    processes,
    pids: (app) => Object.fromEntries(processes(app).map(({ name, pid }) => [name, pid])),
    ready: async (app, killed = []) => {
      const areReady = async () => {
        const now = processes(app);
        return now.every(({ pid }) => !killed.includes(pid)) && (await Promise.all(now.map(isReady))).every(Boolean);
      };
      await eventually(areReady, { timeoutMs: 60_000, everyMs: 100 });
    },
    log: () => read('stack.log'),
    sealingKeys: secrets.sealing_keys,
    passwords: secrets.passwords,
    stop: async (signal = 'SIGTERM') => {
      const ended = await child.kill(signal);
      const refused = existsSync(join(dir, 'stack.log'))
        ? read('stack.log')
            .split('\n')
            .filter((line) => REFUSED.test(line))
        : [];
      removeData();
      if (refused.length > 0) throw new Error(`refused by a server:\n${refused.slice(0, 5).join('\n')}`);
      return ended;
    },
  };
}

/** A stack that several parts of one spec use, each with businesses of its own. The spec stops it. */
export type SharedStack = Omit<RunningStack, 'stop'>;

let shared: Promise<RunningStack> | undefined;

/** The first call starts the stack. @returns it with new businesses for the caller */
export async function sharedStack(): Promise<SharedStack> {
  shared ??= startWithoutGlobalLimit();
  const stack = await shared;
  return { ...stack, ...demoParts(await withOwnBusinesses(stack.demo)) };
}

export async function stopSharedStack(): Promise<void> {
  await (await shared)?.stop();
}

async function startWithoutGlobalLimit(): Promise<RunningStack> {
  const stack = await startStack();
  const operator = await dashboardUser(stack.demo.site_url, stack.demo.operator);
  await operator.call('PUT', '/api/admin/limits', { global_per_minute: 100_000 });
  return stack;
}
