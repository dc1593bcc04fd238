import type { TailedEvent, TailStart } from '@mgw/events';
import type { FastifyReply } from 'fastify';
import { disconnect, untilClosed } from '../http/response-end';

/** Heartbeats keep proxies from closing a quiet stream. Each checks the session first, so a stream ends within 5 s of its session. */
const HEARTBEAT_MS = 4_000;
/** Unread bytes of a reader. A slow one is disconnected; it reconnects with its last id. */
const MAX_UNREAD = 256 * 1024;
/** Time for a reader to read the end of its stream. */
const LINGER_MS = 1_000;

interface EventStreamOptions {
  /** The business whose events it writes. */
  businessId: number;
  /** Whether the reader's session is still open. */
  hasSession: () => Promise<boolean>;
  /** Called with the reader's unread bytes when they change, until the stream closes. */
  onUnread: (bytes: number) => void;
}

/** The response to one reader, as server-sent events. */
export class EventStream {
  private readonly out: FastifyReply['raw'];
  private readonly closing = new AbortController();
  private beat: NodeJS.Timeout | undefined;
  private position: (() => number) | undefined;

  constructor(
    private readonly reply: FastifyReply,
    private readonly options: EventStreamOptions,
  ) {
    this.out = reply.raw;
    reply.hijack();
    this.out.on('drain', () => options.onUnread(0));
    untilClosed(this.out, () => {
      clearInterval(this.beat);
      this.closing.abort();
    });
  }

  /** Aborts when the reader has disconnected or the stream has ended. */
  get closed(): AbortSignal {
    return this.closing.signal;
  }

  /** Whether writing is allowed: writing after the end would raise an unhandled error. */
  get isOpen(): boolean {
    return !this.out.destroyed && !this.out.writableEnded;
  }

  /** Sends the head, once. */
  begin(): void {
    if (this.out.headersSent || !this.isOpen) return;
    this.out.writeHead(200, {
      ...(this.reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    });
    this.out.write('retry: 2000\n\n');
    this.beat = setInterval(() => void this.heartbeat(), HEARTBEAT_MS);
  }

  /** Writes the position from which a reader can continue, even if its connection breaks before its first event (decision 667). */
  writeStart({ position, isComplete }: TailStart): void {
    if (this.isOpen) this.out.write(`id: ${position}\nevent: stream.started\ndata: ${JSON.stringify({ is_complete: isComplete })}\n\n`);
  }

  /** @returns whether the stream is still open */
  write({ position, event }: TailedEvent): boolean {
    if (this.out.writableLength > MAX_UNREAD) this.disconnect();
    if (!this.isOpen) return false;
    if (event.business_id !== this.options.businessId) return true;
    const data = JSON.stringify({ event: event.type, timestamp: event.at, data: event.data });
    if (!this.out.write(`id: ${position}\nevent: ${event.type}\ndata: ${data}\n\n`)) this.options.onUnread(this.out.writableLength);
    return true;
  }

  /**
   * The reader has caught up. From now on its heartbeats have the position of the live events: without own events, its last id would
   * soon be too old to catch up from.
   */
  becomeLive(position: () => number): void {
    this.position = position;
  }

  /** Ends the stream. A reader that does not read the end is disconnected, so that it cannot delay shutdown. */
  end(): void {
    this.out.end();
    setTimeout(() => this.disconnect(), LINGER_MS).unref();
  }

  disconnect(): void {
    disconnect(this.out);
  }

  private async heartbeat(): Promise<void> {
    if (!(await this.options.hasSession())) return this.end();
    if (!this.isOpen) return;
    this.out.write(': still here\n\n');
    if (this.position) this.writeStart({ position: this.position(), isComplete: true });
  }
}
