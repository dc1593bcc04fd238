import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { EventTail } from '@mgw/events';
import { LOGGER, NATS } from '@mgw/service';
import { Shares, type Release } from '@mgw/shares';
import type { FastifyReply } from 'fastify';
import { SessionsStore } from '../sessions/sessions.store';
import { EventStream } from './event-stream';

/** Open streams of one process: 50 of one business on an idle process, and fewer while others have some. */
const MAX_STREAMS = 500;
const STREAMS = { places: MAX_STREAMS, largest: 1 / 10 };
/** Catch-ups at once: two of one business on an idle process. Each reads up to 10,000 messages or 32 MB of all businesses. */
const CATCH_UPS = { places: 8, largest: 1 / 4, waiting: { room: MAX_STREAMS, largest: 1 / 4 } };
const CATCH_UP_STARTS_WITHIN_MS = 10_000;
/** Unread bytes of all readers. */
const MAX_UNREAD_OF_ALL = 16 * 1024 * 1024;

interface Reader {
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
  private readonly catchUps = new Shares(CATCH_UPS);
  private readonly open = new Set<EventStream>();
  /** Unread bytes per slow reader. */
  private readonly unread = new Map<EventStream, number>();
  private unreadBytes = 0;
  private closing = false;

  constructor(
    @Inject(NATS) nc: ConstructorParameters<typeof EventTail>[0]['nc'],
    @Inject(LOGGER) logger: ConstructorParameters<typeof EventTail>[0]['logger'],
    private readonly sessions: SessionsStore,
  ) {
    this.tail = new EventTail({ nc, logger, stream: 'PUBLIC', subject: 'public.>' });
  }

  /** Streams events until the reader disconnects, the session ends, or this process shuts down. */
  async serve(reply: FastifyReply, reader: Reader): Promise<void> {
    const release = this.places.tryTake(String(reader.businessId));
    if (release === null)
      throw new GatewayError('RATE_LIMITED', 'Too many event streams are open. Close one and try again.', { retry_after_seconds: 10 });
    const stream = this.openStream(reply, reader, release);
    // A browser reconnects after the end of a stream, to another gateway; it would not after an error.
    if (this.closing) {
      stream.begin();
      return stream.end();
    }
    if (reader.after === null) return this.follow(stream, reader);
    // Its position keeps the reader's place in the stream, so the response need not wait.
    stream.begin();
    const releaseCatchUp = await this.catchUps.take(String(reader.businessId), CATCH_UP_STARTS_WITHIN_MS);
    // The reader reconnects with its last id.
    if (releaseCatchUp === null) return stream.end();
    await this.follow(stream, reader).finally(releaseCatchUp);
  }

  private openStream(reply: FastifyReply, { businessId, token }: Reader, release: Release): EventStream {
    const stream: EventStream = new EventStream(reply, {
      businessId,
      hasSession: () => this.hasSession(token),
      onUnread: (bytes) => this.setUnread(stream, bytes),
    });
    this.open.add(stream);
    onAbort(stream.closed, () => {
      this.open.delete(stream);
      this.setUnread(stream, 0);
      release();
    });
    return stream;
  }

  private async follow(stream: EventStream, { businessId, after }: Reader): Promise<void> {
    if (!stream.isOpen) return;
    try {
      const stop = await this.tail.follow(
        after,
        (tailed) => stream.write(tailed),
        (start) => {
          stream.begin();
          stream.writeStart(start);
        },
        { businessId, gone: stream.closed },
      );
      onAbort(stream.closed, stop);
      stream.becomeLive(() => this.tail.position);
      // From the response on, no event is missed.
      stream.begin();
    } catch {
      // The reader reconnects by itself.
      stream.begin();
      stream.end();
    }
  }

  /** Ends the streams before the port closes, because closing waits for them. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    for (const stream of this.open) stream.end();
    await this.tail.close();
  }

  /** @returns true if the session cannot be read now: the next heartbeat decides */
  private async hasSession(token: string): Promise<boolean> {
    const session = await this.sessions.find(token, false).catch(() => undefined);
    return session !== null && !(session?.totp_required && !session.totp);
  }

  /** Records a reader's unread bytes. Over the total bound, it disconnects the readers with the most unread bytes. */
  private setUnread(stream: EventStream, bytes: number): void {
    this.unreadBytes += bytes - (this.unread.get(stream) ?? 0);
    if (bytes > 0) this.unread.set(stream, bytes);
    else this.unread.delete(stream);
    while (this.unreadBytes > MAX_UNREAD_OF_ALL) {
      const [[slowest, most] = [stream, 0]] = [...this.unread].sort(([, one], [, other]) => other - one);
      this.unread.delete(slowest);
      this.unreadBytes -= most;
      slowest.disconnect();
    }
  }
}

function onAbort(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
}
