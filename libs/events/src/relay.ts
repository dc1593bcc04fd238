import { setTimeout as pause } from 'node:timers/promises';
import type { EventEnvelope } from '@mgw/contracts';
import { DeadlineExceeded } from '@mgw/deadlines';
import type { Tx } from '@mgw/postgres';
import { RepeatedWarning } from '@mgw/telemetry';
import { olderUnpublished, outboxRow, type OutboxRow } from './outbox';
import { Load } from './load';
import { OutboxHandled } from './outbox-handled';
import { OutboxDeadLetters, REPLAY_REQUESTED } from './outbox-dead-letters';
import { OutboxRefill } from './outbox-refill';
import { OutboxStreams, type Published } from './outbox-streams';
import { Publisher } from './publisher';
import type { OutboxRelayOptions } from './relay-options';
import { Signal } from './signal';

/** Events, and bytes of their bodies, that one reading of the outbox publishes. */
const BATCH = 256;
const BATCH_BYTES = 1024 ** 2;
/** Events, and characters of their bodies, that wait in memory. The outbox holds the others. */
const MAX_IN_MEMORY = 2_000;
const MAX_IN_MEMORY_CHARACTERS = 2 * 1024 ** 2;
/** Ids of events that are or were in memory; beyond this the oldest is dropped. */
const MAX_TAKEN = 2 * MAX_IN_MEMORY;
/** How long published events are collected before one statement marks them, in milliseconds. */
const MARK_AFTER_MS = 250;
const RETRY_MS = 500;
/** Longest wait for the events of another service after a loss, in milliseconds. */
const PREDECESSORS_WITHIN_MS = 10_000;
/** Pause between two looks whether events are published, in milliseconds. */
const PUBLISHED_POLL_MS = 50;

interface OutboxReading {
  /** Ids of the events that were published and marked. */
  published: string[];
  /** Number of events that were read. */
  found: number;
  /** Whether more events may wait behind them. */
  isFull: boolean;
}

/**
 * Publishes the events of the outbox, oldest first. An event counts as published when JetStream has acknowledged it, so it may be
 * published twice but is never lost. Replicas share the work: one at a time reads the outbox, under the schema's lock. A process publishes
 * its own new events from memory, unless older events of the same keys are unpublished and not in its memory: those of another replica, or
 * its own whose commit lost its response.
 */
