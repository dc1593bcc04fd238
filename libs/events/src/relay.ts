import type { EventEnvelope } from '@mgw/contracts';
import { crashPoint } from '@mgw/faults';
import type { Database, Tx } from '@mgw/postgres';
import { counter, startSpan, type Logger, type Span } from '@mgw/telemetry';
import { headers, type JetStreamClient, type MsgHdrs, type NatsConnection, type PubAck } from 'nats';
import { outboxRow, type OutboxRow } from './outbox';
import { inMessages } from './in-messages';
import { Load } from './load';
import { OutboxStreams, type Told } from './outbox-streams';
import { Signal } from './signal';
import { StreamRoom, type PublishedSize } from './stream-room';
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

const BATCH = 256;
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
  private readonly room: StreamRoom;
  private readonly signal = new Signal();
  private readonly load = new Load();
  /** Committed just now, and nothing waits before it. */
  private handed: OutboxRow[] = [];
  /** Whether the last look found nothing more, and nobody has said since that something is there. */
  private caughtUp = false;
  private unmarked: Told[] = [];
  private markAt = Infinity;
  private lookAt = 0;
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: OutboxRelayOptions) {
    this.streams = new OutboxStreams(options);
    this.room = new StreamRoom(options.nc);
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

  /** Finishes the batch under way, and tells what it was handed: later events of the same keys are another replica's to tell. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.ended;
    // What is not told is found in the outbox, and what is not marked is told again: whoever hears it has an inbox.
    await this.finish().catch(() => undefined);
    this.streams.close();
  }

  private async run(): Promise<void> {
    const { logger, schema } = this.options;
    while (!this.stopped) {
      try {
        await this.streams.check();
        // However much is handed over: what a replica that died has left must not wait for a quiet moment.
        const isTime = Date.now() >= this.lookAt;
        if (this.handed.length > 0 && !isTime) await this.tellHanded();
        else if (this.unmarked.length > 0 && (isTime || !this.caughtUp || Date.now() >= this.markAt)) await this.mark();
        else if (isTime || !this.caughtUp) await this.look();
        else await this.signal.wait(Math.min(this.markAt, this.lookAt) - Date.now());
      } catch (error) {
        logger.warn({ err: error, schema }, 'events could not be told now; they stay in the outbox');
        this.giveUpHanded();
        await this.signal.wait(500);
      }
    }
  }

  private async finish(): Promise<void> {
    while (this.handed.length > 0) await this.tellHanded();
    await this.mark();
  }

  private async tellHanded(): Promise<void> {
    const rows = this.handed.splice(0, BATCH);
    const told = await this.publish(rows);
    this.unmarked.push(...told);
    if (this.markAt === Infinity) this.markAt = Date.now() + MARK_AFTER_MS;
    if (told.length < rows.length) this.giveUpHanded();
    if (this.unmarked.length >= BATCH) await this.mark();
    await this.load.rest(rows.length, rows.length === BATCH);
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
    if (told.length > 0) await this.streams.mark(this.options.db.relaxed, told);
  }

  private async look(): Promise<void> {
    const { db, pollMs = 1_000 } = this.options;
    // When nobody has spoken up it looks for what was left, not for what another replica is about to tell from its memory.
    const olderThanMs = this.caughtUp ? pollMs : 0;
    // Whoever speaks up meanwhile may not have been seen.
    this.caughtUp = true;
    // The mark need not wait for the disk: without it an event is told again.
    const seen = await db.transaction((tx) => this.tellWaiting(tx, olderThanMs), { durable: false });
    this.lookAt = Date.now() + pollMs;
    if (seen === 'elsewhere') {
      if (olderThanMs > 0) return;
      // Another replica is at it, and may have looked before our events were there.
      this.giveUpHanded();
      await this.signal.wait(25);
      return;
    }
    // Or has been.
    const told = new Set(seen.told);
    this.handed = this.handed.filter(({ event_id }) => !told.has(event_id));
    if (told.size < seen.found || seen.found === BATCH) this.giveUpHanded();
    if (told.size < seen.found) await this.signal.wait(500);
    else await this.load.rest(seen.found, seen.found === BATCH);
  }

  /** @returns the ids of what was told, and how many were found; 'elsewhere' when another replica is at it */
  private async tellWaiting(tx: Tx, olderThanMs: number): Promise<{ told: string[]; found: number } | 'elsewhere'> {
    const { schema } = this.options;
    const found = await tx.query<{ held: boolean } & { [K in keyof OutboxRow]: OutboxRow[K] | null }>(
      `WITH lock AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtext($1)) AS held)
       SELECT lock.held, o.event_id, o.subject, o.ordering_key, o.body, o.traceparent FROM lock
       LEFT JOIN LATERAL (
         SELECT seq, event_id, subject, ordering_key, body, traceparent FROM ${schema}.outbox
         WHERE published_at IS NULL AND created_at <= clock_timestamp() - $2 * interval '1 millisecond' AND lock.held
         ORDER BY seq LIMIT ${BATCH}
       ) o ON true ORDER BY o.seq`,
      [`${schema}.outbox`, olderThanMs],
    );
    if (!found[0]?.held) return 'elsewhere';
    const rows = found.filter((row): row is { held: boolean } & OutboxRow => row.event_id !== null);
    const told = await this.publish(rows);
    if (told.length > 0) await this.streams.mark(tx, told);
    return { told: told.map(({ event_id }) => event_id), found: rows.length };
  }

  /** Publishes in order, as far as the streams have room. @returns what was told before the first failure; the rest is told again */
  private async publish(rows: OutboxRow[]): Promise<Told[]> {
    const told: Told[] = [];
    for (let messages = inMessages(rows); messages.length > 0;) {
      const fits = await this.room.reserve(messages.map(sizeOf));
      const published = await this.publishTogether(messages.slice(0, fits));
      told.push(...published.told);
      if (fits === 0) this.options.logger.warn({ subject: messages[0]?.[0]?.subject }, 'a stream is full; its events stay in the outbox');
      if (fits === 0 || published.failed) break;
      messages = messages.slice(fits);
    }
    if (told.length > 0) published.inc({ schema: this.options.schema }, told.length);
    return told;
  }

  /** Publishes messages and waits for their acknowledgements together. */
  private async publishTogether(messages: OutboxRow[][]): Promise<{ told: Told[]; failed: boolean }> {
    if (messages.length === 0) return { told: [], failed: false };
    const jetstream = this.options.nc.jetstream();
    const answers = await Promise.allSettled(messages.map((message) => publish(jetstream, message)));
    crashPoint('relay.after-publish');
    const firstFailure = answers.findIndex(({ status }) => status === 'rejected');
    const acknowledged = firstFailure === -1 ? answers : answers.slice(0, firstFailure);
    const told = acknowledged.flatMap((answer, i) => toldIn(messages[i] ?? [], (answer as PromiseFulfilledResult<PubAck>).value));
    if (firstFailure !== -1)
      await this.report((answers[firstFailure] as PromiseRejectedResult).reason, messages[firstFailure]?.[0]?.subject ?? '');
    return { told, failed: firstFailure !== -1 };
  }

  private async report(reason: unknown, subject: string): Promise<void> {
    const room = isFull(reason) && (await this.streams.makeRoom(subject));
    this.options.logger.warn({ err: reason, subject, made_room: room }, 'JetStream did not take an event; it stays in the outbox');
  }
}

