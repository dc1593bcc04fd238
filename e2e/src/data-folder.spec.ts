import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWithTool } from './tool-script';

describe('the data folder of npm start (spec §13)', () => {
  let parent: string;
  let dir: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'mgw-data-'));
    dir = join(parent, '.local');
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  /** Runs the check of a start. @returns what it prints */
  const prepare = (): string => {
    const script = `prepareDataFolder(${JSON.stringify(dir)}, console.log)`;
    const { stdout, stderr } = runWithTool('tools/start/data-folder.mjs', 'prepareDataFolder', script);
    expect(stderr).toBe('');
    return stdout;
  };

  it('moves data without a layout aside, prints one line about it, and starts with empty data', () => {
    mkdirSync(join(dir, 'postgres'), { recursive: true });
    writeFileSync(join(dir, 'postgres', 'table'), 'rows');
    expect(prepare()).toMatch(
      /^\.local holds data of another version: moved it to \.local-old-\d{4}-\d\d-\d\d-\d{6}, starting with empty data\n$/,
    );
    expect(existsSync(join(dir, 'postgres'))).toBe(false);
    const aside = readdirSync(parent).find((name) => name.startsWith('.local-old-')) as string;
    expect(readFileSync(join(parent, aside, 'postgres', 'table'), 'utf8')).toBe('rows');
  });

  it('keeps the data of this version, and prints nothing about an empty folder', () => {
    expect(prepare()).toBe('');
    mkdirSync(join(dir, 'postgres'));
    expect(prepare()).toBe('');
    expect(readdirSync(parent)).toEqual(['.local']);
    expect(existsSync(join(dir, 'postgres'))).toBe(true);
  });
});
