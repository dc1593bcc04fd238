// Starting, watching and stopping one server process.
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Spawns a server in a group of its own, so that a Ctrl-C in the terminal reaches only us and we choose the order.
 * Keeps the end of its output for the error line.
 */
export function spawnServer(name, file, args, options = {}) {
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
    /** Asks to stop, and insists after the grace time. */
    async stop(signal = 'SIGTERM', graceMs = 5_000) {
      if (!running()) return;
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Waits until `probe` returns true. PostgreSQL may first have to recover from a crash. @throws Error when the server died or the time is over; then it no longer runs. */
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
