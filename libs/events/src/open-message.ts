import type { PulledMessage } from './pulled-message';
import { readEvents, type Read } from './read-event';
import { TRACE_HEADER } from './trace';

/** What came in a message, and the message, which has to hear what becomes of it. */
export interface Offered {
  read: Read;
  /** Of the trace in which the event was told. */
  traceparent: string | null;
  /** Its part of the message. */
  bytes: number;
  message: OpenMessage;
}

/** A message is shown to be worked on when it has waited this long since its delivery, in milliseconds. */
const WORKING_AFTER_MS = 500;

/** A message whose events are being handled: acknowledged when all of them are done, delivered again when one of them must be. */
export class OpenMessage {
  readonly offered: readonly Offered[];
  readonly subject: string;
  readonly bytes: number;
  /** How often it had been delivered when it was opened, including that time. */
  readonly deliveries: number;
  /** When it was published, in milliseconds since the epoch. */
  readonly publishedAt: number;
  private left: number;
  private againAfterMs: number | undefined;
  private readonly openedAt = performance.now();

  /** @param settled called once it was acknowledged or given back */
  constructor(
    private message: PulledMessage,
    private readonly settled: () => void = () => undefined,
  ) {
    const { subject, data, headers, deliveries, storedAt } = message;
    const traces = headers?.values(TRACE_HEADER) ?? [];
    const reads = readEvents(subject, data);
    const bytes = Math.ceil(data.length / reads.length);
    this.offered = reads.map((read, i) => ({ read, traceparent: traces[i] || null, bytes, message: this }));
    [this.subject, this.bytes, this.deliveries, this.publishedAt, this.left] = [subject, data.length, deliveries, storedAt, reads.length];
  }

  /** One of its events needs no more. */
  done(): void {
    this.settle();
  }

  /** One of its events has to come again; those that are done come with it, and have no second effect. */
  again(afterMs: number): void {
    this.againAfterMs = Math.max(afterMs, this.againAfterMs ?? 0);
    this.settle();
  }

  /** The same message, delivered once more. */
  deliveredAgain(message: PulledMessage): void {
    this.message = message;
  }

  /** Keeps the server from delivering it again while it is handled, or waits for that. */
  working(): void {
    if (performance.now() - this.openedAt > WORKING_AFTER_MS) this.message.working();
  }

  private settle(): void {
    this.left -= 1;
    if (this.left > 0) return;
    this.settled();
    if (this.againAfterMs === undefined) this.message.ack();
    else this.message.nak(this.againAfterMs);
  }
}
