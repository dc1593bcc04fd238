import { GatewayError } from '@mgw/contracts';
import { Shares, type Release } from '@mgw/shares';

export interface BatcherOptions<T, R> {
  /** Runs one round trip. @returns one result per item, in the same order; if it throws, every item of the batch fails with its error */
  run: (items: T[]) => Promise<R[]>;
  /** The business that an item counts against. */
  businessOf: (item: T) => number | string;
  /** Bytes of an item in addition to `ITEM_BYTES`. */
  sizeOf?: (item: T) => number;
  /** How long an item may wait for others that share its round trip, in milliseconds; by default not at all. */
  waitMs?: (item: T) => number;
  /** Items in one round trip at most. */
  maxSize?: number;
  /** Bytes in one round trip at most; a larger item goes alone. */
  maxBytes?: number;
  /** Bytes of all items that wait or run. */
  maxHeldBytes?: number;
  /** The part of `maxHeldBytes` that one business may hold while the others hold nothing, between 0 and 1. */
  largestShare?: number;
  /** Whether an error is about the values of one item and nothing was stored: then each item runs alone, and the others succeed. */
  isItemError?: (error: unknown) => boolean;
}

/** The memory of one waiting call, whatever its item holds: promise, closures and small fields. */
export const ITEM_BYTES = 1_024;
const RETRY_AFTER_SECONDS = 1;

interface Waiting<T, R> {
  item: T;
  bytes: number;
  release: Release;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Collects the calls of one turn of the event loop, or of the time that the previous round trip takes, into one round trip. Items that may
 * wait collect more; one that may not takes them along. Each caller still waits for its own result, such as a commit.
 *
 * The bytes that it holds are bounded, and each business has a share of them (guarantees §10, N1 and N2). The items of one business keep
 * their order; businesses take turns, so a long queue of one delays no other.
 */
export class Batcher<T, R> {
  /** Each business's queue; the business that was served last comes last. */
  private readonly queues = new Map<string, Waiting<T, R>[]>();
  private readonly shares: Shares;
  private queued = 0;
  private running = false;
  /** When the next round trip starts at the latest, on the clock of `performance.now()`; 0 for the next turn of the event loop. */
  private dueAt = Infinity;
  private timer: NodeJS.Timeout | undefined;
  private readonly options: Required<BatcherOptions<T, R>>;

  constructor(options: BatcherOptions<T, R>) {
    this.options = {
      sizeOf: () => 0,
      waitMs: () => 0,
      maxSize: 64,
      maxBytes: Infinity,
      maxHeldBytes: 4 * 1024 ** 2,
      largestShare: 1 / 4,
      isItemError: () => false,
      ...options,
    };
    this.shares = new Shares({ places: this.options.maxHeldBytes, largest: this.options.largestShare });
  }

  /** @throws GatewayError OVERLOADED, with status 503, when too many bytes wait, of the business or of all; the item did not run */
  add(item: T): Promise<R> {
    const business = String(this.options.businessOf(item));
    const bytes = ITEM_BYTES + this.options.sizeOf(item);
    const release = this.shares.tryTake(business, bytes);
    if (release === null) return Promise.reject(tooBusy());
    return new Promise((resolve, reject) => {
      const queue = this.queues.get(business) ?? [];
      queue.push({ item, bytes, release, resolve, reject });
      this.queues.set(business, queue);
      this.queued += 1;
      this.schedule(this.queued < this.options.maxSize ? this.options.waitMs(item) : 0);
    });
  }

  private schedule(waitMs: number): void {
    const dueAt = waitMs > 0 ? performance.now() + waitMs : 0;
    if (dueAt >= this.dueAt) return;
    this.dueAt = dueAt;
    if (!this.running) this.startWhenDue();
  }

  private startWhenDue(): void {
    clearTimeout(this.timer);
    const start = (): void => void this.runBatch(this.nextBatch());
    if (this.dueAt === 0) setImmediate(start);
    else this.timer = setTimeout(start, this.dueAt - performance.now());
  }

  /** Takes one item of each business in turn. */
  private nextBatch(): Waiting<T, R>[] {
    const { maxSize, maxBytes } = this.options;
    const batch: Waiting<T, R>[] = [];
    let bytes = 0;
    for (const [business, queue] of this.queues) {
      const [first] = queue;
      if (first === undefined || batch.length === maxSize || (batch.length > 0 && bytes + first.bytes > maxBytes)) break;
      batch.push(first);
      this.queued -= 1;
      bytes += first.bytes;
      queue.shift();
      this.queues.delete(business);
      // The loop visits the business again after all others.
      if (queue.length > 0) this.queues.set(business, queue);
    }
    return batch;
  }

  private async runBatch(batch: Waiting<T, R>[]): Promise<void> {
    this.running = true;
    this.dueAt = this.queued > 0 ? 0 : Infinity;
    await this.complete(batch);
    this.running = false;
    for (const { release } of batch) release();
    if (this.queued > 0) this.startWhenDue();
  }

  private async complete(batch: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.options.run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as R));
    } catch (error) {
      if (batch.length > 1 && this.options.isItemError(error)) for (const one of batch) await this.complete([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}

function tooBusy(): GatewayError {
  const message = 'Too many requests are waiting; nothing was done. Try again shortly.';
  return new GatewayError('OVERLOADED', message, { retry_after_seconds: RETRY_AFTER_SECONDS }, 503);
}
