import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { FindNewestEvents, GatewayError, ListEvents, MAX_FEEDS, type FeedPage, type RequestOf } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import { Shares } from '@mgw/shares';
import { gauge, type Logger } from '@mgw/telemetry';
import { GatewayConfig } from '../gateway.config';

/** How often one request looks for new events of all businesses whose callers wait. */
const QUERY_EVERY_MS = 250;
const RETRY_MS = 1_000;
const IDLE_MS = 60_000;
/** Pages in memory that are being read. A page has half a megabyte, or one event of up to a megabyte. */
const PAGES = { places: 4, largest: 1 / 2, waiting: { room: 2_000, largest: 1 / 4 } };
const PAGE_WITHIN_MS = 4_000;
const RETRY_AFTER_SECONDS = 2;

type Request = RequestOf<typeof ListEvents>;

interface Waiter {
  /** The newest number that its caller knows. */
  after: number;
  /** Ends the wait. */
  resolve: (isNew: boolean) => void;
}

/**
 * Reads feeds for callers that may wait for an event. A waiting caller holds its HTTP connection and nothing else: one request a moment
 * covers all of them (decision 351).
 */
@Injectable()
export class EventFeedService extends BackgroundLoop implements BeforeApplicationShutdown {
  private readonly waiting = new Map<number, Set<Waiter>>();
  /** Pages that are being read. Callers at the same position share one. */
  private readonly reading = new Map<string, Promise<FeedPage>>();
  private readonly pages = new Shares(PAGES);
  /** Half of the connections, so that waiting callers leave room for others. */
  private readonly places: Shares;
  private closing = false;

  constructor(
    private readonly rpc: RpcClient,
    config: GatewayConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ name: 'looking for new events', logger, retryMs: RETRY_MS });
    gauge('mgw_feed_callers_waiting', 'Callers that wait for an event', [], () => this.waitingCallers);
    this.places = new Shares({ places: Math.ceil(config.maxConnections / 2), largest: 1 / 2 });
  }

  get waitingCallers(): number {
    return [...this.waiting.values()].reduce((sum, waiters) => sum + waiters.size, 0);
  }

  /**
   * @param waitMs how long to wait if the feed has no event for the caller; without a free place it does not wait
   * @param gone ends the wait when the caller leaves
   */
  async read(request: Request, waitMs: number, gone: AbortSignal): Promise<FeedPage> {
    const deadline = performance.now() + waitMs;
    let page = await this.page(request);
    const release = page.events.length > 0 || page.gap || waitMs === 0 ? null : this.places.tryTake(String(request.business_id));
    if (release === null) return page;
    try {
      while (page.events.length === 0 && !page.gap) {
        if (!(await this.waitForNew(request.business_id, page.next_after, deadline - performance.now(), gone))) break;
        page = await this.page({ ...request, after: page.next_after });
      }
      return page;
    } finally {
      release();
    }
  }

  /** Ends all waits before the port closes, because closing waits for them. */
  beforeApplicationShutdown(): void {
    this.closing = true;
    for (const waiters of this.waiting.values()) for (const { resolve } of waiters) resolve(false);
  }

  protected async round(): Promise<number> {
    if (this.waiting.size === 0) return IDLE_MS;
    const businesses = [...this.waiting.keys()];
    for (let from = 0; from < businesses.length; from += MAX_FEEDS) await this.findNew(businesses.slice(from, from + MAX_FEEDS));
    return QUERY_EVERY_MS;
  }

  /** A number below the caller's means that the database was restored: the next page reports it as a gap. */
  private async findNew(business_ids: number[]): Promise<void> {
    const { newest } = await this.rpc.call(FindNewestEvents, { business_ids });
    for (const [i, id] of business_ids.entries())
      for (const { after, resolve } of this.waiting.get(id) ?? []) if (after !== newest[i]) resolve(true);
  }

  private waitForNew(business: number, after: number, withinMs: number, gone: AbortSignal): Promise<boolean> {
    if (this.closing || gone.aborted || withinMs <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiters = this.waiting.get(business) ?? new Set();
      const end = (isNew: boolean) => {
        clearTimeout(timer);
        gone.removeEventListener('abort', leave);
        waiters.delete(waiter);
        if (waiters.size === 0) this.waiting.delete(business);
        resolve(isNew);
      };
      const leave = () => end(false);
      const waiter = { after, resolve: end };
      const timer = setTimeout(leave, withinMs);
      gone.addEventListener('abort', leave);
      const isFirst = this.waiting.size === 0;
      this.waiting.set(business, waiters.add(waiter));
      if (isFirst) this.wake();
    });
  }

  private page(request: Request): Promise<FeedPage> {
    const key = JSON.stringify(request);
    const known = this.reading.get(key);
    if (known) return known;
    const page = this.readPage(request).finally(() => this.reading.delete(key));
    this.reading.set(key, page);
    return page;
  }

  private async readPage(request: Request): Promise<FeedPage> {
    const release = await this.pages.take(String(request.business_id), PAGE_WITHIN_MS);
    if (release === null)
      throw new GatewayError('RATE_LIMITED', 'Too many requests of this business read events. Try again shortly.', {
        retry_after_seconds: RETRY_AFTER_SECONDS,
      });
    try {
      return await this.rpc.call(ListEvents, request);
    } finally {
      release();
    }
  }
}
