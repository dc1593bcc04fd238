import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './stack';

const START = 'tools/start/start.mjs';

describe('options of npm start, npm run prove and npm run bench', () => {
  let dir: string;
  beforeAll(() => (dir = mkdtempSync(join(tmpdir(), 'mgw-options-'))));
  afterAll(() => rmSync(dir, { recursive: true }));

  /** A command that accepted its options would end at the port. */
  const run = (file: string, ...args: string[]) =>
    spawnSync(process.execPath, [file, ...args], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, LOCAL_DIR: dir, GATEWAY_PORT: 'none' },
      timeout: 60_000,
    });

  it.each([
    [START, '--replica', '2', "Unknown option '--replica'"],
    [START, '8081', undefined, "Unexpected argument '8081'"],
    [START, '--replicas', undefined, "Option '--replicas <value>' argument missing"],
    [START, '--replicas', 'two', "Option '--replicas' needs a number from 1 on, not 'two'"],
    [START, '--heap', '0', "Option '--heap' needs a number from 1 on, not '0'"],
    ['tools/prove/prove.mjs', '--minute', '5', "Unknown option '--minute'"],
    ['tools/prove/prove.mjs', '--rounds', 'all', "Option '--rounds' needs a number from 1 on, not 'all'"],
    ['tools/prove/prove.mjs', '--only', 'nothing', '--only matches none of '],
    ['tools/prove/prove.mjs', '--standalone', '--only=kill send', '--only matches none of kill standalone, '],
    ['tools/bench/bench.mjs', '--second', '1', "Unknown option '--second'"],
    ['tools/bench/bench.mjs', '--only', 'send', '--only takes sends, '],
  ])('%s refuses %s %s', (file, option, value, message) => {
    const { status, stdout, stderr } = run(file, option, ...(value === undefined ? [] : [value]));
    expect([stdout, stderr]).toEqual(['', expect.stringContaining(message)]);
    expect(status).toBeGreaterThan(0);
  });

  it.each([START, 'tools/prove/prove.mjs', 'tools/bench/bench.mjs'])('%s --help lists them', (file) => {
    const { status, stdout } = run(file, '--help');
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^Usage: npm .*\n( {2}--[\w-]+( \S+)? {2,}\S.*\n)+$/)]);
  });
});