export class OutboxRelay {
  private readonly streams: OutboxStreams;
  private readonly publisher: Publisher;
  private readonly refill: OutboxRefill;
  private readonly handled: OutboxHandled;
  private readonly deadLetters: OutboxDeadLetters;
  private readonly signal = new Signal();
  private readonly load = new Load();
  /** Events that were just committed; all older unpublished events of their keys were taken into memory before. */
  private inMemory: OutboxRow[] = [];
  private inMemoryCharacters = 0;
  /** Ids of events that were taken into memory since it was last dropped, published ones too. */
  private readonly taken = new Set<string>();
  /** Whether the last reading emptied the outbox, and no new events were reported since. */
  private caughtUp = false;
  private unmarked: Published[] = [];
  private markAt = Infinity;
  private readOutboxAt = -Infinity;
  /** Until then it waits for the events that its own follow. */
  private waitUntil = -Infinity;
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: OutboxRelayOptions) {
    this.streams = new OutboxStreams(options, () => this.signal.notify());
    this.publisher = new Publisher(options, this.streams);
    this.refill = new OutboxRefill(options, this.streams);
    this.handled = new OutboxHandled(options, this.streams);
    this.deadLetters = new OutboxDeadLetters(options);
  }

  start(): void {
    this.ended = this.run();
  }

  /** Reports that the outbox holds new events. */
  wake(): void {
    this.caughtUp = false;
    this.signal.notify();
  }

  /**
   * Publishes events that the caller has committed to the outbox: from memory if `allowDirectPublish` allows it for all of them, otherwise by
   * a reading of the outbox, in their order.
   */
  publishCommitted(events: readonly EventEnvelope[]): void {
    if (events.length === 0) return;
    const rows = events.map(outboxRow);
    const characters = rows.reduce((sum, { body }) => sum + body.length, 0);
    const fits = this.inMemory.length + rows.length <= MAX_IN_MEMORY && this.inMemoryCharacters + characters <= MAX_IN_MEMORY_CHARACTERS;
    if (!this.caughtUp || !fits || !this.knowsOlder(events)) return this.wake();
    this.take(rows);
    this.inMemoryCharacters += characters;
    this.signal.notify();
  }

  /** Whether all older unpublished events of their keys are among them or were taken into memory. */
  private knowsOlder(events: readonly EventEnvelope[]): boolean {
    const own = new Set(events.map(({ id }) => id));
    const lists = new Set(events.map(olderUnpublished));
    return [...lists].every((older) => older?.every((id) => own.has(id) || this.taken.has(id)) ?? false);
  }

  private take(rows: readonly OutboxRow[]): void {
    this.inMemory.push(...rows);
    for (const { event_id } of rows) this.taken.add(event_id);
    for (const id of this.taken) {
      if (this.taken.size <= MAX_TAKEN) break;
      this.taken.delete(id);
    }
  }

  /** Finishes the batch in progress and publishes the events in memory, before another replica publishes later ones of their keys. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.signal.end();
    await this.ended;
    // On failure the outbox still holds them. Events without a mark are published again, and consumers have inboxes.
    if (!this.mustWait) await this.finish().catch(() => undefined);
    await Promise.all([this.refill.stop(), this.handled.close()]);
    this.streams.close();
  }

  /**
   * Waits until the events that are committed by now are published, to the streams as they are now.
   * @param until when to give up, in milliseconds since the epoch
   * @throws DeadlineExceeded
   */
  async published(until: number): Promise<void> {
    const { db, schema } = this.options;
    // The process may not have noticed yet that a stream has lost events.
    await this.streams.compareAll();
    this.wake();
    const [last] = await db.query<{ seq: string | null }>(`SELECT max(seq) AS seq FROM ${schema}.outbox WHERE published_at IS NULL`);
    const waiting = `SELECT FROM ${schema}.outbox WHERE published_at IS NULL AND seq <= $1 LIMIT 1`;
    while ((await db.query(waiting, [last?.seq])).length > 0) {
      if (this.stopped || Date.now() + PUBLISHED_POLL_MS > until) throw new DeadlineExceeded('the outbox still holds events');
      await pause(PUBLISHED_POLL_MS);
    }
  }

  private get mustWait(): boolean {
    return performance.now() < this.waitUntil;
  }

  private async run(): Promise<void> {
    const { logger, schema } = this.options;
    const failed = new RepeatedWarning(logger, 'publishing events failed; they stay in the outbox', { schema });
    while (!this.stopped) {
      try {
        if (await this.isConnected()) await this.step();
      } catch (error) {
        failed.warn(error);
        this.leaveToOutbox();
        await this.signal.rest(RETRY_MS);
      }
    }
  }

  /** Waits for NATS. The outbox holds the events that are committed meanwhile. */
  private async isConnected(): Promise<boolean> {
    if (this.streams.link.isUp) return true;
    this.leaveToOutbox();
    await this.signal.wait(RETRY_MS);
    return false;
  }

  private async step(): Promise<void> {
    if (await this.streams.check()) {
      this.leaveToOutbox();
      this.waitUntil = performance.now() + PREDECESSORS_WITHIN_MS;
    }
    if (this.mustWait) await this.waitForPredecessors();
    this.handled.check();
    // Even under load, because the events of a dead replica must not wait for an idle moment.
    const isTime = performance.now() >= this.readOutboxAt;
    if (this.inMemory.length > 0 && !isTime) await this.publishFromMemory();
    else if (this.unmarked.length > 0 && (isTime || !this.caughtUp || performance.now() >= this.markAt)) await this.mark();
    else if (isTime || !this.caughtUp) await this.publishFromOutbox();
    else await this.signal.wait(Math.min(this.markAt, this.readOutboxAt) - performance.now());
  }

  private async waitForPredecessors(): Promise<void> {
    const { predecessorsPublished = () => Promise.resolve() } = this.options;
    // If the connection breaks meanwhile, the store that they were published to may be lost.
    await this.streams.whileCompared(predecessorsPublished);
    this.waitUntil = -Infinity;
  }

  private async finish(): Promise<void> {
    while (this.inMemory.length > 0) await this.publishFromMemory();
    await this.mark();
    if (!this.caughtUp) await this.publishFromOutbox();
  }

  private async publishFromMemory(): Promise<void> {
    const rows = this.takeFromMemory();
    const published = await this.publish(rows);
    this.unmarked.push(...published);
    if (this.markAt === Infinity) this.markAt = performance.now() + MARK_AFTER_MS;
    if (published.length < rows.length) this.leaveToOutbox();
    if (this.unmarked.length >= BATCH) await this.mark();
    await this.load.pause(rows.length, rows.length === BATCH);
  }

  private takeFromMemory(): OutboxRow[] {
    let [count, characters] = [0, 0];
    for (const { body } of this.inMemory) {
      if (count === BATCH || (count > 0 && characters + body.length > BATCH_BYTES)) break;
      count += 1;
      characters += body.length;
    }
    this.inMemoryCharacters -= characters;
    return this.inMemory.splice(0, count);
  }

  /** Drops the events in memory; a later reading finds them in the outbox, in their order. */
  private leaveToOutbox(): void {
    this.caughtUp = false;
    this.inMemory = [];
    this.inMemoryCharacters = 0;
    this.taken.clear();
  }

  private async mark(): Promise<void> {
    const published = this.unmarked;
    this.unmarked = [];
    this.markAt = Infinity;
    if (published.length > 0 && !(await this.streams.mark(this.options.db.nonDurable, published))) this.leaveToOutbox();
  }

  private async publish(rows: OutboxRow[]): Promise<Published[]> {
    const published = await this.publisher.publish(rows);
    for (const { stream } of published) this.handled.notePublished(stream);
    return published;
  }

  private async publishFromOutbox(): Promise<void> {
    const { db, pollMs = 1_000 } = this.options;
    if (this.caughtUp && !(await this.hasWork(pollMs))) {
      this.readOutboxAt = performance.now() + pollMs;
      return;
    }
    // Unless new events were reported, read older ones only: another replica may be about to publish younger ones from memory.
    const olderThanMs = this.caughtUp ? pollMs : 0;
    // Set first: the reading may miss events that are reported meanwhile.
    this.caughtUp = true;
    // The commit need not wait for the disk: an event whose mark is lost is published again.
    const seen = await db.transaction((tx) => this.publishWaiting(tx, olderThanMs), { durable: false, mayPause: true });
    this.readOutboxAt = performance.now() + pollMs;
    if (seen === 'elsewhere') {
      if (olderThanMs > 0) return;
      // Another replica reads the outbox, and may have read it before our events were committed.
      this.leaveToOutbox();
      await this.signal.wait(25);
      return;
    }
    this.dropPublished(new Set(seen.published));
    const failed = seen.published.length < seen.found;
    if (failed || seen.isFull) this.leaveToOutbox();
    if (failed) await this.signal.rest(RETRY_MS);
    else await this.load.pause(seen.found, seen.isFull);
  }

  /** Looks without a transaction, because most polls find nothing. */
  private async hasWork(olderThanMs: number): Promise<boolean> {
    const { db, schema } = this.options;
    const [row] = await db.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT FROM ${schema}.outbox_streams WHERE refill_until IS NOT NULL)
         OR EXISTS (SELECT FROM ${schema}.dead_letters WHERE ${REPLAY_REQUESTED})
         OR EXISTS (SELECT FROM (
              SELECT FROM ${schema}.outbox
              WHERE published_at IS NULL AND created_at <= clock_timestamp() - $1 * interval '1 millisecond' ORDER BY seq LIMIT 1
            ) waiting) AS found`,
      [olderThanMs],
    );
    return row?.found ?? true;
  }

  /** Drops events from memory that the reading has published. */
  private dropPublished(published: Set<string>): void {
    if (published.size === 0) return;
    this.inMemory = this.inMemory.filter(({ event_id }) => !published.has(event_id));
    this.inMemoryCharacters = this.inMemory.reduce((sum, { body }) => sum + body.length, 0);
  }

  /** @returns 'elsewhere' when another replica holds the lock */
  private async publishWaiting(tx: Tx, olderThanMs: number): Promise<OutboxReading | 'elsewhere'> {
    const { schema } = this.options;
    const { maxBody } = this.publisher;
    type Found = { [K in keyof OutboxRow]: OutboxRow[K] | null } & {
      held: boolean;
      refills: string[] | null;
      is_large: boolean;
      waiting: string;
    };
    const found = await tx.query<Found>(
      `WITH lock AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtext($1)) AS held), waiting AS MATERIALIZED (
         SELECT o.*, octet_length(o.body) AS bytes FROM lock, LATERAL (
           SELECT seq, event_id, subject, ordering_key, body, traceparent FROM ${schema}.outbox
           WHERE published_at IS NULL AND created_at <= clock_timestamp() - $2 * interval '1 millisecond' AND lock.held
           ORDER BY seq LIMIT ${BATCH}
         ) o
       ), budgeted AS (
         SELECT *, bytes > $3 AS is_large,
           sum(CASE WHEN bytes > $3 THEN 0 ELSE bytes END) OVER (ORDER BY seq) AS bytes_to_here, row_number() OVER (ORDER BY seq) AS nth
         FROM waiting
       )
       SELECT lock.held, (SELECT count(*) FROM waiting) AS waiting, (SELECT array_agg(stream) FROM ${schema}.outbox_streams WHERE refill_until IS NOT NULL) AS refills,
         b.event_id, b.subject, b.ordering_key, CASE WHEN b.is_large THEN '' ELSE b.body END AS body, b.traceparent, b.is_large
       FROM lock LEFT JOIN budgeted b ON b.bytes_to_here <= ${BATCH_BYTES} OR b.nth = 1 ORDER BY b.seq`,
      [`${schema}.outbox`, olderThanMs, maxBody],
    );
    this.refill.start(found[0]?.refills ?? []);
    if (!found[0]?.held) return 'elsewhere';
    const rows = found.filter((row): row is Found & OutboxRow => row.event_id !== null);
    const large = rows.filter(({ is_large }) => is_large).map(({ event_id }) => event_id);
    if (large.length > 0) await this.deadLetters.setAside(tx, large, maxBody);
    const published = await this.publish(rows.filter(({ is_large }) => !is_large));
    const marked = published.length === 0 || (await this.streams.mark(tx, published));
    const isReplayed = await this.deadLetters.replay(tx, maxBody);
    return {
      published: [...large, ...(marked ? published.map(({ event_id }) => event_id) : [])],
      found: rows.length,
      isFull: rows.length === BATCH || rows.length < Number(found[0].waiting) || isReplayed,
    };
  }
}
