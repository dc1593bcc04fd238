import type { JsMsg } from 'nats';
import { readEvents, type Read } from './read-event';
import { TRACE_HEADER } from './trace';

/** What came in a message, and the message, which has to hear what becomes of it. */
export interface Offered {
  read: Read;
  /** Of the trace in which the event was told. */
  traceparent: string | null;
  message: OpenMessage;
}

/** A message whose events are being handled: acknowledged when all of them are done, offered again when one of them must be. */
export class OpenMessage {
  readonly offered: readonly Offered[];
  private left: number;
  private againAfterMs: number | undefined;

  /** @param settled called once it was acknowledged or given back */
  constructor(
    private message: JsMsg,
    private readonly settled: () => void = () => undefined,
  ) {
    const traces = message.headers?.values(TRACE_HEADER) ?? [];
    this.offered = readEvents(message.subject, message.data).map((read, i) => ({ read, traceparent: traces[i] || null, message: this }));
    this.left = this.offered.length;
  }

  get subject(): string {
    return this.message.subject;
  }

  /** How often it was delivered, with this time. */
  get deliveries(): number {
    return this.message.info.redeliveryCount;
  }

  /** In milliseconds since the epoch. */
  get toldAt(): number {
    return this.message.info.timestampNanos / 1_000_000;
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
  offeredAgain(message: JsMsg): void {
    this.message = message;
  }

  private settle(): void {
    this.left -= 1;
    if (this.left > 0) return;
    this.settled();
    if (this.againAfterMs === undefined) this.message.ack();
    else this.message.nak(this.againAfterMs);
  }
}
