import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runWithTool } from './tool-script';

describe('PostgreSQL of npm start (spec §13)', () => {
  let parent: string;
  let local: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'mgw-postgres-'));
    local = join(parent, '.local');
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  /** Starts and stops it. @returns the folder with its data */
  const start = (env: Record<string, string> = {}): string => {
    const script = `const { dir, stop } = await startPostgres({ dir: ${JSON.stringify(join(local, 'postgres'))}, durable: false });
      await stop();
      console.log(dir);
      process.exit();`;
    const { stdout, stderr } = runWithTool('tools/servers/servers.mjs', 'startPostgres', script, { env: { ...process.env, ...env } });
    expect(stderr).toBe('');
    return stdout.trim();
  };

  const asRoot = process.getuid?.() === 0 ? it : it.skip;
  asRoot('as root below a private folder: continues with its data until the folder of the stack is removed', () => {
    // mkdtemp made the folder private: the account of PostgreSQL cannot enter it.
    const first = start();
    expect(first).toMatch(/^\/var\/lib\/messaging-gateway\/\w+\/postgres$/);
    expect(start()).toBe(first);
    rmSync(local, { recursive: true });
    const second = start();
    expect(second).not.toBe(first);
    expect(existsSync(join(first, 'PG_VERSION'))).toBe(true);
    for (const data of [first, second]) rmSync(dirname(data), { recursive: true });
  });

  const onDebian = existsSync('/usr/lib/postgresql') ? it : it.skip;
  onDebian('runs the version that made its data although a newer one is installed', () => {
    chmodSync(parent, 0o755);
    const data = start();
    const newer = join(parent, 'newer');
    mkdirSync(newer);
    writeFileSync(join(newer, 'postgres'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    expect(start({ PATH: `${newer}:${process.env['PATH']}` })).toBe(data);
  });
});
