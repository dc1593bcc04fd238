import { Injectable } from '@nestjs/common';
import type { EventEnvelope } from '@mgw/contracts';
import { traceparentOf } from '@mgw/events';
import { Database, onRow } from '@mgw/postgres';
import { publicBody } from './public-body';

/** What became of events. */
export interface Expansion {
  taken: Attempt[];
  /** Deliveries that wait for others, or for room. */
  waiting: number;
}

/** An attempt that this worker has taken. */
export interface Attempt {
  id: string;
  webhook_id: string;
  business_id: string;
  event_id: string;
  body: string;
  attempt: number;
  url: string;
  secret_sealed: string | null;
  traceparent: string | null;
  /** Asked for by a person: a test, or once more. */
  by_hand: boolean;
}

export interface Ceilings {
  /** Attempts that may be begun now. */
  room: number;
  /** Attempts under way by webhook. */
  busy: ReadonlyMap<string, number>;
  perWebhook: number;
  /** Those that have as many attempts under way as they may; hosts with their port, as the URL has them. */
  full: { businesses: string[]; hosts: string[] };
}

export interface AttemptEnd {
  succeeded: boolean;
  statusCode: number | null;
  /** In words for the tenant; null when it succeeded. */
  reason: string | null;
  durationMs: number;
}

/** Longer than an attempt (10 s) and the tries to record its end (8 s): the attempt of a worker that lives is never made twice. */
const LEASE = '30 seconds';

/** Open deliveries of one webhook that one look sees. */
const LOOKED_AT = 100;

@Injectable()
export class DeliveriesStore {
  constructor(private readonly db: Database) {}

  /**
   * Makes of each event that was not handled before one delivery for each webhook that wants it, and takes at once those that
   * nothing holds up: no ceiling, and no open delivery of the same webhook that would have to go first (product decision 29b).
   * @returns the attempts taken, and how many deliveries wait
   */
  async expand(events: EventEnvelope[], { room, busy, perWebhook, full }: Ceilings): Promise<Expansion> {
    const bodies = new Map(events.map((event) => [event.id, publicBody(event)]));
    const rows = await this.db.query<Omit<Attempt, 'body' | 'by_hand'> & { state: string }>(
      `WITH e AS (
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $12::text[])
           WITH ORDINALITY AS e (business_id, event_id, type, ordering_key, body, traceparent, nth)
       ), fresh AS (
         -- In one order everywhere: two replicas with the same events wait for each other instead of deadlocking.
         INSERT INTO dispatch.inbox (consumer, event_id) SELECT 'outbound-webhook-dispatcher', event_id FROM e ORDER BY event_id ON CONFLICT DO NOTHING RETURNING event_id
       ), wanted AS (
         SELECT e.*, w.id AS webhook_id, w.is_active, split_part(w.url, '/', 3) AS host,
                row_number() OVER (PARTITION BY w.id, e.ordering_key ORDER BY e.nth) AS place
         FROM e JOIN fresh USING (event_id)
         JOIN dispatch.webhooks w ON w.business_id = e.business_id AND e.type = ANY (w.events)
       ), held AS MATERIALIZED (
         -- Once for each webhook: looking passes what has ended since the last vacuum.
         SELECT w.id, p.waits, CASE WHEN p.waits THEN '{}' ELSE ARRAY(
           SELECT d.ordering_key FROM dispatch.deliveries d WHERE d.webhook_id = w.id AND d.state = 'running') END AS keys
         FROM (SELECT DISTINCT webhook_id AS id FROM wanted WHERE is_active) w
         CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM dispatch.deliveries d WHERE d.webhook_id = w.id AND d.state = 'pending') AS waits) p
       ), free AS (
         SELECT wanted.webhook_id, wanted.nth, row_number() OVER (ORDER BY wanted.nth, wanted.webhook_id) AS place,
                row_number() OVER (PARTITION BY wanted.webhook_id ORDER BY wanted.nth) + coalesce(b.running, 0) AS of_webhook
         FROM wanted JOIN held ON held.id = wanted.webhook_id
         LEFT JOIN unnest($6::bigint[], $7::integer[]) AS b (webhook_id, running) ON b.webhook_id = wanted.webhook_id
         WHERE wanted.place = 1 AND NOT held.waits AND wanted.ordering_key <> ALL (held.keys)
           AND wanted.business_id <> ALL ($10::bigint[]) AND wanted.host <> ALL ($11::text[])
       ), made AS (
         INSERT INTO dispatch.deliveries
           (webhook_id, business_id, event, event_id, ordering_key, body, traceparent, state, attempt, lease_until, reason, finished_at)
         SELECT wanted.webhook_id, wanted.business_id, wanted.type, wanted.event_id, wanted.ordering_key, wanted.body, wanted.traceparent, s.state,
                CASE WHEN s.state = 'running' THEN 1 ELSE 0 END,
                CASE WHEN s.state = 'running' THEN clock_timestamp() + interval '${LEASE}' END,
                CASE WHEN s.state = 'skipped' THEN 'the webhook is disabled' END,
                CASE WHEN s.state = 'skipped' THEN now() END
         FROM wanted LEFT JOIN free ON free.webhook_id = wanted.webhook_id AND free.nth = wanted.nth
         CROSS JOIN LATERAL (SELECT CASE WHEN NOT wanted.is_active THEN 'skipped'
                                         WHEN free.place <= $9 AND free.of_webhook <= $8 THEN 'running' ELSE 'pending' END AS state) s
         ORDER BY wanted.nth, wanted.webhook_id
         ON CONFLICT (webhook_id, event_id) DO NOTHING
         RETURNING id, webhook_id, business_id, event_id, attempt, traceparent, state
       )
       SELECT made.*, w.url, w.secret_sealed FROM made JOIN dispatch.webhooks w ON w.id = made.webhook_id
       WHERE made.state <> 'skipped' ORDER BY made.id`,
      [
        events.map((event) => event.business_id),
        events.map((event) => event.id),
        events.map((event) => event.type),
        events.map((event) => event.key),
        events.map((event) => bodies.get(event.id)),
        [...busy.keys()],
        [...busy.values()],
        perWebhook,
        room,
        full.businesses,
        full.hosts,
        events.map((event) => traceparentOf(event) ?? null),
      ],
    );
    const taken = rows
      .filter(({ state }) => state === 'running')
      .map((row) => ({ ...row, body: bodies.get(row.event_id) as string, by_hand: false }));
    return { taken, waiting: rows.length - taken.length };
  }

