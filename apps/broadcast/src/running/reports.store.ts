import { Injectable } from '@nestjs/common';
import type { PauseCause } from '@mgw/contracts';
import { onRow, type Tx } from '@mgw/postgres';
import { addCounts } from './counts';
import { pauseWithCause } from './pause-cause';

/** The platform's report on a message: delivered, failed or read, with the failure reason. */
export interface Report {
  business_id: number;
  messageId: string;
  rank: number;
  reason: string | null;
  /** For a failure that any recipient would get. */
  cause?: PauseCause | null;
}

/** SQL: how far the message of the report `f` got. A failed message may have been delivered too; then no retry writes to the person. */
export const REPORTED_DELIVERY = `CASE WHEN f.reason IS NULL AND f.rank IS DISTINCT FROM 2 AND f.message_id IS NOT NULL THEN 'read'
  WHEN f.rank = 2 OR f.delivered THEN 'delivered' END`;
/** Rows that a version without ranks stored. */
const RANK = 'coalesce(f.rank, CASE WHEN f.reason IS NULL THEN 4 ELSE 3 END)';

/** A customer's message. */
export interface CustomerMessage {
  business_id: number;
  phone: string;
  /** The message that it quotes; a tapped button quotes its template. */
  quoted: string | null;
  at: string;
}

/** The platform's clock has whole seconds, and may be behind. */
const CLOCK_SKEW = `interval '1 minute'`;

/** Recipients who may have replied with the customer's message `n`. */
const MAY_HAVE_REPLIED = `broadcast.recipients r JOIN broadcast.broadcasts b ON b.id = r.broadcast_id
  WHERE r.attempted_at BETWEEN n.at - interval '1 day' AND n.at + ${CLOCK_SKEW}
    AND ${onRow(`b.business_id = n.business_id AND r.state IN ('sending', 'sent', 'unclear')`)}`;

/** Orders a report and the outcome of its send: the second transaction sees the first. */
export const REPORTS_LOCK = 'broadcast.reports';

