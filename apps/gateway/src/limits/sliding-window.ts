const WINDOW_MS = 60_000;

/** Moments of the last minute, in memory: never more than the limit in any 60 seconds. */
export class SlidingWindow {
  private moments: number[] = [];

  /** How many there were within the last minute. */
  count(now: number): number {
    const firstValid = this.moments.findIndex((moment) => moment > now - WINDOW_MS);
    this.moments = firstValid === -1 ? [] : this.moments.slice(firstValid);
    return this.moments.length;
  }

  /** @returns 0 when taken, else the whole seconds until one may be */
  take(limit: number, now: number): number {
    const wait = this.waitSeconds(limit, now);
    if (wait === 0) this.moments.push(now);
    return wait;
  }

  waitSeconds(limit: number, now: number): number {
    const count = this.count(now);
    if (count < limit) return 0;
    const leaving = this.moments[count - limit] as number;
    return Math.min(60, Math.max(1, Math.ceil((leaving + WINDOW_MS - now) / 1_000)));
  }
}
