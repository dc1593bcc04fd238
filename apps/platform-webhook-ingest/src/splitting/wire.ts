import { Inject, Injectable } from '@nestjs/common';
import { StreamProgress } from '@mgw/events';
import type { NatsConnection } from '@mgw/nats';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';

/** Events between their release here and their consumers, of all lanes that wait together. */
const LEAST_ON_THE_WAY = 300;
const MOST_ON_THE_WAY = 10_000;
/** More are released while the consumers are closer behind than this, in milliseconds … */
const CLOSE_MS = 400;
/** … and fewer when they are further behind than this. */
const FAR_MS = 800;
const FASTER = 1.15;
const SLOWER = 0.8;
/** The share of a lane, however many wait. */
const LEAST_SHARE = 50;
const POLL_EVERY_MS = 50;
const RETRY_AFTER_MS = 1_000;
/** Releases this close together count as one, in milliseconds. */
const MERGED_WITHIN_MS = 10;
/** When consumers stand still the last sample is replaced, which only counts events as handled later. */
const MOST_SAMPLES = 100;
/** The send service sets the pace even while it is stopped: without it nothing comes of an event anyway. */
const PACEMAKER = /^send-/;

interface Released {
  at: number;
  count: number;
}

/**
 * Bounds the events of each business that are on their way to the consumers of the PLATFORM stream, which is first in, first out.
 * Beyond its share a business's callbacks wait in `ingest.deliveries`, so that the next event of another business has at most
 * these before it. Each replica counts what it has released itself.
 */
@Injectable()
export class Wire {
  private readonly lanes = new Map<number, Released[]>();
  /** All events released before `until` are in the stream, up to `seq`. */
  private samples: { until: number; seq: number }[] = [];
  private readonly progress: StreamProgress;
  private waitingLanes = 1;
  private together = LEAST_ON_THE_WAY;
  /** A lane had no room since the last look. */
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

  /** How many lanes share the room. */
  share(lanes: number): void {
    this.waitingLanes = Math.max(1, lanes);
  }

  /** How many events of a lane may be released now. */
  room(lane: number): number {
    const share = Math.max(LEAST_SHARE, Math.floor(this.together / this.waitingLanes));
    const room = Math.max(0, share - countOf(this.lanes.get(lane) ?? []));
    if (room < share / 2) void this.poll();
    if (room === 0) this.isShort = true;
    return room;
  }

  /** Whether a callback with this many events may be released now; one that is larger than the share goes when nothing else of its lane is on the way. */
  admits(lane: number, events: number): boolean {
    return events <= this.room(lane) || !this.lanes.has(lane);
  }

  /** The events are committed to the outbox. */
  note(lane: number, count: number): void {
    if (count === 0) return;
    const released = this.lanes.get(lane) ?? [];
    const at = performance.now();
    const last = released.at(-1);
    if (last && at - last.at < MERGED_WITHIN_MS) last.count += count;
    else released.push({ at, count });
    this.lanes.set(lane, released);
  }

  /** Finds out what the consumers have handled. Never throws. */
  private async poll(): Promise<void> {
    if (this.polling || performance.now() - this.polledAt < POLL_EVERY_MS) return;
    this.polling = true;
    try {
      await this.look();
      this.polledAt = performance.now();
    } catch (error) {
      this.logger.warn({ err: error }, 'reading the progress of consumers failed; will retry, meanwhile businesses with many events wait');
      this.polledAt = performance.now() + RETRY_AFTER_MS;
    } finally {
      this.polling = false;
    }
  }

  private async look(): Promise<void> {
    const at = performance.now();
    const [oldest] = await this.db.query<{ age: number }>(
      `SELECT (extract(epoch FROM clock_timestamp() - created_at) * 1000)::float8 AS age FROM ingest.outbox
       WHERE published_at IS NULL ORDER BY seq LIMIT 1`,
    );
    const { last, handled } = await this.progress.read();
    const sample = { until: at - (oldest?.age ?? 0), seq: last };
    const replacesLast = this.samples.at(-1)?.seq === sample.seq || this.samples.length === MOST_SAMPLES;
    this.samples.splice(this.samples.length - Number(replacesLast), Number(replacesLast), sample);
    const until = this.samples.findLast(({ seq }) => seq <= handled)?.until;
    this.samples = this.samples.filter(({ seq }) => seq > handled);
    if (until !== undefined) this.removeHandled(until);
    this.adjust(at);
  }

  private removeHandled(until: number): void {
    for (const [lane, released] of this.lanes) {
      const left = released.filter((one) => one.at >= until);
      if (left.length === 0) this.lanes.delete(lane);
      else this.lanes.set(lane, left);
    }
  }

  /** The next event of another business waits about as long as the oldest one on the way has waited already. */
  private adjust(now: number): void {
    const oldest = Math.min(...[...this.lanes.values()].map(([first]) => first?.at ?? now), now);
    if (now - oldest > FAR_MS) this.together = Math.max(LEAST_ON_THE_WAY, this.together * SLOWER);
    else if (now - oldest < CLOSE_MS && this.isShort) this.together = Math.min(MOST_ON_THE_WAY, this.together * FASTER);
    this.isShort = false;
  }
}

function countOf(released: Released[]): number {
  return released.reduce((sum, { count }) => sum + count, 0);
}
