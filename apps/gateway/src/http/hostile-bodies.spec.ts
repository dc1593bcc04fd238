import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { CheckBroadcast, GetConnection } from '@mgw/contracts';
import { startHarness, type Harness } from '@mgw/harness';
import { eventually, freePort, runToEnd, spawnNode, type NodeChild } from '@mgw/testing';
import { DAILY_LIMIT } from '../../test/neighbours.fixture';
import { service } from '../main';

const CHECK = '/api/client/broadcasts/check';
const MEGABYTE = 1024 * 1024;
/** The image gives the process 256 MB of heap; with half of it the tests must pass. */
const HEAP = '--max-semi-space-size=4 --max-old-space-size=128';
const SETTINGS = { PROBE_PORT: '0', REDIS_URL: 'redis://127.0.0.1:1', API_KEY_PEPPER: 'pepper' };
const MAX_RESIDENT = 400 * MEGABYTE;

/** Opens 100 connections, sends 4 MB of a body but its last byte on each, and ends when all are closed. */
const WITHHOLDS = `
  const [port, head] = process.argv.slice(1);
  const body = head + 'x'.repeat(${4 * MEGABYTE - 1});
  for (let i = 0; i < 100; i++) {
    const socket = require('node:net').connect({ port, host: '127.0.0.1' }, () => socket.write(body));
    socket.on('error', () => undefined).resume();
  }`;

const filled = (head: string, part: string, tail: string, bytes: number) =>
  head + part.repeat(Math.floor((bytes - head.length - tail.length) / part.length)) + tail;
/** Bodies of the largest size whose parsed values take far more memory than their bytes. */
const BODIES: [name: string, body: string][] = [
  ['an array of 2.6 million zeros', `[${'0,'.repeat(2_600_000)}0]`],
  ['2.6 million zeros for recipients', filled('{"template_name":"t","recipients":[', '0,', '0]}', 5 * MEGABYTE)],
  ['empty objects', filled('{"template_name":"t","recipients":[', '{},', '{}]}', 5 * MEGABYTE)],
  ['empty arrays in unknown members', filled('{"a":[', '[],', '[]]}', 5 * MEGABYTE)],
  ['half a million unknown members', `{${Array.from({ length: 400_000 }, (_, i) => `"k${i}":0`).join()}}`],
  ['a name of 5 MB', `{"${'x'.repeat(5 * MEGABYTE - 10)}":0}`],
  ['a row with a name of 5 MB', `{"template_name":"t","recipients":[{"phone":"1","${'x'.repeat(4 * MEGABYTE)}":1}]}`],
  ['a CSV file of 4 million empty cells', filled('{"template_name":"t","csv":"phone\\n', ',', '"}', 4 * MEGABYTE)],
  ['a CSV file of 2 million lines', filled('{"template_name":"t","csv":"phone\\n', '1\\n', '"}', 4 * MEGABYTE)],
  [
    'the most values in recipients',
    recipients(
      20_000,
      Array.from({ length: 12 }, (_, i) => `v${i}`),
    ),
  ],
  [
    'the most cells in a CSV file',
    `{"template_name":"t","csv":"phone,${'c,'.repeat(18)}c\\n${`1201555,${'v,'.repeat(18)}v\\n`.repeat(19_000)}"}`,
  ],
];

function recipients(rows: number, body_params: string[]): string {
  const row = JSON.stringify({ phone: '+1 201 555 0100', body_params });
  return `{"template_name":"t","recipients":[${Array.from({ length: rows }, () => row).join()}]}`;
}

