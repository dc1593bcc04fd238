import { Injectable } from '@nestjs/common';
import type { FeedPage, ListEvents, RequestOf } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { DispatcherConfig } from '../outbound-webhook-dispatcher.config';
import { keepWanted } from './opt-in-events';

/** Bytes of the events on a page; a page has at least one event. */
const PAGE_BYTES = 512 * 1024;
/** Events that a request for some types examines. A page may be empty although later events match: `next_after` is behind the examined ones. */
const EXAMINED = 5_000;

/** A row of a page; a page without events is one row without a number. */
interface PageRow {
  /** The number of the last event that the page covers, or up to which there is none. */
  covered: string;
  matching: string;
  oldest: string;
  gap: boolean;
  seq: string | null;
  event_id: string;
  body: string;
}

/**
 * SQL: a page of a feed. Expired rows count as deleted, because retention deletes them in any order. `after` is above the newest number
 * when the database was restored from a backup.
 */
const PAGE = `WITH feed AS MATERIALIZED (
    SELECT last_seq, coalesce((
      SELECT seq FROM dispatch.feed_events WHERE business_id = $1 AND created_at > now() - make_interval(days => $6) ORDER BY seq LIMIT 1
    ), last_seq + 1) AS oldest
    FROM dispatch.feeds WHERE business_id = $1
  ), position AS MATERIALIZED (
    SELECT oldest, gap, last_seq, CASE WHEN gap OR $2::bigint IS NULL THEN oldest - 1 ELSE $2 END AS "from"
    FROM feed CROSS JOIN LATERAL (SELECT coalesce($2 > last_seq OR $2 < oldest - 1, false) AS gap) g
  ), examined AS MATERIALIZED (
    SELECT e.* FROM position CROSS JOIN LATERAL (
      SELECT seq, event_id, event, body, octet_length(body) AS bytes FROM dispatch.feed_events
      WHERE business_id = $1 AND seq > position."from" ORDER BY seq LIMIT $5
    ) e
  ), matching AS MATERIALIZED (
    SELECT *, row_number() OVER (ORDER BY seq) AS nth, sum(bytes) OVER (ORDER BY seq) AS bytes_until
    FROM examined WHERE $4::text[] IS NULL OR event = ANY ($4)
  )
  SELECT oldest, gap, (SELECT CASE WHEN count(*) < $5 THEN position.last_seq ELSE max(seq) END FROM examined) AS covered,
    (SELECT count(*) FROM matching) AS matching, page.*
  FROM position LEFT JOIN (
    SELECT seq, event_id, body FROM matching WHERE nth <= $3 AND (nth = 1 OR bytes_until <= ${PAGE_BYTES})
  ) page ON true ORDER BY page.seq`;

/** The events of each business by number (docs/webhooks.md, decisions 282 and 350). */
@Injectable()
export class FeedStore {
  constructor(
    private readonly db: Database,
    private readonly config: DispatcherConfig,
  ) {}

  /** @returns null when the business has no feed */
  async page({ business_id, after, limit, types }: RequestOf<typeof ListEvents>): Promise<FeedPage | null> {
    const values = [business_id, after ?? null, limit, types ?? null, types ? EXAMINED : limit, this.config.eventsDays];
    const rows = await this.db.reads(business_id).query<PageRow>(PAGE, values);
    const [first] = rows;
    if (!first) return null;
    const events = rows.flatMap(({ seq, event_id, body }) => {
      if (seq === null) return [];
      const { event, timestamp, data } = JSON.parse(body) as Omit<FeedPage['events'][number], 'seq' | 'event_id'>;
      return [{ seq: Number(seq), event_id, event, timestamp, data }];
    });
    const isCut = events.length < Number(first.matching);
    return { events, next_after: Number(isCut ? rows.at(-1)?.seq : first.covered), oldest: Number(first.oldest), gap: first.gap };
  }

  async begin(businessId: number): Promise<void> {
    await this.db.query('INSERT INTO dispatch.feeds (business_id, last_seq) VALUES ($1, 0) ON CONFLICT DO NOTHING', [businessId]);
  }

  /** @returns whether another opt-in event is wanted now */
  want(businessId: number, types: string[]): Promise<boolean> {
    return keepWanted(this.db, businessId, types);
  }

  async newest(businessIds: number[]): Promise<number[]> {
    const rows = await this.db.query<{ last_seq: string }>(
      `SELECT coalesce(f.last_seq, 0) AS last_seq FROM unnest($1::bigint[]) WITH ORDINALITY AS n (id, nth)
       LEFT JOIN dispatch.feeds f ON f.business_id = n.id ORDER BY nth`,
      [businessIds],
    );
    return rows.map(({ last_seq }) => Number(last_seq));
  }
}