  /**
   * Takes attempts that are due: new ones, and those whose worker died (its lease is over). Of one webhook and conversation only
   * the oldest, and none while one is under way, so that they start in order, each after the end of the one before (product
   * decision 29b); what is delivered again by hand is older than what runs. Of each webhook its first open deliveries are looked
   * at: the ones below it in the list of one conversation do not hold up the others for long.
   */
  take({ room, busy, perWebhook, full }: Ceilings): Promise<Attempt[]> {
    return this.db.relaxed.query<Attempt>(
      `WITH RECURSIVE waiting AS (
         (SELECT webhook_id FROM dispatch.deliveries WHERE state IN ('pending', 'running') ORDER BY webhook_id LIMIT 1)
         UNION ALL
         SELECT (SELECT d.webhook_id FROM dispatch.deliveries d WHERE d.state IN ('pending', 'running') AND d.webhook_id > waiting.webhook_id
                 ORDER BY d.webhook_id LIMIT 1)
         FROM waiting WHERE waiting.webhook_id IS NOT NULL
       ), oldest AS (
         SELECT o.id, row_number() OVER (PARTITION BY w.id ORDER BY o.id) + coalesce(b.running, 0) AS nth
         FROM waiting JOIN dispatch.webhooks w ON w.id = waiting.webhook_id AND w.is_active
         LEFT JOIN unnest($2::bigint[], $3::integer[]) AS b (webhook_id, running) ON b.webhook_id = w.id
         CROSS JOIN LATERAL (
           SELECT f.id, f.state, f.lease_until, row_number() OVER (
             PARTITION BY f.ordering_key ORDER BY f.state = 'running' AND f.lease_until >= clock_timestamp() DESC, f.id) AS place
           FROM (SELECT d.id, d.state, d.lease_until, d.ordering_key FROM dispatch.deliveries d
                 WHERE d.webhook_id = w.id AND d.state IN ('pending', 'running') ORDER BY d.id LIMIT ${LOOKED_AT}) f
         ) o
         WHERE o.place = 1 AND (o.state = 'pending' OR o.lease_until < clock_timestamp())
           AND w.business_id <> ALL ($5::bigint[]) AND split_part(w.url, '/', 3) <> ALL ($6::text[])
         ORDER BY o.id
       ), due AS (
         -- One by one: a join could be planned as a comparison of each with the whole table.
         SELECT locked.id FROM oldest CROSS JOIN LATERAL (
           SELECT d.id FROM dispatch.deliveries d
           WHERE d.id = oldest.id AND ${onRow(`d.state = 'pending' OR d.state = 'running' AND d.lease_until < clock_timestamp()`)}
           FOR UPDATE SKIP LOCKED
         ) locked
         WHERE oldest.nth <= $4 LIMIT $1
       )
       UPDATE dispatch.deliveries d
       SET state = 'running', attempt = d.attempt + 1, lease_until = clock_timestamp() + interval '${LEASE}'
       FROM due, dispatch.webhooks w
       WHERE d.id = due.id AND w.id = d.webhook_id
       RETURNING d.id, d.webhook_id, d.business_id, d.event_id, d.body, d.attempt, d.traceparent, d.by_hand, w.url, w.secret_sealed`,
      [room, [...busy.keys()], [...busy.values()], perWebhook, full.businesses, full.hosts],
    );
  }

