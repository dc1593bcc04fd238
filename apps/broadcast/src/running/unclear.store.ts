import { Injectable } from '@nestjs/common';
import { Database } from '@mgw/postgres';

/** A recipient whose try has no recorded end. */
export interface UnclearRecipient {
  broadcastId: number;
  businessId: number;
  nth: number;
  /** Null: begun by a version that did not name its sends. */
  intentId: string | null;
  attempts: number;
  /** Seconds since the try began. */
  age: number;
  /** Whether its broadcast has ended, so that nothing more is sent. */
  isOver: boolean;
}

type Row = Omit<UnclearRecipient, 'broadcastId' | 'businessId'> & { broadcast_id: string; business_id: string };

/** Another process may ask about it again after this, should this one die. */
const ASKED_AGAIN = '10 seconds';

@Injectable()
export class UnclearStore {
  constructor(private readonly db: Database) {}

  /** Takes those that are due, whatever became of their broadcast: unclear ones, and those whose process died while it sent. */
  async take(atMost: number): Promise<UnclearRecipient[]> {
    const rows = await this.db.query<Row>(
      `WITH due AS MATERIALIZED (
         SELECT broadcast_id, nth FROM broadcast.recipients WHERE state IN ('sending', 'unclear') AND due_at <= now()
         ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
       )
       UPDATE broadcast.recipients r SET due_at = now() + interval '${ASKED_AGAIN}'
       FROM due JOIN broadcast.broadcasts b ON b.id = due.broadcast_id
       WHERE r.broadcast_id = due.broadcast_id AND r.nth = due.nth
       RETURNING r.broadcast_id, b.business_id, r.nth, r.intent_id AS "intentId", r.attempts,
         extract(epoch FROM now() - r.began_at)::float8 AS age, b.finished_at IS NOT NULL AS "isOver"`,
      [atMost],
    );
    return rows.map(({ broadcast_id, business_id, ...row }) => ({
      ...row,
      broadcastId: Number(broadcast_id),
      businessId: Number(business_id),
    }));
  }

  /** Leaves a recipient of such a version to its Idempotency-Key, which tells what became of the send. */
  async tryAgain({ broadcastId, nth }: UnclearRecipient): Promise<void> {
    await this.db.query(
      `UPDATE broadcast.recipients SET state = 'pending', due_at = now()
       WHERE broadcast_id = $1 AND nth = $2 AND state = 'sending' AND intent_id IS NULL`,
      [broadcastId, nth],
    );
  }
}
