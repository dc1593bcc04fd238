import { LRUCache } from 'lru-cache';
import { SlidingWindow } from '../limits/sliding-window';

/** Wrong signatures of one address in a minute; beyond it its callbacks are checked a few at a time. */
const LIMIT = 10;
const AT_ONCE = 4;
/** How long a further wrong one keeps its place, in milliseconds: 160 a second in all. A right one frees its place at once. */
const KEPT_MS = 25;

/**
 * Slows down addresses that post wrong signatures. Nobody is refused for their address: behind it may be WhatsApp as well, for
 * example when a business has stored a wrong app secret, or behind a proxy that is not trusted. Each gateway counts for itself.
 */
export class WrongSignatures {
  private readonly addresses = new LRUCache<string, SlidingWindow>({ max: 10_000, ttl: 60_000 });
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  isSuspect(address: string): boolean {
    return (this.addresses.get(address)?.count(Date.now()) ?? 0) >= LIMIT;
  }

  /** Runs a check; one of a suspect address waits for its place. @param isWrong whether the result is a wrong signature */
  async check<T>(address: string, work: () => Promise<T>, isWrong: (result: T) => boolean): Promise<T> {
    if (!this.isSuspect(address)) return this.counted(address, await work(), isWrong);
    if (this.running >= AT_ONCE) await new Promise<void>((resume) => this.waiting.push(resume));
    else this.running += 1;
    let keptMs = 0;
    try {
      const result = this.counted(address, await work(), isWrong);
      if (isWrong(result)) keptMs = KEPT_MS;
      return result;
    } finally {
      if (keptMs === 0) this.leave();
      else setTimeout(() => this.leave(), keptMs).unref();
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

  /** The place goes to the next one that waits. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.running -= 1;
  }
}
