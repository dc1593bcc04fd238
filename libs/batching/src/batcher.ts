export interface BatcherOptions<T, R> {
  /** Items in one round trip at most. */
  maxSize?: number;
  /** Items waiting at most; one more is refused. */
  maxQueued?: number;
  /** Sum of `sizeOf` in one round trip at most; a larger item goes alone. */
  maxBytes?: number;
  sizeOf?: (item: T) => number;
  /** One answer per item, in the same order. When it throws, every item of the batch fails with its error. */
  run: (items: T[]) => Promise<R[]>;
  /** Whether an error is about what one of the items says, and nothing has happened: then each is run alone, and keeps back no other. */
  isOnes?: (error: unknown) => boolean;
}

/** More items wait than the bound allows. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Collects what is asked for within one turn of the event loop, or while the round trip before is under way, into one: round
 * trips dominate the send path (performance.md), and two at once would each cost as much with half in it. Every caller still
 * waits for the end of its own, such as a commit.
 */
export class Batcher<T, R> {
  private queue: Waiting<T, R>[] = [];
  private running = false;
  private scheduled = false;
  private idle: (() => void)[] = [];
  private readonly options: Required<BatcherOptions<T, R>>;

  constructor(options: BatcherOptions<T, R>) {
    this.options = { maxSize: 64, maxQueued: 10_000, maxBytes: Infinity, sizeOf: () => 0, isOnes: () => false, ...options };
  }

  /** @throws QueueFullError */
  add(item: T): Promise<R> {
    if (this.queue.length >= this.options.maxQueued) return Promise.reject(new QueueFullError('too much is waiting to be written'));
    return new Promise((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      this.schedule();
    });
  }

  /** Resolves when nothing waits and nothing runs. */
  drain(): Promise<void> {
    if (this.queue.length === 0 && !this.running) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private schedule(): void {
    if (this.scheduled || this.running) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      void this.runBatch(this.queue.splice(0, this.batchLength()));
    });
  }

  private batchLength(): number {
    const { maxSize, maxBytes, sizeOf } = this.options;
    let [length, bytes] = [0, 0];
    for (const { item } of this.queue) {
      bytes += sizeOf(item);
      if (length === maxSize || (length > 0 && bytes > maxBytes)) break;
      length += 1;
    }
    return length;
  }

  private async runBatch(batch: Waiting<T, R>[]): Promise<void> {
    this.running = true;
    await this.settle(batch);
    this.running = false;
    if (this.queue.length > 0) this.schedule();
    else for (const resolve of this.idle.splice(0)) resolve();
  }

  private async settle(batch: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.options.run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as R));
    } catch (error) {
      if (batch.length > 1 && this.options.isOnes(error)) for (const one of batch) await this.settle([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
