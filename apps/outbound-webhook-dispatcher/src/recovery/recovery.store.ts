import { Injectable } from '@nestjs/common';
import { GatewayError, MAX_RECOVERED, type Recovery, type RecoverDeliveries, type ResponseOf, type RequestOf } from '@mgw/contracts';
import { Database, onRow, type Tx } from '@mgw/postgres';
import { SUSPECT_AFTER } from '../deliveries/attempt';
import { newestId, oldestId, WAITING_AGAIN } from '../deliveries/delivery-log.store';
import { dueSince, RECOVERY_LANE } from '../deliveries/recovery-lane';
import { webhookDisabled, webhookNotFound } from '../webhooks/webhook-errors';

/** Deliveries that one recovery examines at most. */
const EXAMINED = 200_000;

interface RecoveryRow extends Pick<Recovery, 'queued' | 'left' | 'cancelled'> {
  since: Date;
  until: Date | null;
  started_at: Date;
}

/**
 * Recoveries of webhooks (decision 353). A delivery that killed workers stays out, because it is attempted alone, and tests are not events.
 */
@Injectable()
export class RecoveryStore {
  constructor(private readonly db: Database) {}

  /** @throws GatewayError NOT_FOUND, CONFLICT, RATE_LIMITED while the business's other large changes take too long */
  async begin(request: RequestOf<typeof RecoverDeliveries>): Promise<ResponseOf<typeof RecoverDeliveries>> {
    const { business_id, webhook_id, since, until = null, states } = request;
    return this.db.largeChange(business_id, async (tx) => {
      // The lock order of all statements: the webhook, the lane, the deliveries.
      // A further request would wait for the lane of this one, with a connection that deliveries need.
      const [webhook] = await tx.query<{ is_active: boolean; is_first: boolean }>(
        `SELECT is_active, pg_try_advisory_xact_lock(hashtextextended('recovery:' || id, 0)) AS is_first
         FROM dispatch.webhooks WHERE business_id = $1 AND id = $2 FOR KEY SHARE`,
        [business_id, webhook_id],
      );
      if (!webhook) throw webhookNotFound();
      if (!webhook.is_active) throw webhookDisabled();
      if (!webhook.is_first) throw alreadyRunning();
      const lane = [webhook_id, RECOVERY_LANE];
      const opened = await tx.query(
        `INSERT INTO dispatch.lanes (webhook_id, ordering_key, business_id, open, due_since) VALUES ($1, $2, $3, 0, ${dueSince('$2')})
         ON CONFLICT DO NOTHING RETURNING open`,
        [...lane, business_id],
      );
      if (opened.length === 0) throw alreadyRunning();
      const [taken] = await tx.query<{ queued: number; next_since: Date | null }>(
        `WITH examined AS MATERIALIZED (
           SELECT id, created_at, state, event_id, lost_workers FROM dispatch.deliveries
           WHERE webhook_id = $1 AND -id <= -(${oldestId('$3')}) AND -id >= -(${newestId('$4')}) ORDER BY -id DESC LIMIT ${EXAMINED}
         ), found AS MATERIALIZED (
           SELECT id, created_at FROM examined
           WHERE created_at >= $3 AND ($4::timestamptz IS NULL OR date_trunc('milliseconds', created_at) <= $4)
             AND state = ANY ($5::text[]) AND lost_workers < ${SUSPECT_AFTER} AND event_id NOT LIKE 'test:%'
           ORDER BY id LIMIT ${MAX_RECOVERED}
         ), again AS (
           UPDATE dispatch.deliveries d SET ${WAITING_AGAIN}, ordering_key = $2
           FROM found WHERE d.id = found.id AND ${onRow('d.state = ANY ($5::text[])')} RETURNING 1
         )
         SELECT (SELECT count(*) FROM again)::integer AS queued,
                CASE WHEN (SELECT count(*) FROM found) = ${MAX_RECOVERED} THEN (SELECT max(created_at) FROM found)
                     WHEN (SELECT count(*) FROM examined) = ${EXAMINED} THEN (SELECT max(created_at) FROM examined) END AS next_since`,
        [...lane, since, until, states],
      );
      const { queued = 0, next_since = null } = taken ?? {};
      if (queued === 0) await tx.query('DELETE FROM dispatch.lanes WHERE webhook_id = $1 AND ordering_key = $2', lane);
      else await this.record(tx, request, queued);
      return { queued, next_since: next_since?.toISOString() ?? null };
    });
  }

