/** Events a second that are load; and for work that nobody waits for. */
const BUSY = 800;
const BUSY_LATENCY_TOLERANT = 100;
/** As many at once are a burst, not load. */
const BURST = 24;
/** Beyond this level more load is not remembered: it is over soon after the last of it came. */
const MOST = 96;
/** At that level, in milliseconds. */
const LONGEST_REST_MS = 50;

/**
 * How long to rest, so that more events come together: one message, one commit for many instead of one for a few. That is
 * worth it when they come faster than a rate. A level rises with each event and ebbs at that rate, and the rest grows with it.
 */
export class Load {
  private level = 0;
  private seenAt = performance.now();

  private readonly perSecond: number;

  /** @param latencyTolerant nobody waits for the work */
  constructor({ latencyTolerant = false } = {}) {
    this.perSecond = latencyTolerant ? BUSY_LATENCY_TOLERANT : BUSY;
  }

  /** Rests as long as `restAfter` says. @param isEnough more would not come together, or need not */
  async pause(events: number, isEnough: boolean): Promise<void> {
    const restMs = this.pauseAfter(events);
    if (restMs > 0 && !isEnough) await new Promise((resume) => setTimeout(resume, restMs));
  }

  /** @returns milliseconds, with those that came just now; 0 when there is no load */
  pauseAfter(events: number): number {
    const now = performance.now();
    const ebbed = ((now - this.seenAt) / 1_000) * this.perSecond;
    this.seenAt = now;
    this.level = Math.min(MOST, Math.max(0, this.level - ebbed) + events);
    return this.level < BURST ? 0 : (this.level / MOST) * LONGEST_REST_MS;
  }
}