describe('guarantees N1: hostile bodies, heads and readers at a heap of 128 MB', () => {
  let harness: Harness;
  let gateway: NodeChild;
  let port: number;
  const sessions: string[] = [];

  beforeAll(async () => {
    harness = await startHarness(service);
    harness.respond(CheckBroadcast, ({ recipients }) => ({ total: recipients.length, wrong: 0, faults: [], daily_limit: DAILY_LIMIT }));
    harness.respond(GetConnection, () => ({ connection: null }));
    for (let i = 1; i <= 3; i++) sessions.push(await newSession(`Business ${i}`));
    port = await freePort();
    gateway = await harness.spawn('gateway', {
      ...SETTINGS,
      GATEWAY_PORT: String(port),
      NODE_OPTIONS: HEAP,
    });
  });
  afterAll(() => harness.close());

  async function newSession(name: string): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await harness.db.query(
      `WITH business AS (INSERT INTO access.businesses (name, plan, timezone) VALUES ($1, 'Pro', 'UTC') RETURNING id),
            person AS (INSERT INTO access.users (business_id, email, name, role, password_hash) SELECT id, 'owner' || id || '@x.example', $1, 'owner', '' FROM business RETURNING id)
       INSERT INTO access.sessions (token_hash, user_id) SELECT $2, id FROM person`,
      [name, createHash('sha256').update(token).digest()],
    );
    return token;
  }

  const head = (path: string, session: string | null, more: string) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${session ? `cookie: token=${session}\r\n` : ''}${more}\r\n\r\n`;

  /** @returns the status, even if the connection closes before the body is written */
  const post = (path: string, body: string, session: string | null) =>
    new Promise<number>((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(session && { cookie: `token=${session}` }),
      };
      let status = 0;
      const call = request(
        { port, host: '127.0.0.1', method: 'POST', path, headers, agent: new Agent({ keepAlive: false }) },
        (response) => {
          status = response.statusCode ?? 0;
          response.resume().once('close', () => resolve(status));
        },
      );
      call.on('error', (fault) => (status === 0 ? reject(fault) : undefined));
      call.end(body);
    });

  /** Opens sockets that never read. */
  const hold = (count: number, bytes: string | Buffer): Socket[] =>
    Array.from({ length: count }, () => {
      const socket = connect({ port, host: '127.0.0.1' }, () => void socket.write(bytes)).on('error', () => undefined);
      return socket.pause();
    });

  const residentPeak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) * 1024;

  afterEach(async () => {
    // The same process still serves a session, and stayed within its memory.
    const response = await fetch(`http://127.0.0.1:${port}/api/client/me`, { headers: { cookie: `token=${sessions[2]}` } });
    expect(response.status).toBe(200);
    expect(residentPeak()).toBeLessThan(MAX_RESIDENT);
  });

  it('without a login: refuses 20 large bodies at once', async () => {
    const [, zeros] = BODIES[0] as [string, string];
    const statuses = await Promise.all(Array.from({ length: 20 }, () => post(CHECK, zeros, null)));
    expect(new Set(statuses)).toEqual(new Set([401]));
  });

  it('without a login: responds to 400 connections that withhold the end of their bodies, and closes them', async () => {
    const body = Buffer.from(head(CHECK, null, `content-length: ${5 * MEGABYTE}`) + 'x'.repeat(200_000));
    const sockets = hold(400, body).map((socket) => socket.resume());
    await eventually(() => sockets.every(({ closed }) => closed));
  });

  it.each(BODIES)('with a session: %s', async (_name, body) => {
    const statuses = await Promise.all(sessions.slice(0, 2).flatMap((session) => [post(CHECK, body, session), post(CHECK, body, session)]));
    // Over a business's share of bytes in flight: 429.
    expect([200, 400, 413]).toContain(Math.min(...statuses));
    expect(statuses.every((status) => [200, 400, 413, 429, 503].includes(status))).toBe(true);
  });

  it('with a session: refuses connections over the share that withhold the end, cuts the rest, and serves another business', async () => {
    let isOver = false;
    // In a process of its own, which does not delay the other business's requests.
    const args = [String(port), head(CHECK, sessions[0] as string, `content-length: ${4 * MEGABYTE}`)];
    const attack = runToEnd(process.execPath, ['-e', WITHHOLDS, ...args], { timeout: 90_000 }).finally(() => (isOver = true));
    do {
      expect(await post(CHECK, recipients(1_000, ['Asha']), sessions[1] as string)).toBe(200);
      await pause(200);
    } while (!isOver);
    expect(await attack).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('survives 400 unfinished heads of 60 kB', async () => {
    const sockets = hold(400, `GET / HTTP/1.1\r\nhost: x\r\n${`x: ${'y'.repeat(1_000)}\r\n`.repeat(60)}`);
    await eventually(() => sockets.every(({ readyState }) => readyState !== 'opening'));
    const response = await fetch(`http://127.0.0.1:${port}/api/client/me`, { headers: { cookie: `token=${sessions[2]}` } });
    expect(response.status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('survives 300 connections that request the API document repeatedly and never read it', async () => {
    const sockets = hold(300, 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(20));
    await eventually(() => sockets.every(({ readyState }) => readyState !== 'opening'));
    expect((await fetch(`http://127.0.0.1:${port}/openapi.json`)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('does not start a second gateway on its port, and names only that reason', async () => {
    const second = spawnNode('dist/apps/gateway/src/main.js', {
      ...harness.env,
      ...SETTINGS,
      GATEWAY_PORT: String(port),
      GATEWAY_DRAIN_MS: '0',
      LOG_LEVEL: 'warn',
    });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    // The gateway may log that Redis is unreachable.
    const faults = () =>
      second
        .output()
        .split('\n')
        .filter((line) => line !== '' && !line.includes('ECONNREFUSED'));
    await eventually(() => faults().some((line) => line.includes('"fatal"')));
    expect(faults()).toEqual([expect.stringContaining('EADDRINUSE')]);
  });
});
