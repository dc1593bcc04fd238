import { Injectable } from '@nestjs/common';
import { GatewayError, MOST_RECOVERED, type Recovery, type RecoverDeliveries, type ReplyOf, type RequestOf } from '@mgw/contracts';
import { Database, onRow, type Tx } from '@mgw/postgres';
import { SUSPECT_AFTER } from '../deliveries/attempt';
import { newestId, oldestId, WAITING_AGAIN } from '../deliveries/log.store';
import { dueSince, isRecoveryLane, RECOVERY_LANES, recoveryLane } from '../deliveries/recovery-lanes';
import { webhookDisabled, webhookNotFound } from '../webhooks/webhook-errors';

/** Deliveries that one recovery examines at most. */
const EXAMINED = 200_000;

/** SQL: the ordering key of delivery `d` before its recoveries. */
const ORIGINAL_KEY = 'coalesce(d.original_key, d.ordering_key)';

interface RecoveryRow extends Pick<Recovery, 'queued' | 'left' | 'cancelled'> {
  since: Date;
  until: Date | null;
  started_at: Date;
}

/**
 * Recoveries of webhooks (decisions 353, 410). A delivery that killed workers stays out, because it is attempted alone, and tests are not events.
 */
@Injectable()
export class RecoveryStore {
  constructor(private readonly db: Database) {}

  /** @throws GatewayError NOT_FOUND, CONFLICT */
  async begin(request: RequestOf<typeof RecoverDeliveries>): Promise<ReplyOf<typeof RecoverDeliveries>> {
    const { business_id, webhook_id, since, until = null, states } = request;
    return this.db.transaction(async (tx) => {
      // The lock order of all statements: the webhook, the lanes by key, the deliveries.
      const [webhook] = await tx.query<{ is_active: boolean }>(
        'SELECT is_active FROM dispatch.webhooks WHERE business_id = $1 AND id = $2 FOR KEY SHARE',
        [business_id, webhook_id],
      );
      if (!webhook) throw webhookNotFound();
      if (!webhook.is_active) throw webhookDisabled();
      const opened = await tx.query(
        `INSERT INTO dispatch.lanes (webhook_id, ordering_key, business_id, open, due_since)
         SELECT $1, lane, $2, 0, ${dueSince('lane')}
         FROM (SELECT ${recoveryLane('number')} AS lane FROM generate_series(0, ${RECOVERY_LANES - 1}) AS number ORDER BY number) lanes
         ON CONFLICT DO NOTHING RETURNING open`,
        [webhook_id, business_id],
      );
      if (opened.length < RECOVERY_LANES)
        throw new GatewayError('CONFLICT', 'A recovery of this webhook is running. Wait for its end or cancel it, then try again.');
      const [taken] = await tx.query<{ queued: number; next_since: Date | null }>(
        `WITH examined AS MATERIALIZED (
           SELECT id, created_at, state, event_id, lost_workers FROM dispatch.deliveries
           WHERE webhook_id = $1 AND -id <= -(${oldestId('$2')}) AND -id >= -(${newestId('$3')}) ORDER BY -id DESC LIMIT ${EXAMINED}
         ), found AS MATERIALIZED (
           SELECT id, created_at FROM examined
           WHERE created_at >= $2 AND ($3::timestamptz IS NULL OR date_trunc('milliseconds', created_at) <= $3)
             AND state = ANY ($4::text[]) AND lost_workers < ${SUSPECT_AFTER} AND event_id NOT LIKE 'test:%'
           ORDER BY id LIMIT ${MOST_RECOVERED}
         ), again AS (
           UPDATE dispatch.deliveries d SET ${WAITING_AGAIN}, original_key = ${ORIGINAL_KEY},
             ordering_key = ${recoveryLane(`(hashtext(${ORIGINAL_KEY}) & ${RECOVERY_LANES - 1})`)}
           FROM found WHERE d.id = found.id AND ${onRow('d.state = ANY ($4::text[])')} RETURNING d.ordering_key COLLATE "C" AS ordering_key
         ), filled AS (
           UPDATE dispatch.lanes l SET open = again.count FROM (SELECT ordering_key, count(*) FROM again GROUP BY 1) again
           WHERE l.webhook_id = $1 AND l.ordering_key = again.ordering_key
         )
         SELECT (SELECT count(*) FROM again)::integer AS queued,
                CASE WHEN (SELECT count(*) FROM found) = ${MOST_RECOVERED} THEN (SELECT max(created_at) FROM found)
                     WHEN (SELECT count(*) FROM examined) = ${EXAMINED} THEN (SELECT max(created_at) FROM examined) END AS next_since`,
        [webhook_id, since, until, states],
      );
      const { queued = 0, next_since = null } = taken ?? {};
      await this.closeEmptyLanes(tx, webhook_id);
      if (queued > 0) await this.record(tx, request, queued);
      return { queued, next_since: next_since?.toISOString() ?? null };
    });
  }

