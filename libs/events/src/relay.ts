import { crashPoint } from '@mgw/faults';
import type { Database, Tx } from '@mgw/postgres';
import { counter, traced, type Logger } from '@mgw/telemetry';
import { headers, type JetStreamClient, type NatsConnection, type PubAck } from 'nats';
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

interface Waiting {
  event_id: string;
  subject: string;
  body: string;
  traceparent: string | null;
}

const BATCH = 256;
/** Events in one batch that speak of load, and the rest after them, in milliseconds. */
const BUSY = 32;
const GATHER_MS = 10;
const ACK_WITHIN_MS = 5_000;
const published = counter('mgw_events_published_total', 'Events handed to JetStream', ['schema']);

/**
 * Tells what the outbox holds, oldest first: an event counts as told when JetStream has acknowledged it. Replicas share the
 * work: one at a time holds the schema's lock. An event may be told twice, never not at all.
 */
export class OutboxRelay {
  private readonly streams: OutboxStreams;
  private readonly signal = new Signal();
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
    this.signal.give();
  }

  /** Finishes the batch under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.ended;
    this.streams.close();
  }

  private async run(): Promise<void> {
    const { logger, schema, pollMs = 1_000 } = this.options;
    while (!this.stopped) {
      try {
        const told = await this.publishBatch();
        // Another replica is at it, and may have looked before our events were there.
        if (told === 'elsewhere') await this.signal.wait(25);
        // Under load a short rest lets more come together: one transaction for many instead of one for a few.
        else if (told >= BUSY && told < BATCH) await new Promise((resume) => setTimeout(resume, GATHER_MS));
        else if (told < BATCH) await this.signal.wait(pollMs);
      } catch (error) {
        logger.warn({ err: error, schema }, 'events could not be told now; they stay in the outbox');
        await this.signal.wait(500);
      }
    }
  }

  private async publishBatch(): Promise<number | 'elsewhere'> {
    const { db, schema } = this.options;
    await this.streams.check();
    // What is not marked is told again, and deduplicated: the mark need not wait for the disk.
    return db.transaction((tx) => this.tell(tx, schema), { durable: false });
  }

  private async tell(tx: Tx, schema: string): Promise<number | 'elsewhere'> {
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
    if (rows.length > 0) await this.publish(tx, rows);
    return rows.length;
  }

  /** Publishes in order and waits for the acknowledgements together. What was acknowledged before a failure is marked; the rest is told again. */
  private async publish(tx: Tx, rows: Waiting[]): Promise<void> {
    const jetstream = this.options.nc.jetstream();
    const answers = await Promise.allSettled(rows.map((row) => publish(jetstream, row)));
    crashPoint('relay.after-publish');
    const firstFailure = answers.findIndex(({ status }) => status === 'rejected');
    const told = firstFailure === -1 ? rows.length : firstFailure;
    const acks = answers.slice(0, told).map((answer) => (answer as PromiseFulfilledResult<PubAck>).value);
    if (told > 0) {
      await this.streams.mark(
        tx,
        rows.slice(0, told).map(({ event_id }) => event_id),
        acks,
      );
      published.inc({ schema: this.options.schema }, told);
    }
    if (firstFailure !== -1) await this.report((answers[firstFailure] as PromiseRejectedResult).reason, rows[firstFailure]?.subject ?? '');
  }

  private async report(reason: unknown, subject: string): Promise<void> {
    const room = isFull(reason) && (await this.streams.makeRoom(subject));
    this.options.logger.warn({ err: reason, subject, made_room: room }, 'JetStream did not take an event; it stays in the outbox');
    if (!room) await this.signal.wait(500);
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
