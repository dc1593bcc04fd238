import type { IncomingMessage } from 'node:http';

/** WhatsApp posts at once. Whoever sends slower than this, in milliseconds, is cut off. */
const READ_WITHIN_MS = 5_000;
/** Bodies of one address that are being read. */
const MOST_OF_ADDRESS = 128;

export interface BodyLimits {
  /** Largest body. */
  body: number;
  /** All bodies together, from their first byte until they are released. */
  total: number;
  address: number;
}

/** The body was not read; `statusCode` is what its sender sees. */
export class BodyRefusedError extends Error {
  constructor(
    message: string,
    readonly statusCode: 413 | 503,
  ) {
    super(message);
  }
}

export interface HeldBody {
  bytes: Buffer;
  /** The body is not needed any more. */
  release(): void;
}

interface Reading {
  address: string;
  received: number;
  cut(reason: string): void;
}

/**
 * Reads bodies of callers whom nobody knows yet, within a number of bytes. If there is no room, the body that has been read for the
 * longest time is cut off: WhatsApp's arrive within moments, so it is somebody who withholds the rest.
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
    if (own.length >= MOST_OF_ADDRESS) own[0]?.cut('too many bodies of one address at once');
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const stop = (): void => {
        clearTimeout(timer);
        this.reading.delete(reading);
        request.off('data', take).off('end', end).off('error', gone).off('close', gone);
      };
      const fail = (error: Error): void => {
        if (!this.reading.has(reading)) return;
        stop();
        this.give(address, reading.received);
        request.resume();
        reject(error);
      };
      const reading: Reading = { address, received: 0, cut: (reason) => fail(new BodyRefusedError(reason, 503)) };
      const take = (chunk: Buffer): void => {
        reading.received += chunk.length;
        this.give(address, -chunk.length);
        chunks.push(chunk);
        if (reading.received > this.limits.body) fail(tooLarge());
        else this.makeRoom(address);
      };
      const end = (): void => {
        stop();
        resolve({ bytes: Buffer.concat(chunks), release: () => this.give(address, reading.received) });
      };
      const gone = (): void => fail(new BodyRefusedError('the caller hung up', 503));
      const timer = setTimeout(() => reading.cut('the body did not come in time'), READ_WITHIN_MS);
      this.reading.add(reading);
      request.on('data', take).on('end', end).on('error', gone).on('close', gone);
    });
  }

  private makeRoom(address: string): void {
    for (const one of this.reading) {
      const isTooMuch = this.total > this.limits.total;
      const isTooMuchOfOne = (this.byAddress.get(address) ?? 0) > this.limits.address;
      if (!isTooMuch && !isTooMuchOfOne) return;
      if (isTooMuch || one.address === address) one.cut('the callbacks under way are as many bytes as may be');
    }
  }

  private give(address: string, bytes: number): void {
    this.total -= bytes;
    const left = (this.byAddress.get(address) ?? 0) - bytes;
    if (left === 0) this.byAddress.delete(address);
    else this.byAddress.set(address, left);
  }
}

function tooLarge(): BodyRefusedError {
  return new BodyRefusedError('the body is too large', 413);
}
