import type { EventEnvelope } from '@mgw/contracts';
import { crashPoint } from '@mgw/faults';
import type { Database, Tx } from '@mgw/postgres';
import { counter, traced, type Logger } from '@mgw/telemetry';
import { headers, type JetStreamClient, type NatsConnection, type PubAck } from 'nats';
import { outboxRow, type OutboxRow } from './outbox';
import { Load } from './load';
import { OutboxStreams } from './outbox-streams';
import { Signal } from './signal';
import { isFull } from './streams';
import { TRACE_HEADER, spanAttributes } from './trace';

export interface OutboxRelayOptions {
  db: Database;
  schema: string;
  nc: NatsConnection;
  logger: Logger;
  /** How often it looks when nobody nudges it, in milliseconds. */
  pollMs?: number;
}

type Waiting = Pick<OutboxRow, 'event_id' | 'subject' | 'body' | 'traceparent'>;

const BATCH = 256;
/** Events a second from which on it rests after a batch, and for how long, in milliseconds. */
const BUSY = 800;
const GATHER_MS = 10;
/** Events in memory at most; what is beyond is found in the outbox. */
const MOST_HANDED = 2_000;
/** How long told events wait to be marked together, in milliseconds. */
const MARK_AFTER_MS = 50;
const ACK_WITHIN_MS = 5_000;
const published = counter('mgw_events_published_total', 'Events handed to JetStream', ['schema']);

/**
 * Tells what the outbox holds, oldest first: an event counts as told when JetStream has acknowledged it. Replicas share the
 * work: one at a time reads the outbox, under the schema's lock. What this process has just committed it tells from memory,
 * as long as nothing older is known to wait. An event may be told twice, never not at all.
 */
