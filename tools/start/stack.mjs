// Runs the whole product as processes on this machine. Starts servers, migrations, simulator and services in order, stops them in reverse.
import { createServer } from 'node:net';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressesOf, natsEnvironment } from '../access/credentials.mjs';
import { setUpRoles } from '../access/postgres.mjs';
import { redisUsers } from '../access/redis.mjs';
import { ensurePrograms } from '../servers/binaries.mjs';
import { freePort } from '../servers/free-port.cjs';
import { startNats, startPostgres, startRedis } from '../servers/servers.mjs';
import { LogFile } from './log-file.mjs';
import { OwnServer } from './own-server.mjs';
import { endLeftovers, removeProcesses, writeProcesses } from './processes-file.mjs';
import { loadSecrets } from './secrets.mjs';
import { runOnce, Supervised } from './supervised.mjs';

/** Services besides the gateway. */
const SERVICES = ['template', 'send', 'status', 'platform-webhook-ingest', 'outbound-webhook-dispatcher', 'broadcast', 'auto-reply'];
/** Grace period of a service after SIGTERM, equal to the chart's, so that stops behave as in production. */
const GRACE_MS = 45_000;
/** The simulator only writes its state. */
const SIMULATOR_GRACE_MS = 3_500;
/** Priority of the simulator: WhatsApp's servers do not slow down when this machine is busy. */
const SIMULATOR_NICE = -10;
/** A migration has ten minutes, and retries for eight of them to lock its table. */
const MIGRATE_WITHIN_MS = 660_000;
const graceOf = ({ app }) => (app === 'platform-simulator' ? SIMULATOR_GRACE_MS : GRACE_MS);
const MIGRATED = [...SERVICES, 'gateway'];
/** Options of Node.js for all services in one process, with sizes in megabytes; equal to those of the profile `small` in docker-compose.yml. */
const STANDALONE_OPTIONS = '--max-semi-space-size=24 --max-old-space-size=1376 --use-largepages=silent';
const NATS_USERS = new URL('../../deploy/nats/users.conf', import.meta.url);
/** The apps that a process runs. */
const appsOf = (app) => (app === 'standalone' ? [app, ...MIGRATED] : [app]);
const entry = (app) => `dist/apps/${app}/src/main.js`;

export class Stack {
  #servers = [];
  #processes = [];
  #stopping = false;
  /** Addresses of the servers that this script started; the environment has those of the user's own servers. */
  #own = {};

  /** @param options `standalone`: one process runs all services; `keepsSimulator`: the simulator keeps its state in the folder */
  constructor({ dir, say, verbose, replicas, standalone, heapMb, keepsSimulator, onDeath }) {
    Object.assign(this, { dir, say, verbose, replicas, standalone, heapMb, keepsSimulator, onDeath });
    this.gatewayPort = portFrom('GATEWAY_PORT', 8080);
    this.simulatorPort = portFrom('SIMULATOR_PORT', 8090);
    this.secrets = loadSecrets(dir);
    this.log = new LogFile(join(dir, 'stack.log'), say);
  }

  get siteUrl() {
    return `http://127.0.0.1:${this.gatewayPort}`;
  }

  get simulatorUrl() {
    return `http://127.0.0.1:${this.simulatorPort}`;
  }

  /** The administrator's address of PostgreSQL. */
  get databaseUrl() {
    return this.#own.postgres ?? process.env.DATABASE_URL;
  }

