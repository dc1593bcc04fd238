import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@mgw/testing';
import { ROOT } from './stack';

describe('a test run that is killed', () => {
  let dir: string;
  let run: ChildProcess | undefined;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'mgw-killed-run-'));
    // The account of PostgreSQL must be able to enter it.
    chmodSync(dir, 0o755);
  });
  afterEach(() => {
    killRun();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Kills the whole group, as a terminal or a CI may. */
  const killRun = () => run?.pid && spawnSync('kill', ['-9', '--', `-${run.pid}`]);

  it('leaves no process running and no folder (decision 215)', async () => {
    const folders = join(dir, 'folders');
    mkdirSync(folders);
    const started = join(dir, 'started.json');
    const args = ['--runInBand', '--testMatch', '**/e2e/src/killed-run.fixture.ts'];
    run = spawn(process.execPath, [join(ROOT, 'node_modules/jest/bin/jest.js'), ...args], {
      cwd: ROOT,
      env: { ...process.env, TMPDIR: folders, STARTED: started },
      detached: true,
    });
    const { pids, folders: made } = await eventually(
      () => JSON.parse(readFileSync(started, 'utf8')) as { pids: number[]; folders: string[] },
      { timeoutMs: 120_000 },
    );
    for (const name of ['mgw-stack-', 'mgw-nats-', 'mgw-redis-', 'mgw-servers-']) expect(made.join()).toContain(name);
    const running = (): string[] => {
      const { stdout } = spawnSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' });
      return stdout.split('\n').filter((line) => {
        const [, pid, state = ''] = /^\s*(\d+) (\S+)/.exec(line) ?? [];
        return !state.startsWith('Z') && (line.includes(folders) || pids.includes(Number(pid)));
      });
    };
    expect(running().length).toBeGreaterThan(pids.length);
    killRun();
    await eventually(() => {
      expect(running()).toEqual([]);
      expect(readdirSync(folders)).toEqual([]);
      return true;
    });
  }, 240_000);
});
