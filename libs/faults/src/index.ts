/**
 * Kills the process like `kill -9` if a test names this point in CRASH_AT. Outside NODE_ENV=test it does nothing. The points mark the gaps
 * between two steps (guarantees §8), and tests prove that nothing is lost in them.
 */
export function crashPoint(name: string): void {
  if (process.env['NODE_ENV'] === 'test' && process.env['CRASH_AT'] === name) process.kill(process.pid, 'SIGKILL');
}
