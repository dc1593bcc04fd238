import type { IncomingMessage } from 'node:http';
import { onDeadline } from '@mgw/deadlines';

/** WhatsApp sends a body at once. A slower sender is cut off after this time, in milliseconds. */
const READ_WITHIN_MS = 5_000;
/** A body that arrives for longer is dropped first when the budget is used up, in milliseconds. */
const ARRIVES_WITHIN_MS = 1_000;
const FULL = 'the byte budget of callbacks is used up';
/** Maximum number of bodies of one address that are read at once. */
const MAX_PER_ADDRESS = 128;

interface BodyLimits {
  /** Bytes of the largest body. */
  body: number;
  /** Bytes of all bodies together, from their first byte until they are released. */
  total: number;
  address: number;
}

/** The body was not read; the response has this `statusCode`. */
class BodyRefusedError extends Error {
  constructor(
    message: string,
    readonly statusCode: 413 | 503,
  ) {
    super(message);
  }
}

/** A body in memory. It may be dropped until its bytes are taken. */
interface HeldBody {
  /** Aborted when the body is dropped. */
  signal: AbortSignal;
  bytes: number;
  /** @throws BodyRefusedError if the body was dropped */
  take(): Buffer;
  drop(reason: string): void;
  /** Returns the bytes to the budget. */
  release(): void;
}

/** A body that arrives, or that waits for its check. */
interface Droppable {
  address: string;
  /** When it began to arrive; null once it is complete. */
  arrivingSince: number | null;
  received: number;
  drop(reason: string): void;
}

/**
 * Reads bodies of unauthenticated callers within a budget of bytes. When the budget is used up, it drops a body whose sender withholds the
 * rest, because WhatsApp's bodies arrive at once, or else the oldest body of the address that holds the most. So a newcomer finds room.
 */
export class CallbackBodies {
  private total = 0;
  private readonly byAddress = new Map<string, number>();
  /** The oldest first. */
  private readonly droppable = new Set<Droppable>();

  constructor(private readonly limits: BodyLimits) {}

  /** @throws BodyRefusedError */
  read(request: IncomingMessage, address: string): Promise<HeldBody> {
    if (Number(request.headers['content-length']) > this.limits.body) throw tooLarge();
    const own = [...this.droppable].filter((one) => one.address === address && one.arrivingSince !== null);
    if (own.length >= MAX_PER_ADDRESS) own[0]?.drop('too many bodies of one address at once');
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const dropped = new AbortController();
      const stop = (): void => {
        cancel();
        request.off('data', take).off('end', end).off('error', gone).off('close', gone);
      };
      const fail = (error: Error): void => {
        if (!this.droppable.delete(body)) return;
        stop();
        chunks.length = 0;
        this.release(address, body.received);
        request.resume();
        dropped.abort(error);
        reject(error);
      };
      const drop = (reason: string) => fail(new BodyRefusedError(reason, 503));
      const body: Droppable = { address, arrivingSince: Date.now(), received: 0, drop };
      const take = (chunk: Buffer): void => {
        body.received += chunk.length;
        this.release(address, -chunk.length);
        chunks.push(chunk);
        if (body.received > this.limits.body) fail(tooLarge());
        else this.makeRoom(body);
      };
      const end = (): void => {
        stop();
        body.arrivingSince = null;
        resolve({
          signal: dropped.signal,
          bytes: body.received,
          take: () => {
            dropped.signal.throwIfAborted();
            this.droppable.delete(body);
            return Buffer.concat(chunks.splice(0));
          },
          drop,
          release: () => {
            this.droppable.delete(body);
            if (!dropped.signal.aborted) this.release(address, body.received);
          },
        });
      };
      const gone = (): void => drop('the caller disconnected');
      const cancel = onDeadline(READ_WITHIN_MS, () => drop('the body did not arrive in time'));
      this.droppable.add(body);
      request.on('data', take).on('end', end).on('error', gone).on('close', gone);
    });
  }

  private makeRoom(newcomer: Droppable): void {
    while (this.total > this.limits.total) (this.withheld() ?? this.oldestOfGreediest(newcomer)).drop(FULL);
    while ((this.byAddress.get(newcomer.address) ?? 0) > this.limits.address) this.oldestOf(newcomer.address)?.drop(FULL);
  }

  private withheld(): Droppable | undefined {
    const before = Date.now() - ARRIVES_WITHIN_MS;
    return [...this.droppable].find(({ arrivingSince }) => arrivingSince !== null && arrivingSince < before);
  }

  private oldestOf(address: string): Droppable | undefined {
    return [...this.droppable].find((one) => one.address === address);
  }

  /** @returns the newcomer if no other body can be dropped */
  private oldestOfGreediest(newcomer: Droppable): Droppable {
    const held = new Map<string, number>();
    const others = [...this.droppable].filter((one) => one !== newcomer);
    for (const { address, received } of others) held.set(address, (held.get(address) ?? 0) + received);
    const most = Math.max(...held.values());
    return others.find(({ address }) => held.get(address) === most) ?? newcomer;
  }

  private release(address: string, bytes: number): void {
    this.total -= bytes;
    const left = (this.byAddress.get(address) ?? 0) - bytes;
    if (left === 0) this.byAddress.delete(address);
    else this.byAddress.set(address, left);
  }
}

function tooLarge(): BodyRefusedError {
  return new BodyRefusedError('the body is too large', 413);
}