  async start() {
    await endLeftovers(this.dir);
    await assertFree(this.gatewayPort, 'GATEWAY_PORT');
    await assertFree(this.simulatorPort, 'SIMULATOR_PORT');
    await this.#startServers();
    this.say('migrating');
    await this.#migrate(MIGRATED);
    this.say('starting the services');
    await this.#startProcess('platform-simulator', { SIMULATOR_PORT: String(this.simulatorPort) });
    if (this.standalone) return this.#startProcess('standalone', this.#standaloneEnvironment(), 0, this.gatewayPort);
    await Promise.all(SERVICES.flatMap((app) => Array.from({ length: this.replicas }, (_, index) => this.#startProcess(app, {}, index))));
    await Promise.all(
      Array.from({ length: this.replicas }, async (_, index) => {
        const port = index === 0 ? this.gatewayPort : await freePort();
        return this.#startProcess('gateway', { GATEWAY_PORT: String(port), GATEWAY_REPLICAS: String(this.replicas) }, index, port);
      }),
    );
  }

  /** Restarts dead processes from now on. Before, a death fails the start. */
  superviseAll() {
    for (const process of [...this.#servers, ...this.#processes]) process.keepAlive();
    this.#writeProcesses();
  }

  /** Restarts these apps, or all, from the current build. @returns whether the simulator restarted, which may lose its accounts */
  async restart(apps) {
    const concerned = this.#processes.filter(({ app }) => apps === undefined || appsOf(app).some((one) => apps.has(one)));
    const names = new Set(concerned.flatMap(({ app }) => appsOf(app)));
    await this.#migrate(MIGRATED.filter((app) => names.has(app)));
    await Promise.all(concerned.map((process) => process.restart(graceOf(process))));
    return names.has('platform-simulator');
  }

  /** Runs a command of an app to its end, such as `create-operator` of the gateway. */
  command(app, args, env = {}) {
    return runOnce(app, entry(app), { ...this.#environmentOf(app), ...env }, args);
  }

  /** Writes the variables of each service that differ from those of the others, as docker compose does. */
  #standaloneEnvironment() {
    const dir = join(this.dir, 'access');
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    for (const app of MIGRATED) {
      const lines = Object.entries(addressesOf(app, this.#own, this.secrets.passwords)).map(([name, value]) => `${name}='${value}'`);
      writeFileSync(join(dir, `${app}.env`), `${lines.join('\n')}\n`, { mode: 0o600 });
    }
    return { GATEWAY_PORT: String(this.gatewayPort), ENV_FILE: join(dir, '{service}.env'), NODE_OPTIONS: STANDALONE_OPTIONS };
  }

  /** Stops the gateway first, then the services, then the simulator, whose responses their last sends need, then the servers. */
  async stop() {
    this.#stopping = true;
    const isEdge = ({ app }) => appsOf(app).includes('gateway');
    const edge = this.#processes.filter(isEdge);
    const simulator = this.#processes.filter(({ app }) => app === 'platform-simulator');
    const rest = this.#processes.filter((process) => !edge.includes(process) && !simulator.includes(process));
    for (const processes of [edge, rest, simulator]) await Promise.all(processes.map((process) => process.stop(graceOf(process))));
    await Promise.all(this.#servers.map((server) => server.stop()));
    removeProcesses(this.dir);
  }

  /** Kills everything at once. */
  kill() {
    for (const process of this.#processes) void process.stop(0);
  }

  async #startServers() {
    const { DATABASE_URL, NATS_URL, REDIS_URL } = process.env;
    const needed = [
      ...(DATABASE_URL ? [] : ['postgres', 'initdb']),
      ...(NATS_URL ? [] : ['nats-server']),
      ...(REDIS_URL ? [] : ['redis-server']),
    ];
    ensurePrograms(needed, this.say);
    if (needed.length > 0) this.say('starting PostgreSQL, NATS and Redis');
    const own = async (given, name, launch) => {
      if (given) return undefined;
      const server = new OwnServer({ name, launch, say: this.say, onGiveUp: this.onDeath, onChange: () => this.#writeProcesses() });
      this.#servers.push(server);
      await server.start();
      return server.url;
    };
    const { passwords } = this.secrets;
    const usersFile = join(this.dir, 'redis-users.acl');
    writeFileSync(usersFile, redisUsers(passwords.redis), { mode: 0o600 });
    const [postgres, nats, redis] = await Promise.all([
      own(DATABASE_URL, 'PostgreSQL', (options) => startPostgres({ ...options, dir: join(this.dir, 'postgres') })),
      own(NATS_URL, 'NATS', (options) =>
        startNats({
          ...options,
          dir: join(this.dir, 'nats'),
          users: readFileSync(NATS_USERS, 'utf8'),
          environment: natsEnvironment(passwords),
        }),
      ),
      own(REDIS_URL, 'Redis', (options) => startRedis({ ...options, usersFile })),
    ]);
    this.#own = { postgres, nats, redis };
    if (postgres) await setUpRoles(postgres, passwords.postgres);
  }

  async #migrate(apps) {
    if (apps.length === 0) return;
    const urls = Object.fromEntries(apps.map((app) => [app, this.#environmentOf(app).DATABASE_URL]));
    const env = { ...process.env, DATABASE_URLS: JSON.stringify(urls) };
    await runOnce('migrations', 'tools/start/migrate.mjs', env, [], MIGRATE_WITHIN_MS);
  }

  #environmentOf(app) {
    return {
      LOG_LEVEL: 'info',
      META_GRAPH_BASE_URL: this.simulatorUrl,
      SIM_CALLBACK_URL: `${this.siteUrl}/webhooks/whatsapp`,
      META_APP_SECRET: this.secrets.app_secret,
      SIM_VERIFY_TOKEN: this.secrets.verify_token,
      ...(this.keepsSimulator && { SIM_STATE_FILE: join(this.dir, 'simulator.json') }),
      SEALING_KEYS: this.secrets.sealing_keys,
      API_KEY_PEPPER: this.secrets.api_key_pepper,
      PUBLIC_URL: this.siteUrl,
      WEBHOOK_ALLOWED_TARGETS: '127.0.0.1,localhost',
      AUTO_REPLY_BASE_URL: `${this.simulatorUrl}/__model/v1`,
      ...process.env,
      ...addressesOf(app, this.#own, this.secrets.passwords),
      SERVICE_NAME: app,
    };
  }

  async #startProcess(app, env, index = 0, port = undefined) {
    const probePort = await freePort();
    if (this.#stopping) throw new Error('stopped during the start');
    const process = new Supervised({
      app,
      name: index === 0 ? app : `${app}-${index + 1}`,
      file: entry(app),
      env: { ...this.#environmentOf(app), ...env, PROBE_PORT: String(probePort) },
      ...(app === 'platform-simulator' ? { nice: SIMULATOR_NICE } : { heapMb: this.heapMb }),
      probePort,
      port,
      log: this.log,
      verbose: this.verbose,
      say: this.say,
      onGiveUp: this.onDeath,
      onChange: () => this.#writeProcesses(),
    });
    this.#processes.push(process);
    await process.start();
    this.#writeProcesses();
  }

  /** Lists the running processes for people and for tests that kill them. */
  #writeProcesses() {
    const running = this.#processes.filter(({ pid }) => pid);
    const processes = running.map(({ app, name, pid, startedAt, probePort, port, readyMs }) => ({
      app,
      name,
      pid,
      started_at: startedAt,
      probe_port: probePort,
      ready_ms: readyMs,
      ...(port && { port }),
    }));
    const servers = this.#servers
      .filter(({ pid }) => pid)
      .map(({ name, pid, startedAt, readyMs, port }) => ({ app: name, name, pid, started_at: startedAt, ready_ms: readyMs, port }));
    try {
      writeProcesses(this.dir, [...servers, ...processes]);
    } catch ({ message }) {
      // The stack runs on when the disk is full.
      this.say(`could not write processes.json (${message})`);
    }
  }
}

function portFrom(name, fallback) {
  const value = Number(process.env[name] || fallback);
  if (!Number.isInteger(value) || value < 1 || value > 65_535) throw new Error(`${name} must be a port number from 1 to 65535`);
  return value;
}

/** @throws Error with the fix if the port is in use */
function assertFree(port, variable) {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', () => reject(new Error(`port ${port} is in use: stop what uses it, or give another one with ${variable}`)));
    probe.listen(port, () => probe.close(resolve));
  });
}
