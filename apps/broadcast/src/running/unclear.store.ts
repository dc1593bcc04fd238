import { Injectable } from '@nestjs/common';
import { Database } from '@mgw/postgres';

/** A recipient whose attempt has no recorded outcome. */
export interface UnclearRecipient {
  broadcastId: number;
  businessId: number;
  nth: number;
  intentId: string;
  attempts: number;
  /** Seconds since the attempt began. */
  age: number;
  /** Whether its broadcast has finished, so that nothing more is sent. */
  isFinished: boolean;
}

type Row = Omit<UnclearRecipient, 'broadcastId' | 'businessId'> & { broadcast_id: string; business_id: string };

/** If this process dies, another one may claim the recipient after this time. */
const CLAIM_TIMEOUT = '10 seconds';

@Injectable()
export class UnclearStore {
  constructor(private readonly db: Database) {}

  /** Claims due recipients of any broadcast that are unclear, or whose process died while it sent. */
  async claim(atMost: number): Promise<UnclearRecipient[]> {
    const rows = await this.db.query<Row>(
      `WITH due AS MATERIALIZED (
         SELECT broadcast_id, nth FROM broadcast.recipients WHERE state IN ('sending', 'unclear') AND due_at <= now()
         ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
       )
       UPDATE broadcast.recipients r SET due_at = now() + interval '${CLAIM_TIMEOUT}'
       FROM due JOIN broadcast.broadcasts b ON b.id = due.broadcast_id
       WHERE r.broadcast_id = due.broadcast_id AND r.nth = due.nth
       RETURNING r.broadcast_id, b.business_id, r.nth, r.intent_id AS "intentId", r.attempts,
         extract(epoch FROM now() - r.attempted_at)::float8 AS age, b.finished_at IS NOT NULL AS "isFinished"`,
      [atMost],
    );
    return rows.map(({ broadcast_id, business_id, ...row }) => ({
      ...row,
      broadcastId: Number(broadcast_id),
      businessId: Number(business_id),
    }));
  }
}
