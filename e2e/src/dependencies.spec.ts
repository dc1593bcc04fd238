import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWithTool } from './tool-script';

describe('the packages of a checkout (spec §13)', () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'mgw-packages-'))));
  afterEach(() => rmSync(dir, { recursive: true }));

  it('are not installed into the folder of another checkout', () => {
    const other = join(dir, 'other/node_modules');
    mkdirSync(join(other, 'kept'), { recursive: true });
    const checkout = join(dir, 'checkout');
    mkdirSync(checkout);
    writeFileSync(join(checkout, 'package.json'), '{ "name": "checkout" }');
    writeFileSync(join(checkout, 'package-lock.json'), '{ "name": "checkout", "lockfileVersion": 3, "packages": {} }');
    symlinkSync(other, join(checkout, 'node_modules'));
    const install = 'try { ensureDependencies() } catch ({ message }) { console.log(message) }';
    const { stdout } = runWithTool('tools/setup/dependencies.mjs', 'ensureDependencies', install, { cwd: checkout });
    expect(readdirSync(other)).toEqual(['kept']);
    expect(stdout).toBe(
      `node_modules is a link to ${other}: npm ci would replace the packages there. Remove the link, and packages are installed here.\n`,
    );
  });
});
