// Starts PostgreSQL, NATS with JetStream and Redis, each on a loopback port with its data in a given folder.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { replaceFile } from '../start/replace-file.mjs';
import { findPostgres, findProgram } from './binaries.mjs';
import { freePort } from './free-port.cjs';
import { spawnServer, waitUntil } from './process.mjs';

const HOST = '127.0.0.1';

/** Sends bytes. @returns whether the response contains `expected`, or begins with it; with empty `send` the server writes first */
function responds(port, send, expected, { begins = false } = {}) {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => send && socket.write(send));
    socket.setTimeout(1_000, () => socket.destroy());
    socket.once('error', () => resolve(false)).once('close', () => resolve(false));
    socket.once('data', (data) => {
      const received = data.toString('latin1');
      resolve(begins ? received.startsWith(expected) : received.includes(expected));
      socket.destroy();
    });
  });
}

/** PostgreSQL refuses to run as root. Returns the account of its package, else `nobody`; null without root. */
function unprivilegedUser() {
  if (process.getuid?.() !== 0) return null;
  for (const user of ['postgres', 'nobody']) {
    const found = spawnSync('id', ['-u', user], { encoding: 'utf8' });
    if (found.status === 0) return { user, uid: Number(found.stdout), gid: Number(execFileSync('id', ['-g', user], { encoding: 'utf8' })) };
  }
  throw new Error('PostgreSQL cannot run as root and there is no other account to run it as: start this as an ordinary user');
}

/**
 * Returns the given folder, or one under /var/lib when the account cannot enter a parent such as /root. A file in that parent names it, so
 * that a stack whose folder was removed begins with empty data.
 */
function reachableFolder(wanted, account) {
  if (!account) return wanted;
  mkdirSync(dirname(wanted), { recursive: true });
  const reachable = spawnSync('test', ['-x', dirname(wanted)], { uid: account.uid, gid: account.gid }).status === 0;
  if (reachable) return wanted;
  const file = `${wanted}.folder`;
  if (!existsSync(file)) replaceFile(file, join('/var/lib/messaging-gateway', randomBytes(6).toString('hex'), 'postgres'));
  return readFileSync(file, 'utf8');
}

/** Settings for data that no crash needs to survive. Without autovacuum, plans do not change while a test runs. */
const THROWAWAY = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' };

/**
 * @param {{dir: string, durable?: boolean, port?: number, onSpawn?: (process: object, port: number) => void}} options `durable: false` is for
 * throwaway data. `onSpawn` gets the process before it accepts connections.
 * @returns {Promise<{url: string, port: number, dir: string, process: object, stop: () => Promise<void>}>}
 */
export async function startPostgres({ dir, durable = true, port, onSpawn }) {
  const account = unprivilegedUser();
  const data = reachableFolder(dir, account);
  const identity = account ? { uid: account.uid, gid: account.gid } : {};
  const environment = { PATH: process.env.PATH, LANG: 'C', TZ: 'UTC' };
  const passwordFile = join(dirname(data), 'postgres.password');
  if (!existsSync(join(data, 'PG_VERSION'))) {
    rmSync(data, { recursive: true, force: true });
    // Create the parents first: the account must be able to enter them.
    mkdirSync(dirname(data), { recursive: true, mode: 0o755 });
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(passwordFile, randomBytes(18).toString('base64url'), { mode: 0o600 });
    if (account) for (const path of [data, passwordFile]) chownSync(path, account.uid, account.gid);
    const args = [
      '-D',
      data,
      '-U',
      'gateway',
      // Tests open thousands of connections, and each takes milliseconds of hashing with the safer method.
      `--auth=${durable ? 'scram-sha-256' : 'md5'}`,
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      '--locale=C',
      ...(durable ? [] : ['--no-sync']),
    ];
    const made = spawnSync(findProgram('initdb'), args, { ...identity, env: environment, encoding: 'utf8', timeout: 60_000, cwd: '/' });
    if (made.status !== 0) throw new Error(`initdb failed: ${(made.stderr || made.error?.message || '').trim().split('\n').pop()}`);
    if (account) chownSync(passwordFile, 0, 0);
  }
  chmodSync(passwordFile, 0o600);
  const chosen = port ?? (await freePort());
  const settings = {
    listen_addresses: HOST,
    port: chosen,
    unix_socket_directories: '',
    max_connections: 400,
    shared_buffers: '128MB',
    max_wal_size: '2GB',
    timezone: 'UTC',
    ...(durable ? {} : THROWAWAY),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawnServer('PostgreSQL', findPostgres(data), ['-D', data, ...flags], {
    ...identity,
    env: environment,
    cwd: '/',
    stopSignal: 'SIGINT',
    graceMs: 8_000,
  });
  onSpawn?.(server, chosen);
  // A running server responds to SSLRequest with one letter. A starting one fails only after the start-up message.
  const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
  await waitUntil(server, async () => (await responds(chosen, sslRequest, 'N')) && accepts(chosen));
  const password = readFileSync(passwordFile, 'utf8').trim();
  return {
    url: `postgresql://gateway:${password}@${HOST}:${chosen}/postgres`,
    port: chosen,
    dir: data,
    process: server,
    stop: () => server.stop(),
  };
}

/** Whether the server responds to a start-up message with an authentication request ('R') instead of an error. */
function accepts(port) {
  const body = Buffer.from('user\0gateway\0database\0postgres\0\0', 'latin1');
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  return responds(port, Buffer.concat([head, body]), 'R', { begins: true });
}

/**
 * @param {{dir: string, port?: number, users?: string, environment?: Record<string, string>}} options The store in
 * `dir` survives restarts. `users` is the users' part of the configuration, `environment` its variables. Without it there is no access control.
 */
export async function startNats({ dir, port, users = '', environment = {}, onSpawn }) {
  const chosen = port ?? (await freePort());
  mkdirSync(dir, { recursive: true });
  const file = join(dir, 'nats.conf');
  // One message carries a platform callback of 3 MB as base64.
  writeFileSync(
    file,
    `listen: "${HOST}:${chosen}"\nmax_payload: 8MB\nmax_pending: 64MB\njetstream { store_dir: ${JSON.stringify(join(dir, 'store'))} }\n${users}`,
  );
  const server = spawnServer('NATS', findProgram('nats-server'), ['-c', file], { env: { ...process.env, ...environment } });
  onSpawn?.(server, chosen);
  await waitUntil(server, () => responds(chosen, '', '"jetstream":true'));
  return { url: `nats://${HOST}:${chosen}`, port: chosen, process: server, stop: () => server.stop() };
}

/** @param {{port?: number, usersFile?: string}} options Redis only counts requests, so nothing is stored. Without `usersFile` there is no access control. */
export async function startRedis({ port, usersFile, onSpawn } = {}) {
  const chosen = port ?? (await freePort());
  const args = [
    '--port',
    String(chosen),
    '--bind',
    HOST,
    '--save',
    '',
    '--appendonly',
    'no',
    '--daemonize',
    'no',
    '--dir',
    '/tmp',
    '--maxmemory',
    '256mb',
    '--maxmemory-policy',
    'volatile-lru',
    ...(usersFile ? ['--aclfile', usersFile] : []),
  ];
  const server = spawnServer('Redis', findProgram('redis-server'), args, { graceMs: 3_000 });
  onSpawn?.(server, chosen);
  await waitUntil(server, () => responds(chosen, 'PING\r\n', '+PONG'));
  return { url: `redis://${HOST}:${chosen}`, port: chosen, process: server, stop: () => server.stop() };
}
