/** As many at once are a burst, not load. */
const BURST = 24;
/** Beyond this level more load is not remembered: it is over soon after the last of it came. */
const MOST = 96;

/** Whether events come faster than a rate, smoothed: a level that rises with each of them and ebbs at that rate. */
export class Load {
  private level = 0;
  private seenAt = performance.now();

  constructor(private readonly perSecond: number) {}

  /** @returns whether there is load, with those that came just now */
  isHighWith(events: number): boolean {
    const now = performance.now();
    const ebbed = ((now - this.seenAt) / 1_000) * this.perSecond;
    this.seenAt = now;
    this.level = Math.min(MOST, Math.max(0, this.level - ebbed) + events);
    return this.level >= BURST;
  }
}
