import { setTimeout as pause } from 'node:timers/promises';
import type { components } from './schema';
import type { Transport } from './transport';
import type { WebhookEvent } from './verify-webhook';

/** An event of the feed: `event` decides the type of `data`. */
export type FeedEvent = WebhookEvent & { seq: number; event_id: string };
export type FeedPage = Omit<components['schemas']['Events'], 'events'> & { events: FeedEvent[] };

export interface ListOptions {
  /** The number after which the events begin; by default with the oldest that is kept. */
  after?: number | undefined;
  /** Names of events, all by default. */
  types?: WebhookEvent['event'][] | undefined;
  /** Events of a page, 1 to 100. */
  limit?: number;
  /** Seconds to wait for an event, 0 to 25. */
  wait?: number;
  signal?: AbortSignal | undefined;
}

export interface FollowOptions extends Pick<ListOptions, 'after' | 'types' | 'signal'> {
  /** Continues after events that are no longer kept, or after a restored backup. Without it `follow` throws EventsLost. */
  onGap?: (page: FeedPage) => void;
}

/** Events after the position are no longer kept, or a backup of the gateway was restored. */
export class EventsLost extends Error {
  override readonly name = 'EventsLost';
}

const WAIT_SECONDS = 25;
const FULL_PAGE = 100;
/** Requests for the newest events begin as far apart, because a request for each event would use up the limits of the sends. */
const PACE_MS = 2_000;

/** Reads the events of the business by number. */
export class Events {
  constructor(private readonly transport: Transport) {}

  /** Reads a page: pass its `next_after` as `after` of the next one. */
  list(options: ListOptions = {}): Promise<FeedPage> {
    return this.read(options);
  }

  /**
   * Yields events as they happen, with at most 30 requests a minute once it has caught up, and continues through failures of the network and
   * restarts of the gateway. Store `seq` together with the effects of each event, and pass the last one as `after` when your process starts
   * again. Ends when `signal` aborts.
   * @throws EventsLost, or GatewayRefusal for a request that no retry helps
   */
  async *follow({ after, types, signal, onGap }: FollowOptions = {}): AsyncGenerator<FeedEvent, void, void> {
    let position = after;
    while (!signal?.aborted) {
      const startedAt = performance.now();
      const page = await this.read({ after: position, types, signal, limit: FULL_PAGE, wait: WAIT_SECONDS }, Infinity).catch(
        (error: unknown) => {
          if (!signal?.aborted) throw error;
        },
      );
      if (!page) return;
      if (page.gap) {
        if (!onGap) throw new EventsLost(`events after ${position} are no longer kept; the oldest is ${page.oldest}`);
        onGap(page);
      }
      yield* page.events;
      position = page.next_after;
      const early = page.events.length < FULL_PAGE ? startedAt + PACE_MS - performance.now() : 0;
      if (early > 0) await pause(early, undefined, { signal }).catch(() => undefined);
    }
  }

  private read({ signal, types, ...rest }: ListOptions, retries?: number): Promise<FeedPage> {
    const query = { ...rest, types: types?.join(',') };
    return this.transport.call<FeedPage>({ method: 'get', path: '/api/v1/events', query, retries, waitSeconds: rest.wait }, { signal });
  }
}
