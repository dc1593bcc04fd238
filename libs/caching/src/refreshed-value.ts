import { respondedWithin } from '@mgw/deadlines';

/** A value counts as fresh for this long, in milliseconds. An announced change ends that sooner. */
const FRESH_MS = 5_000;
/** After a failed load the last value is served for this long before the next load, in milliseconds. */
const RETRY_AFTER_MS = 1_000;

interface RefreshedValueOptions<V> {
  load(): Promise<V>;
  /** Receives the error of a load while the last value is served instead. */
  onStale?(error: unknown): void;
  /**
   * A load that takes longer, in milliseconds, counts as failed for its callers while there is a last value. Its result is cached
   * nevertheless. By default callers wait until it ends.
   */
  maxWaitMs?: number;
}

/** Caches one value that another service or the database owns. While it cannot be loaded the last one stays valid. */
export class RefreshedValue<V> {
  private cached: { value: V; loadedAt: number } | undefined;
  private retryAt = 0;
  private loading: Promise<V> | undefined;

  constructor(private readonly options: RefreshedValueOptions<V>) {}

  /**
   * Callers share a load in flight.
   * @param maxAgeMs loads the value again when it is older
   * @throws the error of the load if there is no value yet
   */
  async get(maxAgeMs = FRESH_MS): Promise<V> {
    const now = performance.now();
    const { cached } = this;
    if (cached !== undefined && (now - cached.loadedAt <= maxAgeMs || now < this.retryAt)) return cached.value;
    try {
      return await (this.loading ??= this.load());
    } catch (error) {
      // Another caller may have loaded it meanwhile.
      if (this.cached === undefined) throw error;
      this.retryAt = performance.now() + RETRY_AFTER_MS;
      this.options.onStale?.(error);
      return this.cached.value;
    }
  }

  /** The value has changed: the next call loads it. A load in flight may have begun before the change, so its result is not cached. */
  invalidate(): void {
    if (this.cached !== undefined) this.cached.loadedAt = -Infinity;
    this.retryAt = 0;
    this.loading = undefined;
  }

  private load(): Promise<V> {
    const loadedAt = performance.now();
    const isCurrent = () => this.loading === loading;
    const result = this.options
      .load()
      .then((value) => {
        if (!isCurrent()) return value;
        this.cached = { value, loadedAt };
        this.retryAt = 0;
        return value;
      })
      .finally(() => {
        if (isCurrent()) this.loading = undefined;
      });
    const { maxWaitMs } = this.options;
    const late = () => new Error(`loading takes longer than ${maxWaitMs} ms`);
    const loading = this.cached === undefined || maxWaitMs === undefined ? result : respondedWithin(maxWaitMs, result, late);
    return (this.loading = loading);
  }
}