  /** @throws GatewayError NOT_FOUND */
  async find(businessId: number, webhookId: number): Promise<Recovery | null> {
    const [row] = await this.db.reads(businessId).query<Partial<RecoveryRow>>(
      `SELECT r.since, r.until, r.started_at, r.queued, r.cancelled, coalesce(l.open, 0) AS left
       FROM dispatch.webhooks w LEFT JOIN dispatch.recoveries r ON r.webhook_id = w.id
       LEFT JOIN dispatch.lanes l ON l.webhook_id = w.id AND l.ordering_key = $3 WHERE w.business_id = $1 AND w.id = $2`,
      [businessId, webhookId, RECOVERY_LANE],
    );
    if (!row) throw webhookNotFound();
    if (!row.since) return null;
    const { since, until, started_at, ...counts } = row as RecoveryRow;
    return { ...counts, since: since.toISOString(), until: until?.toISOString() ?? null, started_at: started_at.toISOString() };
  }

  /** @returns how many deliveries it skipped @throws GatewayError NOT_FOUND, RATE_LIMITED */
  async cancel(businessId: number, webhookId: number): Promise<number> {
    return this.db.largeChange(businessId, async (tx) => {
      const known = await tx.query('SELECT id FROM dispatch.webhooks WHERE business_id = $1 AND id = $2 FOR KEY SHARE', [
        businessId,
        webhookId,
      ]);
      if (known.length === 0) throw webhookNotFound();
      const lane = [webhookId, RECOVERY_LANE];
      const [held] = await tx.query<{ open: number }>(
        'SELECT open FROM dispatch.lanes WHERE webhook_id = $1 AND ordering_key = $2 FOR UPDATE',
        lane,
      );
      if (!held) return 0;
      const skipped = await tx.query(
        `UPDATE dispatch.deliveries SET state = 'skipped', queued = false, reason = 'the recovery was cancelled', finished_at = clock_timestamp()
         WHERE queued AND webhook_id = $1 AND ordering_key COLLATE "C" = $2 RETURNING 1`,
        lane,
      );
      if (skipped.length === held.open) await tx.query('DELETE FROM dispatch.lanes WHERE webhook_id = $1 AND ordering_key = $2', lane);
      else
        await tx.query('UPDATE dispatch.lanes SET open = open - $3 WHERE webhook_id = $1 AND ordering_key = $2', [...lane, skipped.length]);
      await tx.query('UPDATE dispatch.recoveries SET cancelled = cancelled + $2 WHERE webhook_id = $1', [webhookId, skipped.length]);
      return skipped.length;
    });
  }

  private async record(tx: Tx, request: RequestOf<typeof RecoverDeliveries>, queued: number): Promise<void> {
    const { webhook_id, since, until = null } = request;
    await tx.query('UPDATE dispatch.lanes SET open = $3 WHERE webhook_id = $1 AND ordering_key = $2', [webhook_id, RECOVERY_LANE, queued]);
    await tx.query(
      `INSERT INTO dispatch.recoveries (webhook_id, since, until, queued) VALUES ($1, $2, $3, $4)
       ON CONFLICT (webhook_id) DO UPDATE
         SET since = excluded.since, until = excluded.until, queued = excluded.queued, cancelled = 0, started_at = now()`,
      [webhook_id, since, until, queued],
    );
  }
}

function alreadyRunning(): GatewayError {
  return new GatewayError('CONFLICT', 'A recovery of this webhook is running. Wait for its end or cancel it, then try again.');
}
