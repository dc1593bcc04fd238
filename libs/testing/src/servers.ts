import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool, type PoolClient } from 'pg';
import { eventually } from './eventually';
import { installedProgram } from './programs';

interface ServerUrls {
  postgres: { url: string; port: number; pid: number };
  nats: { url: string; port: number; pid: number };
  redis: { url: string; port: number; pid: number };
}

/** `npm start` uses the same one. */
export const { freePort } = createRequire(__filename)('../../../tools/servers/free-port.cjs') as {
  freePort(range?: { from: number; count: number }): Promise<number>;
};

const THROWAWAY = join(__dirname, '../../../tools/servers/throwaway.mjs');

/** Starts servers in a separate process. `stop`, or the death of this process, ends them and deletes their data. */
export async function startServers<N extends keyof ServerUrls>(
  ...names: N[]
): Promise<{ servers: Pick<ServerUrls, N>; stop(): Promise<void> }> {
  // A signal to the group of the tests must not reach the process before it has stopped the servers.
  const child = spawn(process.execPath, [THROWAWAY, ...names], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text);
    });
    void exited.then(() => reject(new Error('the test servers did not start: see the lines above')));
  });
  return {
    servers: JSON.parse(line) as Pick<ServerUrls, N>,
    stop: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

/** The address of the test run's PostgreSQL, which the global set-up starts. */
function fromRun(name: string): string {
  const url = process.env[name];
  if (!url) throw new Error(`${name} is not set: run the tests with jest's configuration of this project`);
  return url;
}

let admins: Pool | undefined;

/** Keeps its connection for the next test: opening one costs more than making a database. */
async function onTestPostgres<T>(use: (client: PoolClient) => Promise<T>): Promise<T> {
  admins ??= new Pool({ connectionString: fromRun('TEST_PG_URL'), idleTimeoutMillis: 5_000, allowExitOnIdle: true }).on(
    'error',
    () => undefined,
  );
  const client = await admins.connect();
  try {
    return await use(client);
  } finally {
    client.release();
  }
}

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A new database in the test run's PostgreSQL: empty, or a copy of the template. */
export async function testDatabase(template = 'template1'): Promise<TestDatabase> {
  const name = `t_${randomBytes(6).toString('hex')}`;
  await onTestPostgres((client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  const url = new URL(fromRun('TEST_PG_URL'));
  url.pathname = `/${name}`;
  return {
    url: url.toString(),
    drop: async () => void (await onTestPostgres((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))),
  };
}

const templates = new Map<string, Promise<string>>();

/**
 * Builds a database once for the whole test run.
 * @param key names the content; equal keys share the database
 * @returns its name, for `testDatabase`
 */
export function templateDatabase(key: string, build: (url: string) => Promise<unknown>): Promise<string> {
  const known = templates.get(key) ?? buildTemplate(key, build);
  templates.set(key, known);
  return known;
}

async function buildTemplate(key: string, build: (url: string) => Promise<unknown>): Promise<string> {
  const template = `template_${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
  await onTestPostgres(async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [template]);
    try {
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [template]);
      if (rowCount) return;
      const { url } = await testDatabase();
      await build(url);
      await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} RENAME TO ${template}`);
    } finally {
      await client.query('SELECT pg_advisory_unlock(hashtext($1))', [template]);
    }
  });
  return template;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

interface KillableServer {
  url: string;
  port: number;
  /** Kills it like a crash. */
  kill(): Promise<void>;
  /** Suspends it with its connections open. @returns a function that lets it go on */
  suspend(): () => void;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Its standard input ends with the test, however the test ends; a group of its own keeps Ctrl-C from it. */
const KEEPER = `folder=$1; shift; server=
while read -r line; do
  case $line in
    START) "$@" & server=$! ;;
    KILL) kill -9 $server; wait $server; server= ;;
    *) kill -"$line" $server ;;
  esac
done
[ -z "$server" ] || kill -9 $server; wait; rm -rf "$folder"`;

/** A server on its own port that a test may kill and restart. The end of the test kills it and deletes its folder. */
async function killable(
  port: number,
  folder: string,
  program: 'nats-server' | 'redis-server',
  args: string[],
): Promise<Omit<KillableServer, 'url'>> {
  const keeper = spawn('sh', ['-c', KEEPER, 'sh', folder, installedProgram(program), ...args], { detached: true });
  const ended = new Promise<void>((resolve) => keeper.once('exit', () => resolve()));
  let output = '';
  for (const stream of [keeper.stdout, keeper.stderr])
    stream.on('data', (chunk: Buffer) => (output = (output + String(chunk)).slice(-2_000)));
  const command = (line: string) => void keeper.stdin.write(`${line}\n`);
  const start = async () => {
    command('START');
    const listening = async () => {
      if (await isListening(port)) return true;
      throw new Error(`no server listens on ${port}. Its output: ${output}`);
    };
    await eventually(listening);
  };
  const kill = async () => {
    command('KILL');
    await eventually(async () => !(await isListening(port)));
  };
  const suspend = () => {
    command('STOP');
    return () => command('CONT');
  };
  const stop = async () => {
    keeper.stdin.end();
    await ended;
  };
  await start();
  return { port, kill, suspend, start, stop };
}

/** A separate nats-server with JetStream; a test may kill it, restart it and wipe its store. */
export async function testNats(): Promise<KillableServer & { storeDir: string; wipe(): void }> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'mgw-nats-'));
  const storeDir = join(dir, 'store');
  const file = join(dir, 'nats.conf');
  writeFileSync(file, `listen: "127.0.0.1:${port}"\nmax_payload: 8MB\njetstream { store_dir: ${JSON.stringify(storeDir)} }\n`);
  return {
    ...(await killable(port, dir, 'nats-server', ['-c', file])),
    url: `nats://127.0.0.1:${port}`,
    storeDir,
    /** Deletes the store; call it while the server is down. */
    wipe: () => rmSync(storeDir, { recursive: true, force: true }),
  };
}

/** A separate redis-server; a test may kill and restart it, and it starts empty. */
export async function testRedis(): Promise<KillableServer> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'mgw-redis-'));
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir];
  const server = await killable(port, dir, 'redis-server', args);
  return { ...server, url: `redis://127.0.0.1:${port}` };
}
