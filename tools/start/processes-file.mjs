// processes.json lists the processes of a stack for people, for tests that kill them, and for the start after a killed one.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { replaceFile } from './replace-file.mjs';

/** `ps` shows whole seconds, and spawning takes time on a busy machine. */
const TOLERANCE_MS = 5_000;
const END_WITHIN_MS = 10_000;

const fileOf = (dir) => join(dir, 'processes.json');

/** @param processes with `pid` and `started_at`, the time of its start in milliseconds */
export function writeProcesses(dir, processes) {
  const start = { pid: process.pid, started_at: Math.round(performance.timeOrigin) };
  replaceFile(fileOf(dir), `${JSON.stringify({ start, processes }, null, 2)}\n`);
}

export function removeProcesses(dir) {
  rmSync(fileOf(dir), { force: true });
}

/** Ends processes that a killed start left running. @throws Error if a start runs from this folder, or a process does not end */
export async function endLeftovers(dir) {
  const { start, processes } = readProcesses(dir);
  if (start && stillRunning([start]).length > 0) throw new Error(`already running from this folder (process ${start.pid}): stop it first`);
  const end = Date.now() + END_WITHIN_MS;
  let left = stillRunning(processes);
  for (const one of left.toReversed()) signal(one);
  for (; left.length > 0; left = stillRunning(left)) {
    if (Date.now() > end) throw new Error(`${left[0].name} of an earlier start (process ${left[0].pid}) does not end: end it first`);
    await pause(50);
  }
  removeProcesses(dir);
}

/** A power failure may leave an empty file, and nothing running. */
function readProcesses(dir) {
  try {
    return JSON.parse(readFileSync(fileOf(dir), 'utf8'));
  } catch {
    return { processes: [] };
  }
}

/** Leaves out this process, and processes that started at another time: process ids are reused. macOS has no /proc. */
function stillRunning(processes) {
  const pids = processes.map(({ pid }) => pid).filter((pid) => pid !== process.pid);
  if (pids.length === 0) return [];
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  const { stdout } = spawnSync('ps', ['-o', 'pid=,stat=,lstart=', '-p', pids.join()], { encoding: 'utf8', env });
  const lines = (stdout ?? '').split('\n').map((line) => /^\s*(\d+)\s+([^Z\s]\S*)\s+(.+)$/.exec(line));
  const startedAt = new Map(lines.filter(Boolean).map(([, pid, , time]) => [Number(pid), Date.parse(`${time} UTC`)]));
  return processes.filter(({ pid, started_at }) => Math.abs(startedAt.get(pid) - started_at) < TOLERANCE_MS);
}

/** The next PostgreSQL cannot start before the backends have ended, and ends them itself only on SIGQUIT. */
function signal({ name, pid }) {
  try {
    process.kill(pid, name === 'PostgreSQL' ? 'SIGQUIT' : 'SIGKILL');
  } catch {
    // It has ended, or belongs to another account and does not end.
  }
}
