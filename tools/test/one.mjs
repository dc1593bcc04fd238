// npm run test:one -- <file>: runs one spec, without builds and servers that it does not need.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureDependencies, ensureNode, run } from '../setup/dependencies.mjs';

ensureNode();
process.chdir(`${import.meta.dirname}/../..`);
const [file, ...more] = process.argv.slice(2);
if (!file || !existsSync(file)) {
  if (file) console.error(`✗ ${file} does not exist`);
  console.error('usage: npm run test:one -- apps/send/src/sending/kinds.spec.ts [-t "part of a name"]');
  process.exit(2);
}

/** @returns the text of a file and of the relative files that it imports */
function textWithImports(path, seen = new Set()) {
  if (seen.has(path) || !existsSync(path)) return '';
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  const imported = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, name]) => `${join(dirname(path), name)}.ts`);
  return [text, ...imported.map((next) => textWithImports(next, seen))].join('\n');
}

const text = textWithImports(file);
ensureDependencies(console.log);
// Specs run from the sources. Processes of services and stacks run from the build.
if (/startStack|\.spawn\(|spawnNode|\bSTART\b|dist\/(apps|libs)/.test(text)) {
  if (run('nx', ['run-many', '-t', 'build', '--outputStyle=static'], { quiet: true }) !== 0) process.exit(1);
}
// Written by the build: the roles of each route, which the dashboard reads.
if (file.includes('apps/dashboard/') && !existsSync('apps/dashboard/src/api/request-samples.json')) await import('../build/api-types.mjs');
const withoutPostgres = /startHarness|migratedDatabase|testDatabase/.test(text) ? {} : { TEST_WITHOUT_POSTGRES: '1' };
process.exitCode = run('jest', ['--runInBand', '--runTestsByPath', file, ...more], { env: { NODE_ENV: 'test', ...withoutPostgres } });
