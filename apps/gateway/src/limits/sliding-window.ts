const WINDOW_MS = 60_000;

/** Times of the last minute, in memory: never more than the limit in any 60 seconds. */
export class SlidingWindow {
  private times: number[] = [];

  count(now: number): number {
    // A later time than now is left from before the clock was set back.
    this.times = this.times.filter((time) => time > now - WINDOW_MS && time <= now);
    return this.times.length;
  }

  /** @returns 0 when allowed, else the whole seconds to wait */
  take(limit: number, now: number): number {
    const wait = this.waitSeconds(limit, now);
    if (wait === 0) this.times.push(now);
    return wait;
  }

  waitSeconds(limit: number, now: number): number {
    const count = this.count(now);
    if (count < limit) return 0;
    const leaving = this.times[count - limit] as number;
    return Math.min(60, Math.max(1, Math.ceil((leaving + WINDOW_MS - now) / 1_000)));
  }
}
