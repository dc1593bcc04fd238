import { nanos, type Msg, type NatsConnection, type Subscription } from 'nats';
import { newInbox } from '@mgw/nats';
import { PulledMessage } from './pulled-message';

/** Longest wait for messages in flight when a puller drains, in milliseconds. */
const DRAIN_MS = 1_000;
/** A request that has not ended this long after its expiry is lost, in milliseconds. */
const LOST_AFTER_MS = 2_000;
const TOO_LARGE = /exceeds maxbytes/i;
/** Ordinary ends of a request: it expired, or the next message did not fit. */
const ORDINARY = /request timeout|no messages|exceeds maxbytes|exceeded maxackpending|message size exceeds/i;

interface PullerOptions {
  nc: NatsConnection;
  stream: string;
  durable: string;
  /** Milliseconds until a request without a response ends. */
  expiresMs: number;
  onMessage(message: PulledMessage): void;
  /** A request has ended. @param isTooLarge the next message has more bytes than were requested */
  onRequestEnd(isTooLarge: boolean): void;
}

/** Requests messages of a pull consumer, one request at a time, so that its caller bounds what arrives. */
export class Puller {
  private readonly sub: Subscription;
  private left = 0;
  private timer: NodeJS.Timeout | undefined;
  private close: (reason: string) => void = () => undefined;
  /** Resolves with the reason when no more messages come. */
  readonly closed: Promise<string>;

  constructor(private readonly options: PullerOptions) {
    this.closed = new Promise((resolve) => (this.close = resolve));
    this.sub = options.nc.subscribe(newInbox(options.nc), {
      callback: (error, message) => {
        if (error) this.stop(error.message);
        else this.receive(message);
      },
    });
  }

  get isRequesting(): boolean {
    return this.left > 0;
  }

  get isClosed(): boolean {
    return this.sub.isClosed();
  }

  /** @param bytes at most, of all messages together; undefined for no bound */
  request(messages: number, bytes?: number, expiresMs = this.options.expiresMs): void {
    const { nc, stream, durable } = this.options;
    this.left = messages;
    const body = { batch: messages, expires: nanos(expiresMs), ...(bytes !== undefined && { max_bytes: bytes }) };
    this.timer = setTimeout(() => this.stop('a request for messages was lost'), expiresMs + LOST_AFTER_MS);
    try {
      nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, JSON.stringify(body), { reply: this.sub.getSubject() });
    } catch (error) {
      // The service stops: only then does the connection close.
      this.stop((error as Error).message);
    }
  }

  /** Requests no more, but receives messages in flight. Dropped ones would be redelivered after later messages. */
  async drain(): Promise<void> {
    const timer = setTimeout(() => this.stop('drained'), DRAIN_MS);
    await Promise.race([this.sub.drain().catch(() => undefined), this.closed]);
    clearTimeout(timer);
    this.stop('drained');
  }

  stop(reason: string): void {
    clearTimeout(this.timer);
    this.left = 0;
    if (!this.sub.isClosed()) this.sub.unsubscribe();
    this.close(reason);
  }

  private receive(message: Msg): void {
    if (message.headers !== undefined && message.subject === this.sub.getSubject() && message.headers.code > 0) {
      return this.receiveStatus(message.headers.code, message.headers.description);
    }
    this.left -= 1;
    this.options.onMessage(new PulledMessage(message));
    if (this.left === 0) this.end(false);
  }

  private receiveStatus(code: number, description: string): void {
    // A heartbeat.
    if (code === 100) return;
    if (!ORDINARY.test(description)) return this.stop(`${code} ${description}`);
    this.end(TOO_LARGE.test(description));
  }

  private end(isTooLarge: boolean): void {
    clearTimeout(this.timer);
    this.left = 0;
    if (!this.sub.isDraining() && !this.sub.isClosed()) this.options.onRequestEnd(isTooLarge);
  }
}
