import { TRACE_HEADER } from '@mgw/telemetry';
import type { PulledMessage } from './pulled-message';
import { readEvents, type ReadResult } from './read-event';

/** One event of a message. The message is acknowledged when all of its events are handled. */
export interface ReceivedEvent {
  read: ReadResult;
  /** The trace that published the event. */
  traceparent: string | null;
  /** Its part of the message's bytes. */
  bytes: number;
  message: PendingMessage;
}

/** Age from which a message's acknowledgement deadline is extended, in milliseconds. */
const WORKING_AFTER_MS = 500;

/** A message whose events are being handled. It is acknowledged when all are handled, or returned if one needs redelivery. */
export class PendingMessage {
  readonly events: readonly ReceivedEvent[];
  readonly key: string;
  readonly streamSequence: number;
  readonly subject: string;
  readonly bytes: number;
  /** Number of deliveries so far, this one included. */
  readonly deliveries: number;
  /** When it was published, in milliseconds since the epoch. */
  readonly publishedAt: number;
  private unhandled: number;
  private redeliverAfterMs: number | undefined;
  private readonly openedAt = performance.now();

  /** @param onEnd called before the message is acknowledged or returned */
  constructor(
    private message: PulledMessage,
    private readonly onEnd: () => void = () => undefined,
  ) {
    const { key, streamSequence, subject, data, headers, deliveries, storedAt } = message;
    const traces = headers?.values(TRACE_HEADER) ?? [];
    const reads = readEvents(subject, data);
    const bytes = Math.ceil(data.length / reads.length);
    this.events = reads.map((read, i) => ({ read, traceparent: traces[i] || null, bytes, message: this }));
    [this.key, this.streamSequence] = [key, streamSequence];
    [this.subject, this.bytes, this.deliveries, this.publishedAt, this.unhandled] = [
      subject,
      data.length,
      deliveries,
      storedAt,
      reads.length,
    ];
  }

  /** One of its events is handled. */
  eventHandled(): void {
    this.countDown();
  }

  /** One of its events needs redelivery. The handled ones come with it; their inbox or key prevents a second effect. */
  redeliverAfter(afterMs: number): void {
    this.redeliverAfterMs = Math.max(afterMs, this.redeliverAfterMs ?? 0);
    this.countDown();
  }

  /** JetStream redelivered the message while it is pending: the acknowledgement must name the last delivery. */
  redelivered(message: PulledMessage): void {
    this.message = message;
  }

  /** Keeps the server from redelivering a message that waits or is handled for long. */
  extendIfSlow(): void {
    if (performance.now() - this.openedAt > WORKING_AFTER_MS) this.message.extend();
  }

  private countDown(): void {
    this.unhandled -= 1;
    if (this.unhandled > 0) return;
    this.onEnd();
    if (this.redeliverAfterMs === undefined) this.message.ack();
    else this.message.nak(this.redeliverAfterMs);
  }
}
