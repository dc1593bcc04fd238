import { Injectable } from '@nestjs/common';
import { onRow, type Tx } from '@mgw/postgres';
import { addCounts } from './counts';

/** The platform's report on a message: the failure reason, or null if it was read, which outranks any failure. */
export interface Report {
  business_id: number;
  messageId: string;
  reason: string | null;
}

/** Orders a report and the outcome of its send: the second transaction sees the first. */
export const REPORTS_LOCK = 'broadcast.reports';

@Injectable()
export class ReportsStore {
  /**
   * Applies reports of a business's own account to its recipients. Stores every failure, because the message id may not be recorded
   * yet. Stores a read only for a recipient's message, or while a send of the business may still record one.
   */
  async apply(tx: Tx, reports: Report[]): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtext('${REPORTS_LOCK}'))`);
    const messages = [reports.map(({ business_id }) => business_id), reports.map(({ messageId }) => messageId)];
    await tx.query(
      `WITH sending AS MATERIALIZED (
         SELECT business_id FROM broadcast.broadcasts WHERE started_at IS NOT NULL AND finished_at IS NULL
         -- A cancelled broadcast may still have sends in flight.
         UNION SELECT business_id FROM broadcast.broadcasts WHERE finished_at > now() - interval '10 minutes'
       )
       INSERT INTO broadcast.reports AS f (business_id, message_id, reason)
       SELECT DISTINCT ON (business_id, id) business_id, id, reason FROM unnest($1::bigint[], $2::text[], $3::text[]) AS n (business_id, id, reason)
       WHERE reason IS NOT NULL OR business_id IN (SELECT business_id FROM sending)
         OR EXISTS (SELECT FROM broadcast.recipients r JOIN broadcast.broadcasts b ON b.id = r.broadcast_id
                    WHERE r.message_id = n.id AND ${onRow('b.business_id = n.business_id')})
       ORDER BY business_id, id, reason NULLS FIRST
       ON CONFLICT (business_id, message_id) DO UPDATE SET reason = NULL WHERE excluded.reason IS NULL AND f.reason IS NOT NULL`,
      [...messages, reports.map(({ reason }) => reason)],
    );
    const moved = await tx.query<{ broadcast_id: string; state: string }>(
      `UPDATE broadcast.recipients r SET state = CASE WHEN f.reason IS NULL THEN 'sent' ELSE 'failed' END, reason = f.reason
       FROM unnest($1::bigint[], $2::text[]) AS n (business_id, id)
       JOIN broadcast.reports f ON f.business_id = n.business_id AND f.message_id = n.id
       JOIN broadcast.broadcasts b ON ${onRow('b.business_id = n.business_id')}
       WHERE r.message_id = n.id AND r.broadcast_id = b.id AND r.state = CASE WHEN f.reason IS NULL THEN 'failed' ELSE 'sent' END
       RETURNING r.broadcast_id, r.state`,
      messages,
    );
    await addCounts(
      tx,
      moved.map(({ broadcast_id, state }) =>
        state === 'sent' ? { id: broadcast_id, sent: 1, failed: -1 } : { id: broadcast_id, sent: -1, failed: 1 },
      ),
    );
  }
}