  /** @throws GatewayError NOT_FOUND */
  async find(businessId: number, webhookId: number): Promise<Recovery | null> {
    const [row] = await this.db.reads(businessId).query<Partial<RecoveryRow>>(
      `SELECT r.since, r.until, r.started_at, r.queued, r.cancelled, l.open AS left
       FROM dispatch.webhooks w LEFT JOIN dispatch.recoveries r ON r.webhook_id = w.id
       CROSS JOIN LATERAL (
         SELECT coalesce(sum(open), 0)::integer AS open FROM dispatch.lanes WHERE webhook_id = w.id AND ${isRecoveryLane('ordering_key')}
       ) l WHERE w.business_id = $1 AND w.id = $2`,
      [businessId, webhookId],
    );
    if (!row) throw webhookNotFound();
    if (!row.since) return null;
    const { since, until, started_at, ...counts } = row as RecoveryRow;
    return { ...counts, since: since.toISOString(), until: until?.toISOString() ?? null, started_at: started_at.toISOString() };
  }

  /** @returns how many deliveries it skipped @throws GatewayError NOT_FOUND */
  async cancel(businessId: number, webhookId: number): Promise<number> {
    return this.db.transaction(async (tx) => {
      const known = await tx.query('SELECT id FROM dispatch.webhooks WHERE business_id = $1 AND id = $2 FOR KEY SHARE', [
        businessId,
        webhookId,
      ]);
      if (known.length === 0) throw webhookNotFound();
      await tx.query(
        `SELECT FROM dispatch.lanes WHERE webhook_id = $1 AND ${isRecoveryLane('ordering_key')} ORDER BY ordering_key FOR UPDATE`,
        [webhookId],
      );
      const [row] = await tx.query<{ cancelled: number }>(
        `WITH skipped AS (
           UPDATE dispatch.deliveries SET state = 'skipped', queued = false, reason = 'the recovery was cancelled', finished_at = clock_timestamp()
           WHERE queued AND webhook_id = $1 AND ${isRecoveryLane('ordering_key COLLATE "C"')} RETURNING ordering_key COLLATE "C" AS ordering_key
         ), kept AS (
           UPDATE dispatch.lanes l SET open = l.open - skipped.count FROM (SELECT ordering_key, count(*) FROM skipped GROUP BY 1) skipped
           WHERE l.webhook_id = $1 AND l.ordering_key = skipped.ordering_key
         )
         SELECT count(*)::integer AS cancelled FROM skipped`,
        [webhookId],
      );
      const { cancelled = 0 } = row ?? {};
      await this.closeEmptyLanes(tx, webhookId);
      if (cancelled > 0)
        await tx.query('UPDATE dispatch.recoveries SET cancelled = cancelled + $2 WHERE webhook_id = $1', [webhookId, cancelled]);
      return cancelled;
    });
  }

  private async closeEmptyLanes(tx: Tx, webhookId: number): Promise<void> {
    await tx.query(`DELETE FROM dispatch.lanes WHERE webhook_id = $1 AND ${isRecoveryLane('ordering_key')} AND open = 0`, [webhookId]);
  }

  private async record(tx: Tx, request: RequestOf<typeof RecoverDeliveries>, queued: number): Promise<void> {
    const { webhook_id, since, until = null } = request;
    await tx.query(
      `INSERT INTO dispatch.recoveries (webhook_id, since, until, queued) VALUES ($1, $2, $3, $4)
       ON CONFLICT (webhook_id) DO UPDATE
         SET since = excluded.since, until = excluded.until, queued = excluded.queued, cancelled = 0, started_at = now()`,
      [webhook_id, since, until, queued],
    );
  }
}
