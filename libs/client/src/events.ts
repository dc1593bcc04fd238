import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'openapi-fetch';
import type { components, paths } from './schema';
import type { WebhookEvent } from './verify-webhook';

/** An event of the feed: `event` decides the type of `data`. */
export type FeedEvent = WebhookEvent & { seq: number; event_id: string };
export type FeedPage = Omit<components['schemas']['Events'], 'events'> & { events: FeedEvent[] };

export interface ListOptions {
  /** The number after which the events begin; by default with the oldest that is kept. */
  after?: number | undefined;
  /** Names of events, all by default. */
  types?: WebhookEvent['event'][];
  /** Events of a page, 1 to 100. */
  limit?: number;
  /** Seconds to wait for an event, 0 to 25. */
  wait?: number;
  signal?: AbortSignal;
}

export interface FollowOptions extends Pick<ListOptions, 'after' | 'types' | 'signal'> {
  /** Continues after events that are no longer kept, or after a restored backup. Without it `follow` throws. */
  onGap?: (page: FeedPage) => void;
}

/** The gateway refused to return events, or has lost some after `after`: repeating the request does not help. */
export class EventsUnavailable extends Error {
  override readonly name = 'EventsUnavailable';
}

const WAIT_SECONDS = 25;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** Pause after a response without events that came early. */
const EARLY_MS = 1_000;

export class Events {
  constructor(private readonly client: Client<paths>) {}

  /** Reads a page. @throws EventsUnavailable, or the error of `fetch` */
  async list(options: ListOptions = {}): Promise<FeedPage> {
    const { data, error, response } = await this.request(options);
    if (data === undefined) throw refused(response, error);
    return data as FeedPage;
  }

  /**
   * Yields events as they happen and continues through failures of the network and restarts of the gateway. Store `seq` together with the
   * effects of each event, and pass the last one as `after` when your process starts again. Ends when `signal` aborts.
   * @throws EventsUnavailable
   */
  async *follow({ after, types, signal, onGap }: FollowOptions = {}): AsyncGenerator<FeedEvent, void, void> {
    let position = after;
    let failures = 0;
    while (!signal?.aborted) {
      const startedAt = Date.now();
      const read = { ...(position !== undefined && { after: position }), ...(types && { types }), ...(signal && { signal }) };
      const { data, error, response } = await this.request({ ...read, wait: WAIT_SECONDS }).catch(() => NO_RESPONSE);
      if (data === undefined) {
        if (response && response.status !== 429 && response.status < 500) throw refused(response, error);
        await pauseFor(retryAfterMs(response) ?? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++), signal);
        continue;
      }
      failures = 0;
      const page = data as FeedPage;
      if (page.gap) {
        if (!onGap) throw new EventsUnavailable(`events after ${position} are no longer kept; the oldest is ${page.oldest}`);
        onGap(page);
      }
      yield* page.events;
      position = page.next_after;
      if (page.events.length === 0 && Date.now() - startedAt < EARLY_MS) await pauseFor(EARLY_MS, signal);
    }
  }

  private request({ after, types, limit, wait, signal }: ListOptions) {
    const query = {
      ...(after !== undefined && { after: String(after) }),
      ...(types && { types: types.join(',') }),
      ...(limit !== undefined && { limit: String(limit) }),
      ...(wait !== undefined && { wait: String(wait) }),
    };
    return this.client.GET('/api/v1/events', { params: { query }, ...(signal && { signal }) });
  }
}

const NO_RESPONSE = { data: undefined, error: undefined, response: undefined };

function refused({ status }: Response, error: unknown): EventsUnavailable {
  return new EventsUnavailable(`the gateway responded ${status}: ${(error as { error?: string } | undefined)?.error ?? ''}`);
}

function retryAfterMs(response: Response | undefined): number | undefined {
  const seconds = response?.headers.get('retry-after');
  return seconds && /^\d+$/.test(seconds) ? Math.min(LONGEST_PAUSE_MS, Number(seconds) * 1_000) : undefined;
}

/** Ends early when the signal aborts. */
async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await pause(ms, undefined, signal && { signal }).catch(() => undefined);
}
