import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { EventTail, type TailedEvent, type TailStart } from '@mgw/events';
import { LOGGER, NATS } from '@mgw/service';
import { Shares, type Release } from '@mgw/shares';
import type { FastifyReply } from 'fastify';
import { disconnect, untilClosed } from '../http/response-end';
import { SessionsStore } from '../sessions/sessions.store';

/** Open streams of one process: 50 of one business on an idle process, and fewer while others have some. */
const MAX_STREAMS = 500;
const STREAMS = { places: MAX_STREAMS, largest: 1 / 10 };
/** Catch-ups at once: two of one business on an idle process. Each reads up to 10,000 messages or 32 MB of all businesses. */
const CATCH_UPS = { places: 8, largest: 1 / 4, waiting: { room: MAX_STREAMS, largest: 1 / 4 } };
const CATCH_UP_STARTS_WITHIN_MS = 10_000;
/** Heartbeats keep proxies from closing a quiet stream. Each checks the session first, so a stream ends within 5 s of its session. */
const HEARTBEAT_MS = 4_000;
/** Unread bytes of one reader and of all readers. A slow reader is disconnected; it reconnects with its last id. */
const MAX_BUFFERED = 256 * 1024;
const MAX_BUFFERED_OF_ALL = 16 * 1024 * 1024;
/** Time for a reader to read the end of its stream. */
const LINGER_MS = 1_000;

interface Watcher {
  businessId: number;
  /** The session's token. */
  token: string;
  /** The id of the last event received; the stream continues after it. */
  after: number | null;
}

/** The live tail of a business's events as server-sent events (spec §10). */
@Injectable()
export class EventStreamService implements BeforeApplicationShutdown {
  private readonly tail: EventTail;
  private readonly places = new Shares(STREAMS);
  private readonly open = new Set<FastifyReply['raw']>();
  /** Unread bytes per slow reader. */
  private readonly waiting = new Map<FastifyReply['raw'], number>();
  private waitingBytes = 0;
  private readonly catchUps = new Shares(CATCH_UPS);
  private closing = false;

  constructor(
    @Inject(NATS) nc: ConstructorParameters<typeof EventTail>[0]['nc'],
    @Inject(LOGGER) logger: ConstructorParameters<typeof EventTail>[0]['logger'],
    private readonly sessions: SessionsStore,
  ) {
    this.tail = new EventTail({ nc, logger, stream: 'PUBLIC', subject: 'public.>' });
  }

  /** Streams events until the reader disconnects, the session ends, or this process shuts down. */
  async serve(reply: FastifyReply, { businessId, token, after }: Watcher): Promise<void> {
    const leave = this.places.tryTake(String(businessId));
    if (leave === null)
      throw new GatewayError('RATE_LIMITED', 'Too many event streams are open. Close one and try again.', { retry_after_seconds: 10 });
    const out = reply.raw;
    this.open.add(out);
    reply.hijack();
    let beat: NodeJS.Timeout | undefined;
    let stop = (): void => {};
    let isLive = false;
    const gone = new AbortController();
    const begin = () => {
      if (out.headersSent || !isOpen(out)) return;
      out.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      });
      out.write('retry: 2000\n\n');
      beat = setInterval(() => void this.heartbeat(out, token, () => isLive), HEARTBEAT_MS);
    };
    out.on('drain', () => this.setUnread(out, 0));
    untilClosed(out, () => {
      clearInterval(beat);
      this.setUnread(out, 0);
      this.open.delete(out);
      leave();
      gone.abort();
      stop();
    });
    // A browser reconnects after the end of a stream, to another gateway; it would not after an error.
    if (this.closing) {
      begin();
      return end(out);
    }
    let release: Release | null = () => undefined;
    if (after !== null) {
      // Its position keeps the reader's place in the stream, so the response need not wait.
      begin();
      release = await this.catchUps.take(String(businessId), CATCH_UP_STARTS_WITHIN_MS);
    }
    // The reader reconnects with its last id.
    if (release === null) return end(out);
    try {
      if (!isOpen(out)) return;
      stop = await this.tail.follow(
        after,
        (tailed) => this.publish(out, businessId, tailed),
        (start) => {
          begin();
          writeStart(out, start);
        },
        { businessId, gone: gone.signal },
      );
      isLive = true;
      if (out.destroyed) stop();
      // From the response on, no event is missed.
      begin();
    } catch {
      // The reader reconnects by itself.
      begin();
      end(out);
    } finally {
      release();
    }
  }

  /** Ends the streams before the port closes, because closing waits for them. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    for (const out of this.open) end(out);
    await this.tail.close();
  }

  /** @returns whether the stream is still open */
  private publish(out: FastifyReply['raw'], businessId: number, { position, event }: TailedEvent): boolean {
    if (out.writableLength > MAX_BUFFERED) disconnect(out);
    if (!isOpen(out)) return false;
    if (event.business_id !== businessId) return true;
    const data = JSON.stringify({ event: event.type, timestamp: event.at, data: event.data });
    if (!out.write(`id: ${position}\nevent: ${event.type}\ndata: ${data}\n\n`)) this.setUnread(out, out.writableLength);
    return true;
  }

  /** Records a reader's unread bytes. Over the total bound, it disconnects the readers with the most unread bytes. */
  private setUnread(out: FastifyReply['raw'], bytes: number): void {
    this.waitingBytes += bytes - (this.waiting.get(out) ?? 0);
    if (bytes > 0) this.waiting.set(out, bytes);
    else this.waiting.delete(out);
    while (this.waitingBytes > MAX_BUFFERED_OF_ALL) {
      const [[slowest, most] = [out, 0]] = [...this.waiting].sort(([, one], [, other]) => other - one);
      this.waiting.delete(slowest);
      this.waitingBytes -= most;
      disconnect(slowest);
    }
  }

  /** A live reader also receives its position: without own events, its last id would soon be too old to catch up from. */
  private async heartbeat(out: FastifyReply['raw'], token: string, isLive: () => boolean): Promise<void> {
    const alive = await this.sessions.find(token, false).catch(() => undefined);
    if (alive === null || (alive?.totp_required && !alive.totp)) end(out);
    else if (isOpen(out)) {
      out.write(': still here\n\n');
      if (isLive()) writeStart(out, { position: this.tail.position, isComplete: true });
    }
  }
}

/** Writes the position from which a reader can continue, even if its connection breaks before its first event (decision 667). */
function writeStart(out: FastifyReply['raw'], { position, isComplete }: TailStart): void {
  if (isOpen(out)) out.write(`id: ${position}\nevent: stream.started\ndata: ${JSON.stringify({ is_complete: isComplete })}\n\n`);
}

/** Ends a stream. A reader that does not read the end is disconnected, so that it cannot delay shutdown. */
function end(out: FastifyReply['raw']): void {
  out.end();
  setTimeout(() => disconnect(out), LINGER_MS).unref();
}

/** Whether writing is allowed: writing after the end would raise an unhandled error. */
function isOpen(out: FastifyReply['raw']): boolean {
  return !out.destroyed && !out.writableEnded;
}