  /** Keeps what goes out, for the log. */
  async noteRequest({ id, attempt }: Attempt, request: { url: string; headers: Record<string, string> }): Promise<void> {
    const sql = 'UPDATE dispatch.deliveries SET request = $3 WHERE id = $1 AND attempt = $2';
    await this.db.relaxed.query(sql, [id, attempt, JSON.stringify(request)]);
  }

  /**
   * Ends attempts and moves the webhooks' counters with them, once: a worker whose lease was taken over changes nothing
   * (guarantees §4, D4). What a person asked for counts nothing (product decision 34).
   * @returns of each, whether deliveries of its webhook wait, perhaps for this end, perhaps stored by another replica
   */
  async finish(ends: { attempt: Attempt; end: AttemptEnd }[]): Promise<boolean[]> {
    const of = <T>(pick: (end: AttemptEnd) => T) => ends.map(({ end }) => pick(end));
    // Lost with the database's last half second, the attempt is made again (guarantees §4, D3).
    const waiting = await this.db.relaxed.query<{ webhook_id: string }>(
      `WITH ended AS (
         UPDATE dispatch.deliveries d SET state = n.state, status_code = n.status_code, reason = n.reason, duration_ms = n.duration_ms,
           finished_at = clock_timestamp(), lease_until = NULL
         FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::integer[], $5::text[], $6::integer[])
           WITH ORDINALITY AS n (id, attempt, state, status_code, reason, duration_ms, nth)
         -- By attempt: both ends of a delivery that was taken over may be here.
         WHERE d.id = n.id AND d.attempt = n.attempt AND ${onRow(`d.state = 'running'`)}
         RETURNING d.webhook_id, d.state, d.by_hand, n.nth
       ), successes AS (
         SELECT webhook_id, coalesce(max(nth) FILTER (WHERE state = 'succeeded'), 0) AS latest FROM ended WHERE NOT by_hand GROUP BY webhook_id
       ), counts AS (
         -- A success sets the count to nothing, and what failed after it counts again (spec §3.4).
         SELECT e.webhook_id AS id, s.latest > 0 AS reset, count(*) FILTER (WHERE e.nth > s.latest) AS failures
         FROM ended e JOIN successes s USING (webhook_id) WHERE NOT e.by_hand GROUP BY e.webhook_id, s.latest
       ), locked AS (
         -- No key changes: new deliveries, which point to the webhook, need not wait.
         SELECT id FROM dispatch.webhooks WHERE id IN (SELECT id FROM counts) ORDER BY id FOR NO KEY UPDATE
       ), counted AS (
         UPDATE dispatch.webhooks w SET last_triggered_at = clock_timestamp(),
           fail_count = CASE WHEN c.reset THEN 0 ELSE w.fail_count END + c.failures
         FROM counts c JOIN locked USING (id) WHERE w.id = c.id
       )
       SELECT webhook_id FROM (SELECT DISTINCT unnest($7::bigint[]) AS webhook_id) w
       WHERE EXISTS (SELECT FROM dispatch.deliveries d WHERE d.webhook_id = w.webhook_id AND d.state = 'pending')`,
      [
        ends.map(({ attempt }) => attempt.id),
        ends.map(({ attempt }) => attempt.attempt),
        of(({ succeeded }) => (succeeded ? 'succeeded' : 'failed')),
        of(({ statusCode }) => statusCode),
        of(({ reason }) => reason),
        of(({ durationMs }) => durationMs),
        ends.map(({ attempt }) => attempt.webhook_id),
      ],
    );
    const webhooks = new Set(waiting.map(({ webhook_id }) => webhook_id));
    return ends.map(({ attempt }) => webhooks.has(attempt.webhook_id));
  }

  /** What a disabled webhook still has open: told while it was being disabled, or left by a worker that died (guarantees §4, D8). */
  async skipDisabled(): Promise<void> {
    await this.db.query(
      `UPDATE dispatch.deliveries d SET state = 'skipped', reason = 'the webhook is disabled', finished_at = clock_timestamp(), lease_until = NULL
       FROM dispatch.webhooks w
       WHERE w.id = d.webhook_id AND NOT w.is_active AND (d.state = 'pending' OR d.state = 'running' AND d.lease_until < clock_timestamp())`,
    );
  }
}