@Injectable()
export class ReportsStore {
  /**
   * Applies reports of a business's own account to its recipients. Stores every failure, because the message id may not be recorded
   * yet. Stores other reports only for a recipient's message, or while a send of the business may still record one.
   */
  async apply(tx: Tx, reports: Report[]): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtext('${REPORTS_LOCK}'))`);
    const messages = [reports.map(({ business_id }) => business_id), reports.map(({ messageId }) => messageId)];
    await tx.query(
      `WITH sending AS MATERIALIZED (
         SELECT business_id FROM broadcast.broadcasts WHERE started_at IS NOT NULL AND finished_at IS NULL
         -- A finished broadcast may have sends in flight, and unclear ones for 24 hours.
         UNION SELECT b.business_id FROM broadcast.broadcasts b WHERE b.finished_at > now() - interval '25 hours'
           AND EXISTS (SELECT FROM broadcast.recipients r WHERE r.broadcast_id = b.id AND r.state IN ('sending', 'unclear'))
       )
       INSERT INTO broadcast.reports AS f (business_id, message_id, reason, rank, delivered)
       SELECT DISTINCT ON (business_id, id) business_id, id, reason, rank, bool_or(reason IS NULL) OVER (PARTITION BY business_id, id)
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::smallint[]) AS n (business_id, id, reason, rank)
       WHERE reason IS NOT NULL OR business_id IN (SELECT business_id FROM sending)
         OR EXISTS (SELECT FROM broadcast.recipients r JOIN broadcast.broadcasts b ON b.id = r.broadcast_id
                    WHERE r.message_id = n.id AND ${onRow('b.business_id = n.business_id')})
       ORDER BY business_id, id, rank DESC
       ON CONFLICT (business_id, message_id) DO UPDATE SET rank = greatest(excluded.rank, ${RANK}),
         reason = CASE WHEN excluded.rank > ${RANK} THEN excluded.reason ELSE f.reason END,
         delivered = f.delivered OR f.reason IS NULL OR excluded.delivered
       WHERE excluded.rank > ${RANK} OR excluded.delivered AND NOT f.delivered`,
      [...messages, reports.map(({ reason }) => reason), reports.map(({ rank }) => rank)],
    );
    const changed = await tx.query<{ broadcast_id: string; sent: number }>(
      `UPDATE broadcast.recipients r SET state = CASE WHEN f.reason IS NULL THEN 'sent' ELSE 'failed' END, reason = f.reason,
         delivery = coalesce(${REPORTED_DELIVERY}, r.delivery)
       FROM unnest($1::bigint[], $2::text[]) AS n (business_id, id)
       JOIN broadcast.reports f ON f.business_id = n.business_id AND f.message_id = n.id
       JOIN broadcast.broadcasts b ON ${onRow('b.business_id = n.business_id')}
       JOIN broadcast.recipients was ON was.broadcast_id = b.id AND was.message_id = n.id
       WHERE r.broadcast_id = b.id AND r.nth = was.nth AND r.state IN ('sent', 'failed')
         AND (r.reason, r.delivery) IS DISTINCT FROM (f.reason, coalesce(${REPORTED_DELIVERY}, r.delivery))
       RETURNING r.broadcast_id, CASE WHEN r.state = was.state THEN 0 WHEN r.state = 'sent' THEN 1 ELSE -1 END AS sent`,
      messages,
    );
    await addCounts(
      tx,
      changed.filter(({ sent }) => sent !== 0).map(({ broadcast_id, sent }) => ({ id: broadcast_id, sent, failed: -sent })),
    );
    await this.pause(tx, reports);
  }

  /** Pauses broadcasts with recipients left, if a failure that any of them would get is about an attempt after the last resumption. */
  private async pause(tx: Tx, reports: Report[]): Promise<void> {
    const causes = new Map(reports.flatMap(({ messageId, cause }) => (cause ? [[messageId, cause] as const] : [])));
    if (causes.size === 0) return;
    const failed = reports.filter(({ cause }) => cause);
    const found = await tx.query<{ broadcast_id: string; message_id: string }>(
      `SELECT r.broadcast_id, r.message_id FROM unnest($1::bigint[], $2::text[]) AS n (business_id, id)
       JOIN broadcast.recipients r ON r.message_id = n.id AND ${onRow("r.state = 'failed'")}
       JOIN broadcast.broadcasts b ON b.id = r.broadcast_id
       WHERE b.business_id = n.business_id AND b.status = 'running' AND r.attempted_at >= coalesce(b.resumed_at, '-infinity')
         AND EXISTS (SELECT FROM broadcast.recipients p WHERE p.broadcast_id = b.id AND p.state = 'pending')`,
      [failed.map(({ business_id }) => business_id), failed.map(({ messageId }) => messageId)],
    );
    await pauseWithCause(tx, new Map(found.map(({ broadcast_id, message_id }) => [broadcast_id, causes.get(message_id) as PauseCause])));
  }

  /**
   * Marks the newest recipient who may have replied with each message: the one whose message it quotes, or the customer's own of the last
   * day. A reply may arrive before the outcome of its send is recorded. The index has the day, so that the person's earlier messages are
   * not read.
   */
  async applyCustomerMessages(tx: Tx, messages: CustomerMessage[]): Promise<void> {
    const found = await tx.query<{ broadcast_id: string; nth: number; at: string }>(
      `SELECT r.broadcast_id, r.nth, min(n.at)::text AS at
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[]) AS n (business_id, phone, quoted, at)
       CROSS JOIN LATERAL (
         (SELECT r.broadcast_id, r.nth, r.attempted_at, true AS is_quoted FROM ${MAY_HAVE_REPLIED} AND r.message_id = n.quoted)
         UNION ALL
         (SELECT r.broadcast_id, r.nth, r.attempted_at, false FROM ${MAY_HAVE_REPLIED} AND r.phone = n.phone ORDER BY r.attempted_at DESC LIMIT 1)
         ORDER BY is_quoted DESC, attempted_at DESC LIMIT 1
       ) r GROUP BY r.broadcast_id, r.nth`,
      [
        messages.map(({ business_id }) => business_id),
        messages.map(({ phone }) => phone),
        messages.map(({ quoted }) => quoted),
        messages.map(({ at }) => at),
      ],
    );
    if (found.length === 0) return;
    await tx.query(`SELECT pg_advisory_xact_lock(hashtext('${REPORTS_LOCK}'))`);
    await tx.query(
      `UPDATE broadcast.recipients r SET replied_at = n.at FROM unnest($1::bigint[], $2::integer[], $3::timestamptz[]) AS n (id, nth, at)
       WHERE r.broadcast_id = n.id AND r.nth = n.nth AND r.replied_at IS NULL`,
      [found.map(({ broadcast_id }) => broadcast_id), found.map(({ nth }) => nth), found.map(({ at }) => at)],
    );
  }
}
