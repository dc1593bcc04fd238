import { atMost } from '@mgw/caching';
import { LRUCache } from 'lru-cache';
import { SlidingWindow } from '../limits/sliding-window';

/** Wrong signatures of one address in a minute. Beyond that its callbacks are checked a few at a time. */
const LIMIT = 10;
const AT_ONCE = 4;
/** How long a wrong signature keeps its slot, in milliseconds: 160 a second in all. A right one frees its slot at once. */
const HOLD_MS = 25;

/**
 * Slows down addresses that post wrong signatures, but refuses none: WhatsApp may post from the same address, for example when a
 * business stored a wrong app secret, or through a proxy that is not trusted. Each gateway counts on its own.
 */
export class WrongSignatures {
  private readonly addresses = new LRUCache<string, SlidingWindow>({ ...atMost(10_000), ttl: 60_000 });
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  isSuspect(address: string): boolean {
    return (this.addresses.get(address)?.count(Date.now()) ?? 0) >= LIMIT;
  }

  /** Runs a check; a suspect address waits for a slot. @param isWrong whether the result is a wrong signature */
  async check<T>(address: string, work: () => Promise<T>, isWrong: (result: T) => boolean): Promise<T> {
    if (!this.isSuspect(address)) return this.counted(address, await work(), isWrong);
    if (this.running >= AT_ONCE) await new Promise<void>((resume) => this.waiting.push(resume));
    else this.running += 1;
    let holdMs = 0;
    try {
      const result = this.counted(address, await work(), isWrong);
      if (isWrong(result)) holdMs = HOLD_MS;
      return result;
    } finally {
      if (holdMs === 0) this.leave();
      else setTimeout(() => this.leave(), holdMs).unref();
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

  /** Passes the slot to the next waiting check. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.running -= 1;
  }
}
