import { linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWithTool } from './tool-script';

describe('the secrets of npm start (spec §13)', () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'mgw-secrets-'));
    file = join(dir, 'secrets.json');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  /** @returns the secrets, or the message of an error */
  const load = (): string => {
    const script = `try { console.log(JSON.stringify(loadSecrets(${JSON.stringify(dir)}))) } catch ({ message }) { console.log(message) }`;
    return runWithTool('tools/start/secrets.mjs', 'loadSecrets', script).stdout;
  };
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;

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
});
