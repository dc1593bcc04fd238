import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, installedProgram } from '@mgw/testing';
import { Webhook } from 'standardwebhooks';

const PAGE = readFileSync(join(__dirname, '../../docs/webhooks.md'), 'utf8');
const sourceOf = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(PAGE)?.[1] ?? '';
const BODY = JSON.stringify({ event: 'message.sent', timestamp: '2026-01-02T03:04:05.678Z', data: { text: 'Grüße' } });

/** The call of each sample that stands for the reader's work, and a call that kills its process. */
const SAMPLES = [
  ['js', 'hook.mjs', (file: string) => [process.execPath, file], 'console.log(', "process.kill(process.pid, 'SIGKILL');"],
  [
    'python',
    'hook.py',
    (file: string) => [installedProgram('python3'), file],
    'print(',
    '__import__("os").kill(__import__("os").getpid(), 9); ',
  ],
  [
    'php',
    'hook.php',
    (file: string, port: number) => [installedProgram('php'), '-S', `127.0.0.1:${port}`, file],
    'error_log(',
    'posix_kill(getmypid(), 9);',
  ],
] as const;

/** Each write of Python's SQLite takes 50 ms, and a connection waits for others a tenth of its usual 5 s. */
const SLOW_SQLITE = `
import sqlite3, time
class Slow(sqlite3.Connection):
    def execute(self, *statement):
        cursor = super().execute(*statement)
        time.sleep(0.05 if self.in_transaction else 0)
        return cursor
connect = sqlite3.connect
sqlite3.connect = lambda *names, **options: connect(*names, **{"timeout": 0.5, "factory": Slow, **options})
`;

describe.each(SAMPLES)('docs/webhooks.md: the receiver in %s', (language, file, command, work, crash) => {
  let dir: string;
  let port: number;
  let server: ChildProcess;
  let output: string;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'mgw-receiver-'));
    port = await freePort();
    output = '';
  });
  afterEach(async () => {
    await stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const start = async (source = sourceOf(language)) => {
    writeFileSync(join(dir, file), source.replace('9000', String(port)));
    const [program = '', ...args] = command(join(dir, file), port);
    server = spawn(program, args, { cwd: dir, env: { ...process.env, PYTHONPATH: dir } });
    for (const stream of [server.stdout, server.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
    await eventually(() => fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body: BODY }).catch(() => null));
  };
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  const post = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body: BODY, headers })).status;
  const signed = (id: string, { secrets = ['swordfish'], at = Date.now() } = {}) => {
    const sign = (secret: string) => new Webhook(Buffer.from(secret).toString('base64')).sign(id, new Date(at), BODY);
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at / 1_000)),
      'webhook-signature': secrets.map(sign).join(' '),
      'x-service-signature': createHmac('sha256', secrets[0] ?? '')
        .update(BODY)
        .digest('hex'),
    };
  };
  const handled = () => output.split('message.sent').length - 1;

  it('handles each webhook-id once, even after it was killed', async () => {
    await start();
    expect(await Promise.all(Array.from({ length: 5 }, () => post(signed('a'))))).toEqual([200, 200, 200, 200, 200]);
    await eventually(() => handled() === 1);
    await stop();
    await start();
    expect([await post(signed('a')), await post(signed('b'))]).toEqual([200, 200]);
    await eventually(() => handled() === 2);
    expect([await post(signed('a')), await post(signed('b')), await post(signed('c'))]).toEqual([200, 200, 200]);
    await eventually(() => handled() === 3);
  });

  it('loses none of 32 deliveries that arrive at once while its disk is slow', async () => {
    writeFileSync(join(dir, 'sitecustomize.py'), SLOW_SQLITE);
    await start();
    const ids = Array.from({ length: 32 }, (_, number) => `parallel ${number}`);
    expect(await Promise.all(ids.map((id) => post(signed(id)).catch(String)))).toEqual(ids.map(() => 200));
    await eventually(() => handled() === ids.length);
  });

  it('accepts either signature while a secret is replaced, and refuses others and old timestamps', async () => {
    await start();
    const now = Date.now();
    const { 'webhook-signature': signature, ...unsigned } = signed('a');
    const refused: Record<string, string>[] = [
      unsigned,
      signed('a', { secrets: ['other'] }),
      signed('a', { at: now - 600_000 }),
      signed('a', { at: now + 600_000 }),
      { ...signed('a'), 'webhook-id': 'b' },
      { ...signed('a'), 'webhook-timestamp': String(Math.floor(now / 1_000) - 10) },
      { ...unsigned, 'webhook-timestamp': 'x', 'webhook-signature': signature },
      {},
    ];
    for (const headers of refused) expect([headers, await post(headers)]).toEqual([headers, 401]);
    expect(await post(signed('a', { secrets: ['new', 'swordfish'] }))).toBe(200);
    expect(await post(signed('b', { secrets: ['swordfish', 'old'] }))).toBe(200);
    await eventually(() => handled() === 2);
  });

  it('responds before it works, and handles at the next start what a crash left', async () => {
    const source = sourceOf(language);
    await start(source.replace(work, `${crash}${work}`));
    expect(await post(signed('a'))).toBe(200);
    await eventually(() => server.exitCode !== null || server.signalCode !== null);
    expect(handled()).toBe(0);
    await start(source);
    // The PHP server has no start: the next delivery, which may be the same one, takes what is left.
    expect(await post(signed('a'))).toBe(200);
    await eventually(() => handled() === 1);
    // The other one comes after it.
    expect([await post(signed('a')), await post(signed('b'))]).toEqual([200, 200]);
    await eventually(() => handled() >= 2);
    await stop();
    expect(handled()).toBe(2);
  });
});
