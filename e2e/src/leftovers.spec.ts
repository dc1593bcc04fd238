import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWithTool } from './tool-script';

const HOUR_MS = 3_600_000;

describe('processes of an earlier npm start (spec §13)', () => {
  let dir: string;
  let child: ChildProcess;
  let ended: Promise<NodeJS.Signals | null>;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'mgw-leftovers-'));
    // The name of a server, which other stacks on the machine run too.
    child = spawn('sleep', ['600'], { argv0: 'postgres', stdio: 'ignore' });
    ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
  });
  afterEach(() => {
    child.kill('SIGKILL');
    rmSync(dir, { recursive: true });
  });

  const file = () => join(dir, 'processes.json');
  const record = (start: object, processes: object[]) => writeFileSync(file(), JSON.stringify({ start, processes }));
  /** An id that no process has. */
  const KILLED_START = { pid: 2 ** 22 + 1, started_at: Date.now() };
  /** Runs the check of a start. @returns the message of an error */
  const endLeftovers = (before = ''): string => {
    const script = `${before}; await endLeftovers(${JSON.stringify(dir)}).catch(({ message }) => console.log(message))`;
    const { stdout, stderr } = runWithTool('tools/start/processes-file.mjs', 'endLeftovers', script);
    expect(stderr).toBe('');
    return stdout;
  };

  it('are ended, and have ended when the start goes on', async () => {
    record(KILLED_START, [{ name: 'NATS', pid: child.pid, started_at: Date.now() }]);
    expect(endLeftovers()).toBe('');
    expect(await ended).toBe('SIGKILL');
    expect(existsSync(file())).toBe(false);
  });

  it('are not confused with a process that has the id of one', async () => {
    record(KILLED_START, [{ name: 'PostgreSQL', pid: child.pid, started_at: Date.now() - HOUR_MS }]);
    expect(endLeftovers()).toBe('');
    child.kill('SIGTERM');
    expect(await ended).toBe('SIGTERM');
    expect(existsSync(file())).toBe(false);
  });

  it('refuse a second start', () => {
    record({ pid: child.pid, started_at: Date.now() }, []);
    expect(endLeftovers()).toBe(`already running from this folder (process ${child.pid}): stop it first\n`);
    expect(existsSync(file())).toBe(true);
  });

  it('do not include the start itself, which has the same id in each run of a container', () => {
    const start = `import { writeFileSync } from 'node:fs';
      const text = JSON.stringify({ start: { pid: process.pid, started_at: Date.now() }, processes: [] });
      writeFileSync(${JSON.stringify(file())}, text /* start.mjs */)`;
    expect(endLeftovers(start)).toBe('');
  });

  it('are none in a file that was not written to its end', () => {
    writeFileSync(file(), '{ "start": {');
    expect(endLeftovers()).toBe('');
  });
});
