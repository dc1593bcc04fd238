// The faults of a run. Each resolves when its cause has ended, and does not wait for the product to recover.
import { readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { crashPointFaults } from './crash-points.mjs';
import { callbackFaults, platformFaults, receiverFaults } from './outside-faults.mjs';

const SERVICES = [
  'gateway',
  'send',
  'status',
  'template',
  'platform-webhook-ingest',
  'outbound-webhook-dispatcher',
  'broadcast',
  'auto-reply',
];
const SERVERS = { postgres: 'PostgreSQL', nats: 'NATS', redis: 'Redis' };

/**
 * @param options `standalone`: one process runs all services
 * @returns the faults by name; each is called with {product, platform, callbacks, receivers, random}
 */
export function faults({ standalone } = {}) {
  return {
    ...(standalone ? serviceFaults(['standalone'], 'standalone') : serviceFaults(SERVICES, 'send')),
    ...serverFaults(),
    ...platformFaults(),
    ...callbackFaults(),
    ...receiverFaults(),
    ...crashPointFaults(),
  };
}

/** @param often the one that is killed again before it has recovered */
function serviceFaults(apps, often) {
  const all = {};
  for (const app of apps) {
    all[`kill ${app}`] = async ({ product, random }) => product.signal(random.pick(product.processes(app)), 'SIGKILL');
    all[`stop ${app}`] = async ({ product, random }) => {
      const one = random.pick(product.processes(app));
      product.signal(one, 'SIGSTOP');
      await pause(random.between(1_000, 6_000));
      product.signal(one, 'SIGCONT');
    };
    all[`end ${app}`] = async ({ product, random }) => product.signal(random.pick(product.processes(app)), 'SIGTERM');
    all[`stop all of ${app}`] = async ({ product, random }) => {
      const stopped = product.processes(app);
      for (const one of stopped) product.signal(one, 'SIGSTOP');
      await pause(random.between(1_000, 6_000));
      await cutConnections(product);
      for (const one of stopped) product.signal(one, 'SIGCONT');
    };
    all[`kill all of ${app}`] = async ({ product }) => product.processes(app).forEach((one) => product.signal(one, 'SIGKILL'));
  }
  all[`kill one ${often} three times`] = async ({ product }) => {
    for (let times = 0; times < 3; times += 1) {
      product.signal(product.processes(often)[0], 'SIGKILL');
      await pause(2_500);
    }
  };
  return all;
}

const server = (product, name) => product.processes(SERVERS[name])[0];

/** PostgreSQL's backends are children of its first process. */
function withChildren(pid) {
  const parentOf = (one) => {
    try {
      return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/status`, 'utf8'))?.[1]);
    } catch {
      return 0;
    }
  };
  return [
    pid,
    ...readdirSync('/proc')
      .map(Number)
      .filter((one) => one > 0 && parentOf(one) === pid),
  ];
}

/** Terminates connections to the database. @param where chooses among them */
async function cutConnections(product, where = '') {
  const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;
  // PostgreSQL may still be recovering from the fault before this one.
  for (let tries = 1; ; tries += 1) {
    const failure = await product
      .database((query) => query(`${cut} ${where}`))
      .then(
        () => null,
        (error) => error,
      );
    if (failure === null) return;
    if (tries === 20) throw failure;
    await pause(500);
  }
}

function serverFaults() {
  const all = {};
  for (const name of Object.keys(SERVERS)) {
    all[`kill ${name}`] = async ({ product }) => product.signal(server(product, name), 'SIGKILL');
    all[`stop ${name}`] = async ({ product, random }) => {
      const pids = withChildren(server(product, name).pid);
      for (const pid of pids) product.signal({ pid }, 'SIGSTOP');
      await pause(random.between(1_000, 4_000));
      for (const pid of pids.reverse()) product.signal({ pid }, 'SIGCONT');
    };
  }
  all['wipe nats'] = async ({ product }) => {
    // Move the store while the server runs, because npm start restarts a dead server within milliseconds.
    const store = join(product.dir, 'nats/store');
    renameSync(store, `${store}.lost`);
    product.signal(server(product, 'nats'), 'SIGKILL');
    await pause(1_000);
    rmSync(`${store}.lost`, { recursive: true, force: true });
  };
  const terminate =
    (where) =>
    ({ product }) =>
      cutConnections(product, where);
  all['cut all database connections'] = terminate('');
  all['cut the busy database connections'] = terminate(`AND state <> 'idle'`);
  for (const user of ['send', 'dispatch', 'status', 'ingest'])
    all[`cut database connections of ${user}`] = terminate(`AND usename = '${user}'`);
  return all;
}
