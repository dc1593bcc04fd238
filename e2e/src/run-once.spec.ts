import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWithTool } from './tool-script';

describe('commands of npm start (spec §13)', () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'mgw-command-'))));
  afterEach(() => rmSync(dir, { recursive: true }));

  /** @returns the message of the error */
  const fail = (command: string, timeoutMs: number): string => {
    const file = join(dir, 'migrate.mjs');
    writeFileSync(file, command);
    const script = `await runOnce('migrations', ${JSON.stringify(file)}, process.env, [], ${timeoutMs}).catch(({ message }) => console.log(message));`;
    return runWithTool('tools/start/supervised.mjs', 'runOnce', script).stdout;
  };

  it('report their last error', () => {
    expect(fail(`throw new Error('send: no lock')`, 60_000)).toBe('migrations: migrate.mjs failed: Error: send: no lock\n');
  });

  it('report that they did not end in time', () => {
    expect(fail(`console.log('waiting'); setInterval(() => {}, 1_000)`, 300)).toBe(
      'migrations: migrate.mjs did not end within 0.3 s, and was ended\n',
    );
  });
});
