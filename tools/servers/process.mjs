// Starts, watches and stops one server process.
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Spawns a server in its own process group, so that Ctrl-C reaches only this process, which stops everything in order.
 * Keeps the end of the output for error messages.
 * @param options of `spawn`, and how to stop it: `stopSignal`, then SIGKILL after `graceMs`
 */
export function spawnServer(name, file, args, { stopSignal = 'SIGTERM', graceMs = 5_000, ...options } = {}) {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options });
  let tail = '';
  const keep = (chunk) => void (tail = (tail + chunk).slice(-2_000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const exited = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => {
      keep(error.message);
      resolve({ code: -1, signal: null });
    });
  });
  const running = () => child.exitCode === null && child.signalCode === null && child.pid !== undefined;
  return {
    name,
    pid: child.pid,
    exited,
    running,
    lastWords: () => tail.trim().split('\n').slice(-3).join(' | '),
    async stop(signal = stopSignal) {
      if (!running()) return;
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Waits until `probe` returns true; PostgreSQL may recover from a crash first. @throws Error if the server died or the time ran out; it is dead then */
export async function waitUntil(server, probe, timeoutMs = 120_000) {
  const end = Date.now() + timeoutMs;
  while (Date.now() < end) {
    if (!server.running()) throw new Error(`${server.name} did not start: ${server.lastWords()}`);
    if (await probe().catch(() => false)) return;
    await pause(50);
  }
  await server.stop('SIGKILL');
  throw new Error(`${server.name} was not ready within ${timeoutMs / 1000} s: ${server.lastWords()}`);
}
