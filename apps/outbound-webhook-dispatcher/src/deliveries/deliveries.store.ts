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
  /** Hosts with their port, as the URL has them. */
  full: { webhooks: string[]; businesses: string[]; hosts: string[] };
  perWebhook: number;
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
   * the oldest, so that they start in order, each after the end of the one before (product decision 29b).
   * @param full webhooks, businesses and hosts that have as many attempts under way as they may
   * @param perWebhook attempts of one webhook that are taken at once
   */
  take(atMost: number, { full, perWebhook }: Ceilings): Promise<Attempt[]> {
    return this.db.query<Attempt>(
      `WITH oldest AS (
         SELECT d.id, d.webhook_id FROM dispatch.deliveries d JOIN dispatch.webhooks w ON w.id = d.webhook_id
         WHERE d.state IN ('pending', 'running') AND (d.state = 'pending' OR d.lease_until < clock_timestamp()) AND w.is_active
           AND d.webhook_id <> ALL ($2::bigint[]) AND d.business_id <> ALL ($3::bigint[])
           AND split_part(w.url, '/', 3) <> ALL ($4::text[])
           AND NOT EXISTS (SELECT FROM dispatch.deliveries b WHERE b.webhook_id = d.webhook_id AND b.ordering_key = d.ordering_key
                             AND b.id < d.id AND b.state IN ('pending', 'running'))
         ORDER BY d.id LIMIT 1000
       ), shared AS (
         SELECT id, row_number() OVER (PARTITION BY webhook_id ORDER BY id) AS nth FROM oldest
       ), due AS (
         SELECT d.id FROM dispatch.deliveries d JOIN shared s USING (id)
         WHERE s.nth <= $5 AND (d.state = 'pending' OR d.state = 'running' AND d.lease_until < clock_timestamp())
         ORDER BY d.id LIMIT $1 FOR UPDATE OF d SKIP LOCKED
       )
       UPDATE dispatch.deliveries d
       SET state = 'running', attempt = d.attempt + 1, lease_until = clock_timestamp() + interval '${LEASE}'
       FROM due, dispatch.webhooks w
       WHERE d.id = due.id AND w.id = d.webhook_id
       RETURNING d.id, d.webhook_id, d.business_id, d.event_id, d.body, d.attempt, w.url, w.secret_sealed`,
      [atMost, full.webhooks, full.businesses, full.hosts, perWebhook],
    );
  }

  /**
   * Ends an attempt and moves the webhook's counters with it, once: a worker whose lease was taken over changes nothing
   * (guarantees §4, D4). What a person asked for counts nothing (product decision 34).
   */
  async finish({ id, attempt }: Attempt, { succeeded, statusCode, reason, durationMs }: AttemptEnd): Promise<void> {
    await this.db.query(
      `WITH ended AS (
         UPDATE dispatch.deliveries SET state = $3, status_code = $4, reason = $5, duration_ms = $7, finished_at = clock_timestamp(),
           lease_until = NULL
         WHERE id = $1 AND attempt = $2 AND state = 'running' RETURNING webhook_id, by_hand
       )
       UPDATE dispatch.webhooks w SET last_triggered_at = clock_timestamp(), fail_count = CASE WHEN $6 THEN 0 ELSE w.fail_count + 1 END
       FROM ended WHERE w.id = ended.webhook_id AND NOT ended.by_hand`,
      [id, attempt, succeeded ? 'succeeded' : 'failed', statusCode, reason, succeeded, durationMs],
    );
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
