import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '@mgw/contracts';
import { eventually, freePort, testDatabase, testNats, testRedis } from '@mgw/testing';
import { ROOT } from './stack';

/** Maximum size of an image without its base: 250 MB in total, minus 160 MB for Node.js and its libraries. */
const PARTS_AT_MOST = 250_000_000 - 160_000_000;

const APPS = readdirSync(join(ROOT, 'dist/apps')).filter((app) => existsSync(join(ROOT, 'dist/apps', app, 'src/main.js')));

/** Folders of the packages that `npm ci --omit=dev` installs, from the lock file. */
function productionPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  return Object.entries(lock.packages).flatMap(([path, { dev, devOptional }]) =>
    // Nested packages are part of their parent's folder.
    path.lastIndexOf('node_modules/') === 0 && !dev && !devOptional ? [path] : [],
  );
}

/** The program and arguments with which the image starts its service. */
function startCommand(): string[] {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  return ['ENTRYPOINT', 'CMD'].flatMap(
    (word) => JSON.parse(new RegExp(`^${word} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '[]') as string[],
  );
}

/** Total bytes of all files in a folder. */
function size(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, path) => {
    const entry = lstatSync(join(folder, path));
    return entry.isFile() ? sum + entry.size : sum;
  }, 0);
}

/** Documents that the gateway serves. */
const DOCUMENTS = ['/docs', '/docs/errors/WINDOW_CLOSED', '/docs/guides.md', '/openapi.yaml', '/postman.json', '/llms.txt'];

/**
 * Not every test machine can build containers. These tests assemble an image's content like the Dockerfile, in a clean folder with production
 * packages only, and start it through the image's entry.
 */
describe('the content of the images', () => {
  let env: Record<string, string>;
  let packages: string;
  let packagesSize: number;
  const ends: (() => unknown)[] = [];
  const folders: string[] = [];
  const newFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'mgw-image-'));
    folders.push(folder);
    return folder;
  };
  /** @returns the folder of an image's content */
  const collected = (app: string) => {
    const folder = newFolder();
    run('sh', ['deploy/docker/collect.sh', app, folder], ROOT);
    expect(size(folder) + packagesSize).toBeLessThan(PARTS_AT_MOST);
    symlinkSync(packages, join(folder, 'node_modules'));
    return folder;
  };
  const run = (command: string, args: string[], cwd: string, extraEnv: Record<string, string> = {}) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...env, ...extraEnv } });
    expect([command, args, status, status === 0 ? '' : stdout + stderr]).toEqual([command, args, 0, '']);
  };

  beforeAll(async () => {
    const [database, nats, redis] = await Promise.all([testDatabase(), testNats(), testRedis()]);
    ends.push(database.drop, nats.stop, redis.stop);
    env = {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'development',
      DATABASE_URL: database.url,
      NATS_URL: nats.url,
      REDIS_URL: redis.url,
      SEALING_KEYS: `test:${randomBytes(32).toString('base64')}`,
      API_KEY_PEPPER: randomBytes(32).toString('base64'),
      META_APP_SECRET: 'secret',
      SIM_CALLBACK_URL: 'http://127.0.0.1:9/webhooks/whatsapp',
    };
    const installed = newFolder();
    for (const path of productionPackages()) {
      if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(installed, path), { recursive: true });
    }
    packages = join(installed, 'node_modules');
    run('sh', ['deploy/docker/prune.sh', packages], ROOT);
    packagesSize = size(packages);
  }, 120_000);
  afterAll(async () => {
    for (const end of ends) await end();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it.each(APPS)('%s runs from its image’s content', async (app) => {
    const folder = collected(app);
    const [probePort, port] = [await freePort(), await freePort()];
    const entry = { APP: app, PROBE_PORT: String(probePort) };
    if (app === 'standalone' || existsSync(join(folder, 'dist/apps', app, 'src/migrations')))
      run('node', ['deploy/docker/run.mjs', 'migrate'], folder, entry);
    if (SERVICES.some((name) => name === app)) run('node', ['deploy/docker/run.mjs', 'dead-letters', 'list'], folder, entry);

    const ports = { GATEWAY_PORT: String(port), SIMULATOR_PORT: String(port) };
    const [program = '', ...args] = startCommand();
    const service: ChildProcess = spawn(program, args, { cwd: folder, env: { ...env, ...entry, ...ports } });
    let output = '';
    service.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    service.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise((resolve) => service.once('exit', resolve));
    try {
      const ready = () => fetch(`http://127.0.0.1:${probePort}/readyz`).then(({ status }) => status === 200);
      await eventually(() => service.exitCode !== null || ready().catch(() => false));
      expect([service.exitCode, service.exitCode === null ? '' : output]).toEqual([null, '']);
      for (const path of ['gateway', 'standalone'].includes(app) ? DOCUMENTS : [])
        expect([path, (await fetch(`http://127.0.0.1:${port}${path}`)).status]).toEqual([path, 200]);
    } finally {
      service.kill('SIGTERM');
      await ended;
    }
  });

  it('loads generated variables for a command through the entry', () => {
    const folder = collected('platform-webhook-ingest');
    writeFileSync(join(folder, 'env'), `DATABASE_URL='${env['DATABASE_URL']}'\n`);
    const commandEnv = { PATH: env['PATH'], APP: 'platform-webhook-ingest', ENV_FILE: join(folder, 'env') };
    for (const command of [['migrate'], ['dead-letters', 'list']]) {
      const ran = spawnSync('node', ['deploy/docker/run.mjs', ...command], { cwd: folder, encoding: 'utf8', env: commandEnv });
      expect([command, ran.status, ran.stderr]).toEqual([command, 0, '']);
    }
  });

  it('spec §11: creates the first operator with a password from standard input, as docs/operations.md shows', async () => {
    const documented = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('printf %s "$OPERATOR_PASSWORD" |'));
    const places = documented.map((line) => /(exec -T gateway|exec -T .* standalone|kubectl exec -i deploy\/gateway --) node /.test(line));
    expect(places).toEqual([true, true, true]);
    const folder = collected('standalone');
    const database = await testDatabase();
    ends.push(database.drop);
    writeFileSync(join(folder, 'env'), `DATABASE_URL='${database.url}'\n`);
    for (const [nth, line] of documented.entries()) {
      const command = /node (deploy\/docker\/run\.mjs .*)$/.exec(line)?.[1]?.split(' ') ?? [];
      const args = command.map((word) => (word.includes('@') ? `operator${nth}@example.com` : word));
      const commandEnv = { PATH: env['PATH'], APP: 'gateway', ENV_FILE: join(folder, 'env') };
      if (nth === 0) run('node', ['deploy/docker/run.mjs', 'migrate'], folder, { APP: 'gateway', DATABASE_URL: database.url });
      const ran = spawnSync('node', args, { cwd: folder, encoding: 'utf8', env: commandEnv, input: 'a long phrase to remember' });
      expect([ran.stderr, ran.status, ran.stdout]).toEqual(['', 0, expect.stringMatching(/^Operator \d+ created\.\n$/)]);
    }
  });
});
