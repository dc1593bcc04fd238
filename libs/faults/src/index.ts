/**
 * Dies on the spot, as `kill -9` would, when a test names this point in CRASH_AT. Outside NODE_ENV=test it does nothing:
 * the points mark the gaps between two steps of the flow (guarantees §8), and tests prove that nothing is lost in them.
 */
export function crashPoint(name: string): void {
  if (process.env['NODE_ENV'] === 'test' && process.env['CRASH_AT'] === name) process.kill(process.pid, 'SIGKILL');
}