function toldIn(message: OutboxRow[], ack: PubAck): Told[] {
  return message.map(({ event_id }) => ({ event_id, ack }));
}

/** The bytes of an event beside its body: its id or its trace in the headers, with their names. */
const HEADER_BYTES = 160;

function sizeOf(message: OutboxRow[]): PublishedSize {
  const bytes = message.reduce((sum, { body }) => sum + Buffer.byteLength(body) + HEADER_BYTES, 0);
  return { subject: message[0]?.subject ?? '', bytes };
}

/** @param message events of one subject. One alone is an object and known by its id; several are an array, and known by their inboxes. */
async function publish(jetstream: JetStreamClient, message: OutboxRow[]): Promise<PubAck> {
  const [first, ...others] = message as [OutboxRow, ...OutboxRow[]];
  const body = others.length === 0 ? first.body : `[${message.map((row) => row.body).join(',')}]`;
  const spans = first.traceparent === null ? [] : message.map(span);
  try {
    return await jetstream.publish(first.subject, body, {
      timeout: ACK_WITHIN_MS,
      ...(others.length === 0 && { msgID: first.event_id }),
      ...(spans.length > 0 && { headers: traceHeaders(message, spans) }),
    });
  } catch (failure) {
    for (const span of spans) span.fail(failure);
    throw failure;
  } finally {
    for (const span of spans) span.end();
  }
}

function span({ subject, traceparent }: OutboxRow): Span {
  return startSpan(`publish ${subject}`, { kind: 'producer', parent: traceparent, attributes: spanAttributes(subject, 'publish') });
}

/** One value for each event, in their order. */
function traceHeaders(message: OutboxRow[], spans: Span[]): MsgHdrs {
  const made = headers();
  message.forEach((row, i) => made.append(TRACE_HEADER, spans[i]?.traceparent ?? (row.traceparent as string)));
  return made;
}
