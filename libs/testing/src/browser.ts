import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser } from 'playwright-core';

const BINARIES = pathToFileURL(join(__dirname, '../../../tools/servers/binaries.mjs')).href;
const FIND = `import { ensurePrograms, findProgram } from '${BINARIES}';
ensurePrograms(['chromium'], (line) => console.error(line));
process.stdout.write(findProgram('chromium'));`;

/** The system's Chromium, installed where it is missing and may be. @throws Error with the line that says what to install */
export async function startBrowser(): Promise<Browser> {
  // In a process of its own: tests are compiled to CommonJS and cannot load what finds programs.
  const found = spawnSync(process.execPath, ['--input-type=module', '-e', FIND], { encoding: 'utf8' });
  if (found.status !== 0) throw new Error(/Error: (.*)/.exec(found.stderr)?.[1] ?? found.stderr);
  return chromium.launch({ executablePath: found.stdout, args: ['--no-sandbox'] });
}
