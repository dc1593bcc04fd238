import { setTimeout as pause } from 'node:timers/promises';

/** Events a second above which batching pays; lower for latency-tolerant work. */
const BUSY_PER_SECOND = 800;
const BUSY_PER_SECOND_LATENCY_TOLERANT = 100;
/** This many events at once are a burst, not load. */
const BURST = 24;
/** A bound, so that the level falls soon after the load ends. */
const MAX_LEVEL = 96;
/** Pause at the highest level, in milliseconds. */
const MAX_PAUSE_MS = 50;

/**
 * Measures load, and pauses a loop under load so that more events share one message and one commit. A level rises with each event and
 * falls at a fixed rate; the pause grows with the level.
 */
export class Load {
  private level = 0;
  private seenAt = performance.now();

  private readonly perSecond: number;

  /** @param latencyTolerant whether the work may wait for a batch at a lower load */
  constructor({ latencyTolerant = false } = {}) {
    this.perSecond = latencyTolerant ? BUSY_PER_SECOND_LATENCY_TOLERANT : BUSY_PER_SECOND;
  }

  /** @param isFull the batch was full, so a pause would not make the next one larger */
  async pause(events: number, isFull: boolean): Promise<void> {
    const pauseMs = this.pauseAfter(events);
    if (pauseMs > 0 && !isFull) await pause(pauseMs);
  }

  /** Adds the events to the level. @returns the pause in milliseconds; 0 without load */
  pauseAfter(events: number): number {
    const now = performance.now();
    const fallen = ((now - this.seenAt) / 1_000) * this.perSecond;
    this.seenAt = now;
    this.level = Math.min(MAX_LEVEL, Math.max(0, this.level - fallen) + events);
    return this.level < BURST ? 0 : (this.level / MAX_LEVEL) * MAX_PAUSE_MS;
  }
}
