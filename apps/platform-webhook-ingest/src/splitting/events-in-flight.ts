import { Inject, Injectable } from '@nestjs/common';
import { StreamProgress } from '@mgw/events';
import type { NatsConnection } from '@mgw/nats';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';

/** Bounds of the events in flight to the consumers, of all waiting lanes together. */
const MIN_IN_FLIGHT = 300;
const MAX_IN_FLIGHT = 10_000;
/** The bound grows while the consumers lag less than this, in milliseconds. */
const SHORT_LAG_MS = 400;
/** The bound shrinks while they lag more than this. */
const LONG_LAG_MS = 800;
const GROWTH = 1.15;
const SHRINKAGE = 0.8;
/** The smallest share of a lane. */
const MIN_SHARE = 50;
const POLL_EVERY_MS = 50;
const RETRY_AFTER_MS = 1_000;
/** Additions this close together count as one, in milliseconds. */
const MERGED_WITHIN_MS = 10;
/** While consumers make no progress a new sample replaces the last one, so events only count as handled later. */
const MAX_SAMPLES = 100;
/** The send service sets the pace even while it is stopped, because every event needs it. */
const PACEMAKER = /^send-/;

interface Addition {
  at: number;
  count: number;
}

/**
 * Bounds the events of each business that are in flight to the consumers of the PLATFORM stream. The stream is first in, first out, so
 * an event waits for all in flight before it. Beyond its share a business's callbacks wait in `ingest.callbacks`. Each replica counts
 * its own events.
 */
@Injectable()
export class EventsInFlight {
  private readonly lanes = new Map<number, Addition[]>();
  /** The stream holds all events that were added before `until`; the last one has `seq`. */
  private samples: { until: number; seq: number }[] = [];
  private readonly progress: StreamProgress;
  private waitingLanes = 1;
  private bound = MIN_IN_FLIGHT;
  /** A lane had no room since the last poll. */
  private isShort = false;
  private polledAt = 0;
  private polling = false;

  constructor(
    private readonly db: Database,
    @Inject(NATS) nc: NatsConnection,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.progress = new StreamProgress(nc, 'PLATFORM', PACEMAKER);
  }

  /** Sets how many lanes share the bound. */
  divideAmong(lanes: number): void {
    this.waitingLanes = Math.max(1, lanes);
  }

  /** How many events of a lane may be published now. */
  room(lane: number): number {
    const share = Math.max(MIN_SHARE, Math.floor(this.bound / this.waitingLanes));
    const room = Math.max(0, share - countOf(this.lanes.get(lane) ?? []));
    if (room < share / 2) void this.poll();
    if (room === 0) this.isShort = true;
    return room;
  }

  /**
   * Whether a callback with this many events may be published now. A callback that exceeds the share must wait until none of its lane is in
   * flight.
   */
  admits(lane: number, events: number): boolean {
    return events <= this.room(lane) || !this.lanes.has(lane);
  }

  /** Counts events that are committed to the outbox. */
  add(lane: number, count: number): void {
    if (count === 0) return;
    const additions = this.lanes.get(lane) ?? [];
    const at = performance.now();
    const last = additions.at(-1);
    if (last && at - last.at < MERGED_WITHIN_MS) last.count += count;
    else additions.push({ at, count });
    this.lanes.set(lane, additions);
  }

  /** Reads what the consumers have handled. Never throws. */
  private async poll(): Promise<void> {
    if (this.polling || performance.now() - this.polledAt < POLL_EVERY_MS) return;
    this.polling = true;
    try {
      await this.sample();
      this.polledAt = performance.now();
    } catch (error) {
      this.logger.warn({ err: error }, 'reading the progress of consumers failed; will retry, and businesses with many events wait');
      this.polledAt = performance.now() + RETRY_AFTER_MS;
    } finally {
      this.polling = false;
    }
  }

  private async sample(): Promise<void> {
    const at = performance.now();
    const [oldest] = await this.db.query<{ age: number }>(
      `SELECT (extract(epoch FROM clock_timestamp() - created_at) * 1000)::float8 AS age FROM ingest.outbox
       WHERE published_at IS NULL ORDER BY seq LIMIT 1`,
    );
    const { last, handled } = await this.progress.read();
    const sample = { until: at - (oldest?.age ?? 0), seq: last };
    const replacesLast = this.samples.at(-1)?.seq === sample.seq || this.samples.length === MAX_SAMPLES;
    this.samples.splice(this.samples.length - Number(replacesLast), Number(replacesLast), sample);
    const until = this.samples.findLast(({ seq }) => seq <= handled)?.until;
    this.samples = this.samples.filter(({ seq }) => seq > handled);
    if (until !== undefined) this.removeHandled(until);
    this.adjust(at);
  }

  private removeHandled(until: number): void {
    for (const [lane, additions] of this.lanes) {
      const left = additions.filter(({ at }) => at >= until);
      if (left.length === 0) this.lanes.delete(lane);
      else this.lanes.set(lane, left);
    }
  }

  /** The next event of another business will wait about as long as the oldest one in flight has waited already. */
  private adjust(now: number): void {
    const oldest = Math.min(...[...this.lanes.values()].map(([first]) => first?.at ?? now), now);
    if (now - oldest > LONG_LAG_MS) this.bound = Math.max(MIN_IN_FLIGHT, this.bound * SHRINKAGE);
    else if (now - oldest < SHORT_LAG_MS && this.isShort) this.bound = Math.min(MAX_IN_FLIGHT, this.bound * GROWTH);
    this.isShort = false;
  }
}

function countOf(additions: Addition[]): number {
  return additions.reduce((sum, { count }) => sum + count, 0);
}
