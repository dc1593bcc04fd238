import { Injectable } from '@nestjs/common';
import type { EventEnvelope } from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';
import { publicBody } from './public-body';

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
}

export interface Ceilings {
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

  async expand(tx: Tx, events: EventEnvelope[]): Promise<void> {
    await tx.query(
      `INSERT INTO dispatch.deliveries (webhook_id, business_id, event, event_id, ordering_key, body, state, reason, finished_at)
       SELECT w.id, e.business_id, e.type, e.event_id, e.ordering_key, e.body,
              CASE WHEN w.is_active THEN 'pending' ELSE 'skipped' END,
              CASE WHEN NOT w.is_active THEN 'the webhook is disabled' END,
              CASE WHEN NOT w.is_active THEN now() END
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[])
         WITH ORDINALITY AS e (business_id, event_id, type, ordering_key, body, nth)
       JOIN dispatch.webhooks w ON w.business_id = e.business_id AND e.type = ANY (w.events)
       ORDER BY e.nth, w.id
       ON CONFLICT (webhook_id, event_id) DO NOTHING`,
      [
        events.map((event) => event.business_id),
        events.map((event) => event.id),
        events.map((event) => event.type),
        events.map((event) => event.key),
        events.map(publicBody),
      ],
    );
  }

  /**
   * Takes attempts that are due: new ones, and those whose worker died (its lease is over). Of one webhook and conversation only
   * the oldest, so that they start in order, each after the end of the one before (product decision 29b). Of each webhook its
   * first open deliveries are looked at: the ones below it in the list of one conversation do not hold up the others for long.
   */
  take(atMost: number, { busy, perWebhook, full }: Ceilings): Promise<Attempt[]> {
    const taking = (tx: Tx) =>
      tx.query<Attempt>(
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
           SELECT f.id, f.state, f.lease_until, row_number() OVER (PARTITION BY f.ordering_key ORDER BY f.id) AS place
           FROM (SELECT d.id, d.state, d.lease_until, d.ordering_key FROM dispatch.deliveries d
                 WHERE d.webhook_id = w.id AND d.state IN ('pending', 'running') ORDER BY d.id LIMIT ${LOOKED_AT}) f
         ) o
         WHERE o.place = 1 AND (o.state = 'pending' OR o.lease_until < clock_timestamp())
           AND w.business_id <> ALL ($5::bigint[]) AND split_part(w.url, '/', 3) <> ALL ($6::text[])
       ), due AS (
         SELECT d.id FROM dispatch.deliveries d JOIN oldest USING (id)
         WHERE oldest.nth <= $4 AND (d.state = 'pending' OR d.state = 'running' AND d.lease_until < clock_timestamp())
         ORDER BY d.id LIMIT $1 FOR UPDATE OF d SKIP LOCKED
       )
       UPDATE dispatch.deliveries d
       SET state = 'running', attempt = d.attempt + 1, lease_until = clock_timestamp() + interval '${LEASE}'
       FROM due, dispatch.webhooks w
       WHERE d.id = due.id AND w.id = d.webhook_id
       RETURNING d.id, d.webhook_id, d.business_id, d.event_id, d.body, d.attempt, w.url, w.secret_sealed`,
        [atMost, [...busy.keys()], [...busy.values()], perWebhook, full.businesses, full.hosts],
      );
    return this.db.transaction(taking, { durable: false });
  }

  /**
   * Ends attempts and moves the webhooks' counters with them, once: a worker whose lease was taken over changes nothing
   * (guarantees §4, D4). What a person asked for counts nothing (product decision 34).
   */
  async finish(ends: { attempt: Attempt; end: AttemptEnd }[]): Promise<void> {
    const of = <T>(pick: (end: AttemptEnd) => T) => ends.map(({ end }) => pick(end));
    const ending = async (tx: Tx): Promise<void> => {
      const ended = await tx.query<{ id: string; by_hand: boolean }>(
        `UPDATE dispatch.deliveries d SET state = n.state, status_code = n.status_code, reason = n.reason, duration_ms = n.duration_ms,
           finished_at = clock_timestamp(), lease_until = NULL
         FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::integer[], $5::text[], $6::integer[])
           AS n (id, attempt, state, status_code, reason, duration_ms)
         WHERE d.id = n.id AND d.attempt = n.attempt AND d.state = 'running' RETURNING d.id, d.by_hand`,
        [
          ends.map(({ attempt }) => attempt.id),
          ends.map(({ attempt }) => attempt.attempt),
          of(({ succeeded }) => (succeeded ? 'succeeded' : 'failed')),
          of(({ statusCode }) => statusCode),
          of(({ reason }) => reason),
          of(({ durationMs }) => durationMs),
        ],
      );
      const counting = new Set(ended.filter(({ by_hand }) => !by_hand).map(({ id }) => id));
      const counters = countersOf(ends.filter(({ attempt }) => counting.has(attempt.id)));
      if (counters.length === 0) return;
      await tx.query(
        `WITH locked AS (SELECT id FROM dispatch.webhooks WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE)
         UPDATE dispatch.webhooks w SET last_triggered_at = clock_timestamp(),
           fail_count = CASE WHEN n.reset THEN 0 ELSE w.fail_count END + n.failures
         FROM unnest($1::bigint[], $2::boolean[], $3::integer[]) AS n (id, reset, failures) JOIN locked USING (id)
         WHERE w.id = n.id`,
        [counters.map(({ id }) => id), counters.map(({ reset }) => reset), counters.map(({ failures }) => failures)],
      );
    };
    // Lost with the database's last half second, the attempt is made again (guarantees §4, D3).
    await this.db.transaction(ending, { durable: false });
  }

  /** What a disabled webhook still has open: told while it was being disabled, or left by a worker that died (guarantees §4, D8). */
  async skipDisabled(): Promise<void> {
    await this.db.query(
      `UPDATE dispatch.deliveries d SET state = 'skipped', reason = 'the webhook is disabled', finished_at = clock_timestamp(), lease_until = NULL
       FROM dispatch.webhooks w
       WHERE w.id = d.webhook_id AND NOT w.is_active AND (d.state = 'pending' OR d.state = 'running' AND d.lease_until < clock_timestamp())`,
    );
  }

  async prune(): Promise<void> {
    await this.db.query(
      `DELETE FROM dispatch.deliveries WHERE id IN
       (SELECT id FROM dispatch.deliveries WHERE finished_at < now() - interval '30 days' ORDER BY finished_at LIMIT 10000)`,
    );
  }
}

/** What several ends of one webhook do to its counters, in the order in which they came (spec §3.4). */
function countersOf(ends: { attempt: Attempt; end: AttemptEnd }[]): { id: string; reset: boolean; failures: number }[] {
  const counters = new Map<string, { id: string; reset: boolean; failures: number }>();
  for (const { attempt, end } of ends) {
    const counter = counters.get(attempt.webhook_id) ?? { id: attempt.webhook_id, reset: false, failures: 0 };
    counters.set(counter.id, end.succeeded ? { ...counter, reset: true, failures: 0 } : { ...counter, failures: counter.failures + 1 });
  }
  return [...counters.values()];
}
