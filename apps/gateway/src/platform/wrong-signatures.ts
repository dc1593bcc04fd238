import { atMost } from '@mgw/caching';
import { LRUCache } from 'lru-cache';
import { SlidingWindow } from '../limits/sliding-window';

/** Wrong signatures of one address in a minute. Beyond that its callbacks are checked a few at a time. */
const LIMIT = 10;
const AT_ONCE = 4;
/** Bytes of the bodies that are checked at once; one body may have more. */
const BYTES_AT_ONCE = 3 * 1024 * 1024;
/** How long a wrong signature keeps its place, in milliseconds: 160 a second in all. A right one frees its place at once. */
const HOLD_MS = 25;

/** A callback that may have to wait. */
interface Visit {
  /** Size of the body. */
  bytes: number;
  /** Ends the wait. */
  signal: AbortSignal;
}

interface Waiter {
  bytes: number;
  begin(): void;
}

/**
 * Slows down addresses that post wrong signatures, but refuses none: WhatsApp may post from the same address, for example when a
 * business stored a wrong app secret, or through a proxy that is not trusted. Such addresses take turns, so a flood from one does not
 * delay another. Each gateway counts on its own.
 */
export class WrongSignatures {
  private readonly addresses = new LRUCache<string, SlidingWindow>({ ...atMost(10_000), ttl: 60_000 });
  private running = 0;
  private runningBytes = 0;
  /** The queue of each such address; the address that was served last comes last. */
  private readonly waiting = new Map<string, Waiter[]>();

  isWrongSigner(address: string): boolean {
    return (this.addresses.get(address)?.count(Date.now()) ?? 0) >= LIMIT;
  }

  /**
   * Runs a check; an address that posts wrong signatures waits for a place.
   * @param isWrong whether the result is a wrong signature
   */
  async check<T>(address: string, visit: Visit, work: () => Promise<T>, isWrong: (result: T) => boolean): Promise<T> {
    if (!this.isWrongSigner(address)) return this.counted(address, await work(), isWrong);
    await this.enter(address, visit);
    let holdMs = 0;
    try {
      const result = this.counted(address, await work(), isWrong);
      if (isWrong(result)) holdMs = HOLD_MS;
      return result;
    } finally {
      if (holdMs === 0) this.leave(visit);
      else setTimeout(() => this.leave(visit), holdMs).unref();
    }
  }

  private counted<T>(address: string, result: T, isWrong: (result: T) => boolean): T {
    if (isWrong(result)) {
      const window = this.addresses.get(address) ?? new SlidingWindow();
      window.take(LIMIT, Date.now());
      this.addresses.set(address, window);
    }
    return result;
  }

  private async enter(address: string, { bytes, signal }: Visit): Promise<void> {
    signal.throwIfAborted();
    return new Promise((begin, reject) => {
      const queue = this.waiting.get(address) ?? [];
      const waiter = { bytes, begin };
      queue.push(waiter);
      this.waiting.set(address, queue);
      signal.addEventListener('abort', () => {
        if (!queue.includes(waiter)) return;
        queue.splice(queue.indexOf(waiter), 1);
        if (queue.length === 0) this.waiting.delete(address);
        reject(signal.reason as Error);
      });
      this.next();
    });
  }

  private leave({ bytes }: Visit): void {
    this.running -= 1;
    this.runningBytes -= bytes;
    this.next();
  }

  /** Gives the free places to the waiting addresses in turn. */
  private next(): void {
    for (const [address, queue] of this.waiting) {
      const [waiter] = queue;
      if (waiter === undefined || !this.hasSlot(waiter)) return;
      queue.shift();
      this.waiting.delete(address);
      if (queue.length > 0) this.waiting.set(address, queue);
      this.running += 1;
      this.runningBytes += waiter.bytes;
      waiter.begin();
    }
  }

  private hasSlot({ bytes }: Waiter): boolean {
    return this.running === 0 || (this.running < AT_ONCE && this.runningBytes + bytes <= BYTES_AT_ONCE);
  }
}
