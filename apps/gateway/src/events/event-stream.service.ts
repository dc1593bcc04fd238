import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { EventTail, type TailedEvent } from '@mgw/events';
import { LOGGER, NATS } from '@mgw/service';
import type { FastifyReply } from 'fastify';
import { SessionsStore } from '../sessions/sessions.store';

/** Streams of one process, and of one business on it. */
const MAX_STREAMS = 500;
const MAX_PER_BUSINESS = 50;
/** Keeps proxies from closing a quiet stream; also how soon an ended session ends its streams. */
const BEAT_MS = 15_000;
/** A reader that does not keep up is cut off, and comes back with the last id it saw. Bytes that wait for one reader, and for all. */
const MAX_BUFFERED = 256 * 1024;
const MAX_BUFFERED_OF_ALL = 16 * 1024 * 1024;
/** How long a reader may take for the end of its stream. */
const LINGER_MS = 1_000;

interface Watcher {
  businessId: number;
  /** Of the session. */
  token: string;
  /** The id of the last event that was seen, to go on from there. */
  after: number | null;
}

/** The live tail of a business's events as server-sent events (product §2). */
@Injectable()
export class EventStreamService implements BeforeApplicationShutdown {
  private readonly tail: EventTail;
  private readonly open = new Map<FastifyReply['raw'], number>();
  /** Bytes that wait for readers that do not keep up. */
  private readonly waiting = new Map<FastifyReply['raw'], number>();
  private waitingBytes = 0;

  constructor(
    @Inject(NATS) nc: ConstructorParameters<typeof EventTail>[0]['nc'],
    @Inject(LOGGER) logger: ConstructorParameters<typeof EventTail>[0]['logger'],
    private readonly sessions: SessionsStore,
  ) {
    this.tail = new EventTail({ nc, logger, stream: 'PUBLIC', subject: 'public.>' });
  }

  /** Answers with the stream; it ends when the reader goes, when the session ends, or when this process does. */
  async serve(reply: FastifyReply, { businessId, token, after }: Watcher): Promise<void> {
    const ofBusiness = [...this.open.values()].filter((id) => id === businessId).length;
    if (this.open.size >= MAX_STREAMS || ofBusiness >= MAX_PER_BUSINESS)
      throw new GatewayError('OVERLOADED', 'Too many event streams are open. Close one and try again.');
    const out = reply.raw;
    this.open.set(out, businessId);
    reply.hijack();
    out.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    });
    out.write('retry: 2000\n\n');
    const beat = setInterval(() => void this.beat(out, token), BEAT_MS);
    let stop = (): void => {};
    out.on('drain', () => this.note(out, 0));
    out.once('close', () => {
      clearInterval(beat);
      this.note(out, 0);
      this.open.delete(out);
      stop();
    });
    try {
      stop = await this.tail.follow(after, (tailed) => this.tell(out, businessId, tailed));
      if (out.destroyed) stop();
    } catch {
      // The reader comes back by itself.
      end(out);
    }
  }

  /** Before the port closes: it would wait for streams, which never end by themselves. */
  async beforeApplicationShutdown(): Promise<void> {
    for (const out of this.open.keys()) end(out);
    await this.tail.close();
  }

  /** @returns whether the reader is there still */
  private tell(out: FastifyReply['raw'], businessId: number, { position, event }: TailedEvent): boolean {
    if (out.writableLength > MAX_BUFFERED) out.destroy();
    if (!isOpen(out)) return false;
    if (event.business_id !== businessId) return true;
    const data = JSON.stringify({ event: event.type, timestamp: event.at, data: event.data });
    if (!out.write(`id: ${position}\nevent: ${event.type}\ndata: ${data}\n\n`)) this.note(out, out.writableLength);
    return true;
  }

  /** Notes what waits for a reader; over the bound of all, the readers that most waits for are cut off. */
  private note(out: FastifyReply['raw'], bytes: number): void {
    this.waitingBytes += bytes - (this.waiting.get(out) ?? 0);
    if (bytes > 0) this.waiting.set(out, bytes);
    else this.waiting.delete(out);
    while (this.waitingBytes > MAX_BUFFERED_OF_ALL) {
      const [[slowest, most] = [out, 0]] = [...this.waiting].sort(([, one], [, other]) => other - one);
      this.waiting.delete(slowest);
      this.waitingBytes -= most;
      slowest.destroy();
    }
  }

  private async beat(out: FastifyReply['raw'], token: string): Promise<void> {
    const alive = await this.sessions.find(token, false).catch(() => 'unknown');
    if (alive === null) end(out);
    else if (isOpen(out)) out.write(': still here\n\n');
  }
}

/** Who does not read it is let go of: it would keep the connection open, and this process from its end. */
function end(out: FastifyReply['raw']): void {
  out.end();
  setTimeout(() => out.destroy(), LINGER_MS).unref();
}

/** Whether more may be written; after the end it would be an error that nobody handles. */
function isOpen(out: FastifyReply['raw']): boolean {
  return !out.destroyed && !out.writableEnded;
}
