import type { PulledMessage } from './pulled-message';
import { readEvents, type ReadResult } from './read-event';
import { TRACE_HEADER } from './trace';

/** What came in a message, and the message, which has to hear what becomes of it. */
export interface ReceivedEvent {
  read: ReadResult;
  /** Of the trace in which the event was told. */
  traceparent: string | null;
  /** Its part of the message. */
  bytes: number;
  message: PendingMessage;
}

/** A message is shown to be worked on when it has waited this long since its delivery, in milliseconds. */
const WORKING_AFTER_MS = 500;

/** A message whose events are being handled: acknowledged when all of them are done, delivered again when one of them must be. */
export class PendingMessage {
  readonly events: readonly ReceivedEvent[];
  readonly subject: string;
  readonly bytes: number;
  /** How often it had been delivered when it was opened, including that time. */
  readonly deliveries: number;
  /** When it was published, in milliseconds since the epoch. */
  readonly publishedAt: number;
  private unhandled: number;
  private redeliverAfterMs: number | undefined;
  private readonly openedAt = performance.now();

  /** @param onSettled called once it was acknowledged or given back */
  constructor(
    private message: PulledMessage,
    private readonly onSettled: () => void = () => undefined,
  ) {
    const { subject, data, headers, deliveries, storedAt } = message;
    const traces = headers?.values(TRACE_HEADER) ?? [];
    const reads = readEvents(subject, data);
    const bytes = Math.ceil(data.length / reads.length);
    this.events = reads.map((read, i) => ({ read, traceparent: traces[i] || null, bytes, message: this }));
    [this.subject, this.bytes, this.deliveries, this.publishedAt, this.unhandled] = [
      subject,
      data.length,
      deliveries,
      storedAt,
      reads.length,
    ];
  }

  /** One of its events needs no more. */
  eventHandled(): void {
    this.countDown();
  }

  /** One of its events has to come again; those that are done come with it, and have no second effect. */
  redeliverAfter(afterMs: number): void {
    this.redeliverAfterMs = Math.max(afterMs, this.redeliverAfterMs ?? 0);
    this.countDown();
  }

  /** The same message, delivered once more. */
  redelivered(message: PulledMessage): void {
    this.message = message;
  }

  /** Keeps the server from delivering it again while it is handled, or waits for that. */
  extendIfSlow(): void {
    if (performance.now() - this.openedAt > WORKING_AFTER_MS) this.message.extend();
  }

  private countDown(): void {
    this.unhandled -= 1;
    if (this.unhandled > 0) return;
    this.onSettled();
    if (this.redeliverAfterMs === undefined) this.message.ack();
    else this.message.nak(this.redeliverAfterMs);
  }
}
