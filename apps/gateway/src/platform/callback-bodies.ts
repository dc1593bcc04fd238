import type { IncomingMessage } from 'node:http';
import { onDeadline } from '@mgw/deadlines';

/** WhatsApp sends a body at once. A slower sender is cut off after this time, in milliseconds. */
const READ_WITHIN_MS = 5_000;
/** Most bodies of one address that are read at once. */
const MAX_PER_ADDRESS = 128;

export interface BodyLimits {
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

export interface HeldBody {
  bytes: Buffer;
  /** Returns the bytes to the budget. */
  release(): void;
}

interface Reading {
  address: string;
  received: number;
  cut(reason: string): void;
}

/**
 * Reads bodies of unauthenticated callers within a budget of bytes. When the budget is used up, the body that has been arriving for the
 * longest time is cut off: WhatsApp's bodies arrive at once, so its sender withholds the rest.
 */
export class CallbackBodies {
  private total = 0;
  private readonly byAddress = new Map<string, number>();
  /** The oldest first. */
  private readonly reading = new Set<Reading>();

  constructor(private readonly limits: BodyLimits) {}

  /** @throws BodyRefusedError */
  read(request: IncomingMessage, address: string): Promise<HeldBody> {
    if (Number(request.headers['content-length']) > this.limits.body) throw tooLarge();
    const own = [...this.reading].filter((one) => one.address === address);
    if (own.length >= MAX_PER_ADDRESS) own[0]?.cut('too many bodies of one address at once');
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const stop = (): void => {
        cancel();
        this.reading.delete(reading);
        request.off('data', take).off('end', end).off('error', gone).off('close', gone);
      };
      const fail = (error: Error): void => {
        if (!this.reading.has(reading)) return;
        stop();
        this.release(address, reading.received);
        request.resume();
        reject(error);
      };
      const reading: Reading = { address, received: 0, cut: (reason) => fail(new BodyRefusedError(reason, 503)) };
      const take = (chunk: Buffer): void => {
        reading.received += chunk.length;
        this.release(address, -chunk.length);
        chunks.push(chunk);
        if (reading.received > this.limits.body) fail(tooLarge());
        else this.makeRoom(address);
      };
      const end = (): void => {
        stop();
        resolve({ bytes: Buffer.concat(chunks), release: () => this.release(address, reading.received) });
      };
      const gone = (): void => fail(new BodyRefusedError('the caller disconnected', 503));
      const cancel = onDeadline(READ_WITHIN_MS, () => reading.cut('the body did not arrive in time'));
      this.reading.add(reading);
      request.on('data', take).on('end', end).on('error', gone).on('close', gone);
    });
  }

  private makeRoom(address: string): void {
    for (const one of this.reading) {
      const isTooMuch = this.total > this.limits.total;
      const isTooMuchOfOne = (this.byAddress.get(address) ?? 0) > this.limits.address;
      if (!isTooMuch && !isTooMuchOfOne) return;
      if (isTooMuch || one.address === address) one.cut('the byte budget of callbacks is used up');
    }
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
