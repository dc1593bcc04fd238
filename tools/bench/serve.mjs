// Runs the product of one folder until its input ends, with throwaway data. A separate process, because the product of another commit brings
// its own start. usage: node serve.mjs <folder> [standalone]; prints one line of JSON.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OPERATOR } from './account.mjs';

process.chdir(process.argv[2]);
const { Stack } = await import(pathToFileURL(join(process.cwd(), 'tools/start/stack.mjs')));
const dir = mkdtempSync(join(tmpdir(), 'mgw-bench-'));
chmodSync(dir, 0o755);
const standalone = process.argv[3] === 'standalone';
const stack = new Stack({ dir, say: () => {}, verbose: false, replicas: 1, standalone, onDeath: (reason) => console.error(reason) });
const stopped = new Promise((resolve) => process.stdin.once('end', resolve).resume());
process.once('SIGINT', () => {});
try {
  await stack.start();
  await stack.command('gateway', ['create-operator', '--email', OPERATOR.email, '--name', 'Bench'], {
    OPERATOR_PASSWORD: OPERATOR.password,
  });
  const { processes } = JSON.parse(readFileSync(join(dir, 'processes.json'), 'utf8'));
  console.log(JSON.stringify({ siteUrl: stack.siteUrl, databaseUrl: stack.databaseUrl, processes }));
  await stopped;
} finally {
  await stack.stop();
  rmSync(dir, { recursive: true, force: true });
}
process.exit();
