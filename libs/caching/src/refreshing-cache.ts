import { AsyncResource } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';

export interface RefreshingCacheOptions<Request, Value, Context> {
  /** Loads one value per request, in the same order. @param context of the waiting caller; absent for a refresh in the background */
  load(requests: Request[], context?: Context): Promise<Value[]>;
  /** Whether to cache a value; by default every value is cached. */
  isCacheable?(value: Value): boolean;
  /** Bytes of a value in memory; by default 1.7 kB. */
  sizeOf?(value: Value): number;
  /** Serves a value of up to a minute while a newer one cannot be loaded. */
  serveStaleOnError?: boolean;
}

interface Entry<Request, Value> {
  request: Request;
  value: Value;
  /** By `performance.now()`, which changes of the system clock do not affect. */
  freshUntil: number;
  /** Until then the value may be served if loading fails. */
  usableUntil: number;
}

/** A value is served for this long without another load, in milliseconds. An announced change ends that sooner. */
const FRESH_MS = 5_000;
const STALE_MS = 60_000;
/** Pause after a failed load, in milliseconds, so that not every caller waits for a service that does not respond. */
const RETRY_AFTER_MS = 1_000;
/** A value that is used in the last part of its time is refreshed in the background, so that no caller waits. */
const REFRESH_AHEAD_MS = 2_500;
/** Refreshes are collected for this long into one load, in milliseconds. */
const REFRESH_DELAY_MS = 1_000;
/** Requests in one load: values of a few kilobytes each must fit into a NATS message. */
const REFRESHED_TOGETHER = 100;
const MAX_BYTES = 16 * 1024 ** 2;
/** Smaller values count as this much, so that there are at most 10,000 entries. */
const MIN_BYTES = Math.ceil(MAX_BYTES / 10_000);

/**
 * Caches values of another service or a database for five seconds, so that hot paths make no calls. Callers with the same key share one
 * load. Values in constant use are refreshed together: a thousand active businesses cost ten loads in five seconds instead of a thousand.
 */
export class RefreshingCache<Request, Value, Context = undefined> {
  private readonly entries: LRUCache<string, Entry<Request, Value>>;
  private readonly loading = new Map<string, Promise<Value>>();
  private toRefresh = new Map<string, Entry<Request, Value>>();
  /** Keeps refreshes out of the trace of the caller that started the timer. */
  private readonly outside = new AsyncResource('RefreshingCache');

  constructor(private readonly options: RefreshingCacheOptions<Request, Value, Context>) {
    this.entries = new LRUCache({
      // Without `max`, with which LRUCache would allocate its lists for 10,000 entries at once.
      maxSize: MAX_BYTES,
      sizeCalculation: ({ value }) => Math.max(options.sizeOf?.(value) ?? 0, MIN_BYTES),
    });
  }

  /** @param key the same for equal requests @param request creates the request if a load is needed */
  async get(key: string, request: () => Request, context?: Context): Promise<Value> {
    const entry = this.entries.get(key);
    const leftMs = entry === undefined ? 0 : entry.freshUntil - performance.now();
    if (entry && leftMs > 0) {
      if (leftMs < REFRESH_AHEAD_MS) this.refreshSoon(key, entry);
      return entry.value;
    }
    try {
      return await (this.loading.get(key) ?? this.load(key, request(), context));
    } catch (error) {
      // Another load may have replaced the entry meanwhile.
      const stale = this.entries.peek(key);
      const now = performance.now();
      if (stale === undefined || now >= stale.usableUntil) throw error;
      stale.freshUntil = Math.max(stale.freshUntil, now + RETRY_AFTER_MS);
      return stale.value;
    }
  }

  /** Values that the predicate matches have changed: the next call loads them. Results of loads in flight are not cached. */
  invalidate(isAffected: (key: string, value: Value) => boolean): void {
    for (const [key, entry] of this.entries.entries()) {
      if (isAffected(key, entry.value)) entry.freshUntil = 0;
    }
    this.loading.clear();
  }

  private load(key: string, request: Request, context?: Context): Promise<Value> {
    const startedAt = performance.now();
    const loading = this.options.load([request], context).then(([value]) => {
      if (this.loading.get(key) === loading) this.store(key, request, value as Value, startedAt);
      return value as Value;
    });
    this.loading.set(key, loading);
    const clear = () => {
      if (this.loading.get(key) === loading) this.loading.delete(key);
    };
    loading.then(clear, clear);
    return loading;
  }

  private store(key: string, request: Request, value: Value, loadedAt: number): void {
    const { isCacheable, serveStaleOnError } = this.options;
    if (isCacheable && !isCacheable(value)) return void this.entries.delete(key);
    const usableUntil = loadedAt + (serveStaleOnError ? STALE_MS : 0);
    this.entries.set(key, { request, value, freshUntil: loadedAt + FRESH_MS, usableUntil });
  }

  private refreshSoon(key: string, entry: Entry<Request, Value>): void {
    if (this.toRefresh.size === 0) this.outside.runInAsyncScope(() => setTimeout(() => void this.refresh(), REFRESH_DELAY_MS).unref());
    this.toRefresh.set(key, entry);
  }

  private async refresh(): Promise<void> {
    const refreshed = [...this.toRefresh];
    this.toRefresh = new Map();
    for (let from = 0; from < refreshed.length; from += REFRESHED_TOGETHER) {
      const together = refreshed.slice(from, from + REFRESHED_TOGETHER);
      const loadedAt = performance.now();
      // After an error each value is loaded when it is next used, and that caller gets the error.
      const values = await this.options.load(together.map(([, { request }]) => request)).catch(() => []);
      together.forEach(([key, entry], i) => {
        // Skip entries that were invalidated or replaced meanwhile.
        const isCurrent = this.entries.peek(key) === entry && entry.freshUntil > 0;
        if (i in values && isCurrent) this.store(key, entry.request, values[i] as Value, loadedAt);
      });
    }
  }
}
