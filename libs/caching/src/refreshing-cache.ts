import { AsyncResource } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';

export interface RefreshingCacheOptions<Request, Value, Context> {
  /** One value for each request, in their order. @param context of the caller who waits; absent when nobody does */
  load(questions: Request[], context?: Context): Promise<Value[]>;
  /** Whether an value is worth holding; absent: every one is. */
  isCacheable?(value: Value): boolean;
  /** For a minute an old value stands in for one that cannot be had. */
  serveStaleOnError?: boolean;
}

interface Entry<Request, Value> {
  request: Request;
  value: Value;
  /** By `performance.now()`, which no change of the clock moves; as the next. */
  freshUntil: number;
  /** Until then it stands in for an value that cannot be had. */
  usableUntil: number;
}

/** How long an value is believed without asking again. An announcement ends it sooner. */
const FRESH_MS = 5_000;
const STALE_MS = 60_000;
/** How long it does so before it is asked for again, in milliseconds: not everybody waits for who does not value. */
const RETRY_AFTER_MS = 1_000;
/** An value that is used when it has less time left than this is asked for again, before anybody has to wait for it. */
const REFRESH_AHEAD_MS = 2_500;
/** How long such answers wait to be asked for together, in milliseconds. */
const REFRESH_DELAY_MS = 1_000;
/** In one request: answers of a few kilobytes each must fit into a message. */
const REFRESHED_TOGETHER = 100;
const MAX_ENTRIES = 10_000;

/**
 * Answers of a neighbour or a database, each held for five seconds, so that the hot path asks nobody. One request is asked
 * once, however many wait for it; and what is in constant use is confirmed together: a thousand businesses that all send cost
 * ten questions in five seconds instead of a thousand.
 */
export class RefreshingCache<Request, Value, Context = undefined> {
  private readonly entries = new LRUCache<string, Entry<Request, Value>>({ max: MAX_ENTRIES });
  private readonly loading = new Map<string, Promise<Value>>();
  private toRefresh = new Map<string, Entry<Request, Value>>();
  /** Outside of the trace of whoever happens to be the first to use what is confirmed. */
  private readonly outside = new AsyncResource('RefreshingCache');

  constructor(private readonly options: RefreshingCacheOptions<Request, Value, Context>) {}

  /** @param key of questions that are the same @param request made only when it is asked, and kept with its value */
  async get(key: string, request: () => Request, context?: Context): Promise<Value> {
    const held = this.entries.get(key);
    const left = held === undefined ? 0 : held.freshUntil - performance.now();
    if (held && left > 0) {
      if (left < REFRESH_AHEAD_MS) this.refreshSoon(key, held);
      return held.value;
    }
    try {
      return await (this.loading.get(key) ?? this.load(key, request(), context));
    } catch (fault) {
      // It may have been replaced meanwhile.
      const standIn = this.entries.peek(key);
      const now = performance.now();
      if (standIn === undefined || now >= standIn.usableUntil) throw fault;
      standIn.freshUntil = Math.max(standIn.freshUntil, now + RETRY_AFTER_MS);
      return standIn.value;
    }
  }

  /** These have changed: the next request is asked again, also when it is under way now. */
  invalidate(isMeant: (key: string, value: Value) => boolean): void {
    for (const [key, held] of this.entries.entries()) {
      if (isMeant(key, held.value)) held.freshUntil = 0;
    }
    this.loading.clear();
  }

  private load(key: string, request: Request, context?: Context): Promise<Value> {
    const askedAt = performance.now();
    const value = this.options.load([request], context).then(([answered]) => {
      if (this.loading.get(key) === value) this.store(key, request, answered as Value, askedAt);
      return answered as Value;
    });
    this.loading.set(key, value);
    const clear = () => {
      if (this.loading.get(key) === value) this.loading.delete(key);
    };
    value.then(clear, clear);
    return value;
  }

  private store(key: string, request: Request, value: Value, askedAt: number): void {
    const { isCacheable, serveStaleOnError } = this.options;
    if (isCacheable && !isCacheable(value)) this.entries.delete(key);
    else
      this.entries.set(key, {
        request,
        value,
        freshUntil: askedAt + FRESH_MS,
        usableUntil: askedAt + (serveStaleOnError ? STALE_MS : 0),
      });
  }

  private refreshSoon(key: string, held: Entry<Request, Value>): void {
    if (this.toRefresh.size === 0) this.outside.runInAsyncScope(() => setTimeout(() => void this.refresh(), REFRESH_DELAY_MS).unref());
    this.toRefresh.set(key, held);
  }

  private async refresh(): Promise<void> {
    const entries = [...this.toRefresh];
    this.toRefresh = new Map();
    for (let from = 0; from < entries.length; from += REFRESHED_TOGETHER) {
      const together = entries.slice(from, from + REFRESHED_TOGETHER);
      const askedAt = performance.now();
      // Without an value each is asked for when it is next needed, by someone who can be told what is wrong.
      const answers = await this.options.load(together.map(([, { request }]) => request)).catch(() => []);
      together.forEach(([key, held], i) => {
        // Or forgotten meanwhile, or asked for again.
        const isCurrent = this.entries.peek(key) === held && held.freshUntil > 0;
        if (i in answers && isCurrent) this.store(key, held.request, answers[i] as Value, askedAt);
      });
    }
  }
}
