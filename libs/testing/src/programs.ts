import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const BINARIES = pathToFileURL(join(__dirname, '../../../tools/servers/binaries.mjs')).href;
const FIND = (name: string) => `import { ensurePrograms, findProgram } from '${BINARIES}';
ensurePrograms(['${name}'], (line) => console.error(line));
process.stdout.write(findProgram('${name}'));`;

/** Path of a program, installed if missing and permitted. @throws Error with a line that names the package to install */
export function installedProgram(name: 'chromium' | 'curl' | 'php' | 'python3'): string {
  // Run it in another process: tests are CommonJS and cannot load this ES module.
  const found = spawnSync(process.execPath, ['--input-type=module', '-e', FIND(name)], { encoding: 'utf8' });
  if (found.status !== 0) throw new Error(/Error: (.*)/.exec(found.stderr)?.[1] ?? found.stderr);
  return found.stdout;
}
