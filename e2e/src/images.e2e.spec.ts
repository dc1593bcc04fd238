import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually, freePort, testDatabase, testNats, testRedis } from '@mgw/testing';
import { ROOT } from './stack';

const APPS = readdirSync(join(ROOT, 'dist/apps')).filter((app) => existsSync(join(ROOT, 'dist/apps', app, 'src/main.js')));

/** Folders of the packages that `npm ci --omit=dev` installs, as the lock file says. */
function productionPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  return Object.entries(lock.packages).flatMap(([path, { dev, devOptional }]) =>
    // What lies inside another package comes with it.
    path.lastIndexOf('node_modules/') === 0 && !dev && !devOptional ? [path] : [],
  );
}

/**
 * No container can be built where there is no engine. What an image holds is put together here as its Dockerfile does it, in a clean
 * folder with the packages of production only, and started by the image's entry.
 */
describe('what the images hold (issue: one Dockerfile for every app)', () => {
  let env: Record<string, string>;
  const ends: (() => unknown)[] = [];
  const folders: string[] = [];

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
  }, 60_000);
  afterAll(async () => {
    for (const end of ends) await end();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it.each(APPS)('%s runs from its own parts', async (app) => {
    const folder = mkdtempSync(join(tmpdir(), 'mgw-image-'));
    folders.push(folder);
    const run = (command: string, args: string[], cwd: string, given: Record<string, string> = {}) => {
      const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...env, ...given } });
      expect([command, args, status, status === 0 ? '' : stdout + stderr]).toEqual([command, args, 0, '']);
    };
    run('sh', ['deploy/docker/collect.sh', app, folder], ROOT);
    for (const path of productionPackages()) {
      if (!existsSync(join(ROOT, path))) continue;
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      symlinkSync(join(ROOT, path), join(folder, path));
    }
    const [probePort, port] = [await freePort(), await freePort()];
    // Packages find each other beside their link, not beside what it points to.
    const entry = { APP: app, NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main', PROBE_PORT: String(probePort) };
    if (existsSync(join(folder, 'dist/apps', app, 'src/migrate.js'))) run('sh', ['deploy/docker/run.sh', 'migrate'], folder, entry);

    const ports = { GATEWAY_PORT: String(port), SIMULATOR_PORT: String(port) };
    const service: ChildProcess = spawn('sh', ['deploy/docker/run.sh', 'main'], { cwd: folder, env: { ...env, ...entry, ...ports } });
    let said = '';
    service.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    service.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ended = new Promise((resolve) => service.once('exit', resolve));
    try {
      const ready = () => fetch(`http://127.0.0.1:${probePort}/readyz`).then(({ status }) => status === 200);
      await eventually(() => service.exitCode !== null || ready().catch(() => false));
      expect([service.exitCode, service.exitCode === null ? '' : said]).toEqual([null, '']);
    } finally {
      service.kill('SIGTERM');
      await ended;
    }
  });
});
