import { nanos, type Msg, type MsgHdrs } from 'nats';

/** Tokens of `$JS.ACK.<stream>.<consumer>.…`; newer servers put a domain and an account before the stream. */
const TOKENS = 9;

/** A message of a pull consumer, with the metadata of its reply subject. */
export class PulledMessage {
  /** How often it was delivered, including this time. */
  readonly deliveries: number;
  readonly streamSequence: number;
  /** When the stream stored it, in milliseconds since the epoch. */
  readonly storedAt: number;
  /** Messages that the consumer had not delivered yet when it delivered this one. */
  readonly undelivered: number;
  /**
   * Identifies the message across its deliveries. It includes the time, because a stream that replaces a lost one numbers from one again.
   */
  readonly key: string;

  constructor(private readonly message: Msg) {
    const tokens = (message.reply ?? '').split('.');
    const [delivered, sequence, , stored, undelivered] = tokens.slice(tokens.length > TOKENS ? 6 : 4);
    this.deliveries = Number(delivered);
    this.streamSequence = Number(sequence);
    this.storedAt = Number(stored) / 1_000_000;
    this.undelivered = Number(undelivered);
    this.key = `${sequence} ${stored}`;
  }

  get subject(): string {
    return this.message.subject;
  }

  get data(): Uint8Array {
    return this.message.data;
  }

  get headers(): MsgHdrs | undefined {
    return this.message.headers;
  }

  ack(): void {
    this.message.respond('+ACK');
  }

  nak(afterMs: number): void {
    this.message.respond(afterMs > 0 ? `-NAK ${JSON.stringify({ delay: nanos(afterMs) })}` : '-NAK');
  }

  /** Restarts the server's wait for an acknowledgement. */
  extend(): void {
    this.message.respond('+WPI');
  }
}
