import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWithTool } from './tool-script';

describe('the log of npm start (spec §13)', () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'mgw-log-'))));
  afterEach(() => rmSync(dir, { recursive: true }));

  /** Writes lines, one in each turn. @returns what it prints */
  const write = (lines: string[], maxBytes?: number): string => {
    const script = `const log = new LogFile(${JSON.stringify(join(dir, 'stack.log'))}, console.log, ${maxBytes});
      for (const line of ${JSON.stringify(lines)}) {
        log.write(line);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }`;
    const { stdout, stderr } = runWithTool('tools/start/log-file.mjs', 'LogFile', script);
    expect(stderr).toBe('');
    return stdout;
  };
  const read = (name: string) => readFileSync(join(dir, name), 'utf8');

  it('reports a full disk once, and the stack goes on without a log', () => {
    symlinkSync('/dev/full', join(dir, 'stack.log'));
    expect(write(['one\n', 'two\n', 'three\n'])).toMatch(/^could not write stack\.log \(ENOSPC: .*\): the next start tries again\n$/);
  });

  it('continues the file of the previous start, and keeps one previous file of the maximum size', () => {
    expect(write(['one\n', 'two\n'], 12)).toBe('');
    expect(write(['three\n', 'four\n'], 12)).toBe('');
    expect([read('stack.log.1'), read('stack.log')]).toEqual(['one\ntwo\nthree\n', 'four\n']);
    writeFileSync(join(dir, 'stack.log'), 'of a version without a maximum\n');
    expect(write(['five\n'], 12)).toBe('');
    expect([read('stack.log.1'), read('stack.log')]).toEqual(['of a version without a maximum\n', 'five\n']);
  });
});
