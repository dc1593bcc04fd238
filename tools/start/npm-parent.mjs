// Notices the death of the npm that runs this script. A killed npm cannot pass on a signal.
import { spawnSync } from 'node:child_process';

const POLL_EVERY_MS = 500;

/** @returns the id of npm's process; a shell may run between it and this script. Undefined without npm. */
function npmPid() {
  if (!process.env.npm_lifecycle_event) return undefined;
  for (let pid = process.ppid; pid > 1;) {
    const [, parent, command] =
      /^\s*(\d+)\s+(.*)/.exec(spawnSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], { encoding: 'utf8' }).stdout) ?? [];
    if (command === undefined || /\bnpm\b/.test(command)) return command && pid;
    pid = Number(parent);
  }
  return undefined;
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Calls `act` once when npm has died. */
export function onNpmDeath(act) {
  const pid = npmPid();
  if (pid === undefined) return;
  const looking = setInterval(() => {
    if (isAlive(pid)) return;
    clearInterval(looking);
    act();
  }, POLL_EVERY_MS);
  looking.unref();
}
