import { crashPoint } from '@mgw/faults';
import { counter, startSpan, TRACE_HEADER, type Span } from '@mgw/telemetry';
import { headers, type JetStreamClient, type MsgHdrs, type PubAck } from 'nats';
import { groupIntoMessages, type EventMessage } from './group-into-messages';
import type { OutboxRow } from './outbox';
import type { OutboxStreams, Published } from './outbox-streams';
import type { OutboxRelayOptions } from './relay-options';
import { StreamRoom, type PublishedSize } from './stream-room';
import { isFull, streamOf } from './streams';
import { spanAttributes } from './trace';

const ACK_WITHIN_MS = 5_000;
/**
 * `publish` sends no more messages after this time, in milliseconds. PostgreSQL ends the caller's idle transaction after 15 seconds; the
 * acknowledgements of the last messages arrive before that, so the caller can mark them.
 */
const START_WITHIN_MS = 8_000;
/** Bytes for the subject, ids and traces of a message. The body may have the rest of NATS' maximum. */
const MAX_HEADER_BYTES = 4_096;
/** Bytes of an event in addition to its body: its id or trace in the headers, with their names. */
const HEADER_BYTES = 160;
const DEFAULT_MAX_PAYLOAD = 1024 ** 2;
/** Copies of an event that are published at once to lengthen a stream. */
const MAX_COPIES = 64;
const published = counter('mgw_events_published_total', 'Events that JetStream has acknowledged', ['schema']);

/** Publishes events of an outbox and waits for the acknowledgements. Concurrent publishers need one each. */
export class Publisher {
  private readonly room: StreamRoom;

  constructor(
    private readonly options: OutboxRelayOptions,
    private readonly streams: OutboxStreams,
  ) {
    this.room = new StreamRoom(options.nc);
  }

  /** Largest body that NATS accepts, in bytes. */
  get maxBody(): number {
    return (this.options.nc.info?.max_payload ?? DEFAULT_MAX_PAYLOAD) - MAX_HEADER_BYTES;
  }

  /**
   * Publishes messages without a common key at once. A message that shares a key with an earlier one waits for its acknowledgement, so
   * that a refusal never reorders the events of a key.
   * @returns the acknowledged events; after a failure or eight seconds it publishes no later waves
   */
  async publish(rows: OutboxRow[]): Promise<Published[]> {
    if (rows.length === 0) return [];
    const startBy = performance.now() + START_WITHIN_MS;
    if (!(await this.reachConsumers(rows, startBy))) return [];
    const messages = groupIntoMessages(rows, this.maxBody);
    const done: Published[] = [];
    for (let wave = 0, left = messages; left.length > 0; wave++) {
      const ready = left.filter((message) => message.wave === wave);
      if (!(await this.publishWave(ready, done, startBy))) break;
      left = left.filter((message) => message.wave > wave);
    }
    crashPoint('relay.after-publish');
    published.inc({ schema: this.options.schema }, done.length);
    return done;
  }

  /**
   * Lengthens a stream that ends before its consumers' position, with copies of an event. Consumers recognise copies by the id.
   * @returns false if time is up: the next call continues
   */
  private async reachConsumers(rows: OutboxRow[], startBy: number): Promise<boolean> {
    const shortest = new Map<string, OutboxRow>();
    for (const row of rows) {
      const stream = streamOf(row.subject) ?? '';
      if (row.body.length < (shortest.get(stream)?.body.length ?? Infinity)) shortest.set(stream, row);
    }
    for (const [stream, { subject, body }] of shortest) {
      const jetstream = this.options.nc.jetstream();
      for (;;) {
        const copies = Math.min(MAX_COPIES, await this.streams.countMissingBeforeNew(stream));
        if (copies === 0) break;
        if (performance.now() >= startBy) {
          this.options.logger.warn({ stream }, "a stream does not reach its consumers' position yet; the events stay in the outbox");
          return false;
        }
        const publishOne = () => jetstream.publish(subject, body, { timeout: ACK_WITHIN_MS });
        await this.streams.whileCompared(() => Promise.all(Array.from({ length: copies }, publishOne)));
      }
    }
    return true;
  }

  /** Publishes as many messages at once as the streams have room for. @returns whether all are published */
  private async publishWave(messages: EventMessage[], done: Published[], startBy: number): Promise<boolean> {
    for (let left = messages; left.length > 0;) {
      const fits = await this.room.reserve(left.map(sizeOf));
      if (fits === 0) {
        this.options.logger.warn({ subject: left[0]?.rows[0]?.subject }, 'a stream is full; its events stay in the outbox');
        return false;
      }
      if (performance.now() >= startBy) {
        this.options.logger.warn({ published: done.length }, 'JetStream acknowledges slowly; the remaining events stay in the outbox');
        return false;
      }
      if ((await this.publishTogether(left.slice(0, fits), done)) > 0) return false;
      left = left.slice(fits);
    }
    return true;
  }

  /** @returns the number of failed messages */
  private async publishTogether(messages: EventMessage[], done: Published[]): Promise<number> {
    const jetstream = this.options.nc.jetstream();
    // Acknowledgements belong to the current epoch, even if a loss is found before they arrive.
    const epochs = this.streams.epochs();
    const attempts = await this.streams.whileCompared(() => Promise.allSettled(messages.map((message) => publish(jetstream, message))));
    const failures: { reason: unknown; subject: string }[] = [];
    attempts.forEach((attempt, i) => {
      const { rows } = messages[i] as EventMessage;
      if (attempt.status === 'rejected') return failures.push({ reason: attempt.reason, subject: rows[0]?.subject ?? '' });
      const { stream, seq } = attempt.value;
      const epoch = epochs.get(stream);
      if (epoch === undefined) throw new Error(`the relay of ${this.options.schema} does not watch the stream ${stream}`);
      for (const { event_id } of rows) done.push({ event_id, stream, seq, epoch });
    });
    const [first] = failures;
    if (first) await this.report(first.reason, first.subject);
    return failures.length;
  }

  private async report(reason: unknown, subject: string): Promise<void> {
    const room = isFull(reason) && (await this.streams.makeRoom(subject));
    this.options.logger.warn({ err: reason, subject, made_room: room }, 'JetStream refused an event; it stays in the outbox');
  }
}

function sizeOf({ rows }: EventMessage): PublishedSize {
  const bytes = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body) + HEADER_BYTES, 0);
  return { subject: rows[0]?.subject ?? '', bytes };
}

/** A single event is an object with its id as message id. Several are an array, which only the consumers' inboxes deduplicate. */
async function publish(jetstream: JetStreamClient, { rows }: EventMessage): Promise<PubAck> {
  const [first, ...others] = rows as [OutboxRow, ...OutboxRow[]];
  const body = others.length === 0 ? first.body : `[${rows.map((row) => row.body).join(',')}]`;
  const spans = first.traceparent === null ? [] : rows.map(span);
  try {
    return await jetstream.publish(first.subject, body, {
      timeout: ACK_WITHIN_MS,
      ...(others.length === 0 && { msgID: first.event_id }),
      ...(spans.length > 0 && { headers: traceHeaders(rows, spans) }),
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

/** One header value for each event, in their order. */
function traceHeaders(rows: OutboxRow[], spans: Span[]): MsgHdrs {
  const made = headers();
  rows.forEach((row, i) => made.append(TRACE_HEADER, spans[i]?.traceparent ?? (row.traceparent as string)));
  return made;
}
