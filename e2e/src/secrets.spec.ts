import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWithTool } from './tool-script';

describe('the secrets of a stack (spec §13)', () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'mgw-secrets-'));
    file = join(dir, 'secrets.json');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  /** @returns the secrets, or the message of an error */
  const load = (by = 'loadSecrets'): string => {
    const script = `try { console.log(JSON.stringify(${by}(${JSON.stringify(dir)}))) } catch ({ message }) { console.log(message) }`;
    return runWithTool('tools/start/secrets.mjs', by, script).stdout;
  };
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  /** The oldest first. */
  const copies = () =>
    readdirSync(dir)
      .filter((name) => /^secrets\.json\.\d/.test(name))
      .sort()
      .map((name) => join(dir, name));

  it('are completed in a new file that replaces the old one', () => {
    writeFileSync(file, '{ "app_secret": "kept" }');
    linkSync(file, join(dir, 'before'));
    expect(JSON.parse(load())).toMatchObject({ app_secret: 'kept', sealing_keys: expect.stringMatching(/^local:/) });
    expect(read(file)).toEqual(JSON.parse(load()));
    expect(read(join(dir, 'before'))).toEqual({ app_secret: 'kept' });
  });

  it.each(['', '{ "app_secret": "hal'])('are refused by the name of their file when it contains %j', (text) => {
    writeFileSync(file, text);
    expect(load()).toBe(`${file} is not valid JSON: restore the file, or remove ${dir} to start with empty data\n`);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('of docker compose are never to be deleted: PostgreSQL has its data in another volume', () => {
    const remedy = 'it holds the only keys of the data in PostgreSQL, so repair it, and never delete it';
    writeFileSync(file, '{');
    expect(load('loadComposeSecrets')).toBe(`${file} is not valid JSON: ${remedy}\n`);
    rmSync(file);
    load('loadComposeSecrets');
    const [copy = ''] = copies();
    writeFileSync(file, '{');
    expect(load('loadComposeSecrets')).toBe(`${file} is not valid JSON: ${remedy} (its last valid version is ${copy})\n`);
    rmSync(file);
    expect(load('loadComposeSecrets')).toBe(`${file} is missing: ${remedy} (its last valid version is ${copy})\n`);
    expect(readdirSync(dir)).toEqual([copy.split('/').pop()]);
  });

  it('keep a copy of each version beside them', () => {
    const first = JSON.parse(load()) as Record<string, unknown>;
    load();
    const { sealing_keys: _removed, ...others } = first;
    writeFileSync(file, JSON.stringify(others));
    const second = JSON.parse(load()) as Record<string, unknown>;
    expect(second).toMatchObject({ app_secret: first['app_secret'] });
    expect(second['sealing_keys']).not.toBe(first['sealing_keys']);
    expect(copies().map(read)).toEqual([first, second]);
  });
});
