import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const BINARIES = pathToFileURL(join(__dirname, '../../../tools/servers/binaries.mjs')).href;
const FIND = (name: string) => `import { ensurePrograms, findProgram } from '${BINARIES}';
ensurePrograms(['${name}'], (line) => console.error(line));
process.stdout.write(findProgram('${name}'));`;

/** Paths by name; `npm test` found them for all specs. */
const found = new Map(Object.entries(JSON.parse(process.env['TEST_PROGRAMS'] ?? '{}') as Record<string, string>));

/** Path of a program, installed if missing and permitted. @throws Error with a line that names the package to install */
export function installedProgram(name: 'chromium' | 'curl' | 'nats-server' | 'php' | 'python3' | 'redis-server'): string {
  const path = found.get(name) ?? find(name);
  found.set(name, path);
  return path;
}

/** Runs in another process: tests are CommonJS and cannot load this ES module. */
function find(name: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', FIND(name)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(/Error: (.*)/.exec(stderr)?.[1] ?? stderr);
  return stdout;
}
