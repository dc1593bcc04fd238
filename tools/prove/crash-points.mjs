// Crashes between two steps: an additional replica with CRASH_AT joins, and dies where the step ends.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../servers/free-port.cjs';

const ROOT = join(import.meta.dirname, '../..');
const POINTS = {
  send: [
    'send.after-intent',
    'send.after-call',
    'send.after-outcome',
    'relay.after-publish',
    'consumer.before-commit',
    'consumer.after-commit',
  ],
  'platform-webhook-ingest': ['ingest.after-store', 'relay.after-publish'],
  'outbound-webhook-dispatcher': ['dispatch.after-claim', 'dispatch.after-attempt', 'dispatch.after-end', 'consumer.before-commit'],
  status: ['consumer.before-commit', 'consumer.after-commit'],
};
const ENDS_WITHIN_MS = 15_000;

export function crashPointFaults() {
  return Object.fromEntries(
    Object.entries(POINTS).flatMap(([app, points]) => points.map((point) => [`crash ${app} at ${point}`, (run) => crash(run, app, point)])),
  );
}

async function crash({ product }, app, point) {
  const [running] = product.processesOf(app);
  const words = readFileSync(`/proc/${running.pid}/environ`, 'utf8').split('\0').filter(Boolean);
  const env = Object.fromEntries(words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]));
  const child = spawn(process.execPath, [`dist/apps/${running.app}/src/main.js`], {
    cwd: ROOT,
    env: { ...env, GATEWAY_PORT: String(await freePort()), PROBE_PORT: '0', CRASH_AT: point },
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await Promise.race([exited, pause(ENDS_WITHIN_MS, null, { ref: false })]);
  // The replica may never get that work, because another one leads.
  child.kill('SIGKILL');
  await exited;
}