export class OutboxRelay {
  private readonly streams: OutboxStreams;
  private readonly signal = new Signal();
  private readonly load = new Load(BUSY);
  /** Committed just now, and nothing waits before it. */
  private handed: Waiting[] = [];
  /** Whether the last look found nothing that was left, and nobody has said since that something is there. */
  private caughtUp = false;
  private unmarked: { event_id: string; ack: PubAck }[] = [];
  private markAt = Infinity;
  private lookAt = 0;
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: OutboxRelayOptions) {
    this.streams = new OutboxStreams(options);
  }

  start(): void {
    this.ended = this.run();
  }

  /** Says that there is something to tell. */
  nudge(): void {
    this.caughtUp = false;
    this.signal.give();
  }

  /** As nudge, with the events: those that the caller's commit has put into the outbox, and no others. */
  tell(events: readonly EventEnvelope[]): void {
    if (events.length === 0) return;
    if (!this.caughtUp || this.handed.length + events.length > MOST_HANDED) return this.nudge();
    this.handed.push(...events.map(outboxRow));
    this.signal.give();
  }

  /** Finishes the batch under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.ended;
    // What is not marked is told again, and deduplicated.
    await this.mark().catch(() => undefined);
    this.streams.close();
  }

  private async run(): Promise<void> {
    const { logger, schema } = this.options;
    while (!this.stopped) {
      try {
        await this.streams.check();
        // However much is handed over: what a replica that died has left must not wait for a quiet moment.
        if (Date.now() >= this.lookAt) this.giveUpHanded();
        if (this.handed.length > 0) await this.tellHanded();
        else if (this.unmarked.length > 0 && (!this.caughtUp || Date.now() >= this.markAt)) await this.mark();
        else if (!this.caughtUp) await this.look();
        else await this.signal.wait(Math.min(this.markAt, this.lookAt) - Date.now());
      } catch (error) {
        logger.warn({ err: error, schema }, 'events could not be told now; they stay in the outbox');
        this.giveUpHanded();
        await this.signal.wait(500);
      }
    }
  }

  private async tellHanded(): Promise<void> {
    const rows = this.handed.splice(0, BATCH);
    const acks = await this.publish(rows);
    this.unmarked.push(...acks.map((ack, i) => ({ event_id: (rows[i] as Waiting).event_id, ack })));
    if (this.markAt === Infinity) this.markAt = Date.now() + MARK_AFTER_MS;
    if (acks.length < rows.length) this.giveUpHanded();
    if (this.unmarked.length >= BATCH) await this.mark();
    await this.gather(rows.length);
  }

  /** They are found in the outbox, in their order. */
  private giveUpHanded(): void {
    this.caughtUp = false;
    this.handed = [];
  }

  private async mark(): Promise<void> {
    const told = this.unmarked;
    this.unmarked = [];
    this.markAt = Infinity;
    if (told.length === 0) return;
    const ids = told.map(({ event_id }) => event_id);
    await this.streams.mark(
      this.options.db.relaxed,
      ids,
      told.map(({ ack }) => ack),
    );
  }

  private async look(): Promise<void> {
    const { db, schema, pollMs = 1_000 } = this.options;
    // Whoever speaks up meanwhile may not have been seen.
    this.caughtUp = true;
    // What is not marked is told again, and deduplicated: the mark need not wait for the disk.
    const told = await db.transaction((tx) => this.tellWaiting(tx, schema), { durable: false });
    if (told === 'elsewhere' || told === 'not all' || told === BATCH) this.giveUpHanded();
    this.lookAt = Date.now() + pollMs;
    // Another replica is at it, and may have looked before our events were there.
    if (told === 'elsewhere') await this.signal.wait(25);
    else if (told === 'not all') await this.signal.wait(500);
    else await this.gather(told);
  }

  /** Under load a short rest lets more come together: one statement for many instead of one for a few. */
  private async gather(told: number): Promise<void> {
    if (this.load.isHighWith(told) && told < BATCH) await new Promise((resume) => setTimeout(resume, GATHER_MS));
  }

  private async tellWaiting(tx: Tx, schema: string): Promise<number | 'elsewhere' | 'not all'> {
    const found = await tx.query<{ held: boolean } & { [K in keyof Waiting]: Waiting[K] | null }>(
      `WITH lock AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtext($1)) AS held)
       SELECT lock.held, o.event_id, o.subject, o.body, o.traceparent FROM lock
       LEFT JOIN LATERAL (
         SELECT seq, event_id, subject, body, traceparent FROM ${schema}.outbox
         WHERE published_at IS NULL AND lock.held ORDER BY seq LIMIT ${BATCH}
       ) o ON true ORDER BY o.seq`,
      [`${schema}.outbox`],
    );
    if (!found[0]?.held) return 'elsewhere';
    const rows = found.filter((row): row is { held: boolean } & Waiting => row.event_id !== null);
    const acks = await this.publish(rows);
    const told = rows.slice(0, acks.length).map(({ event_id }) => event_id);
    if (told.length > 0) await this.streams.mark(tx, told, acks);
    return told.length === rows.length ? rows.length : 'not all';
  }

  /** Publishes in order and waits for the acknowledgements together. @returns those before the first failure; the rest is told again */
  private async publish(rows: Waiting[]): Promise<PubAck[]> {
    if (rows.length === 0) return [];
    const jetstream = this.options.nc.jetstream();
    const answers = await Promise.allSettled(rows.map((row) => publish(jetstream, row)));
    crashPoint('relay.after-publish');
    const firstFailure = answers.findIndex(({ status }) => status === 'rejected');
    const told = firstFailure === -1 ? answers : answers.slice(0, firstFailure);
    published.inc({ schema: this.options.schema }, told.length);
    if (firstFailure !== -1) await this.report((answers[firstFailure] as PromiseRejectedResult).reason, rows[firstFailure]?.subject ?? '');
    return told.map((answer) => (answer as PromiseFulfilledResult<PubAck>).value);
  }

  private async report(reason: unknown, subject: string): Promise<void> {
    const room = isFull(reason) && (await this.streams.makeRoom(subject));
    this.options.logger.warn({ err: reason, subject, made_room: room }, 'JetStream did not take an event; it stays in the outbox');
  }
}

function publish(jetstream: JetStreamClient, { event_id, subject, body, traceparent }: Waiting): Promise<PubAck> {
  const options = { msgID: event_id, timeout: ACK_WITHIN_MS };
  if (traceparent === null) return jetstream.publish(subject, body, options);
  const attributes = spanAttributes(subject, 'publish');
  return traced(`publish ${subject}`, { kind: 'producer', parent: traceparent, attributes }, (span) => {
    const traceHeaders = headers();
    traceHeaders.set(TRACE_HEADER, span.traceparent ?? traceparent);
    return jetstream.publish(subject, body, { ...options, headers: traceHeaders });
  });
}
