import { Injectable } from '@nestjs/common';
import type { SuppressionRecord } from '@mgw/contracts';
import { Database, pageOf, readCursor, type Tx } from '@mgw/postgres';
import { CONVERSATION_OF, type MessageOf } from '../conversations/conversation.store';
import type { SuppressionSource, SuppressionState } from './suppression';

interface SuppressedRow {
  conversation_id: string;
  phone: string;
  state: SuppressionState;
  source: SuppressionSource;
  reason: string | null;
  at: Date;
  /** With all its digits, for the cursor. */
  exact: string;
}

/** Of several sources the strictest counts (product decision 18). */
const SUPPRESSED = `
  SELECT DISTINCT ON (s.conversation_id) s.conversation_id, coalesce(c.phone, c.user_id) AS phone, s.state, s.source, s.reason, s.at, s.at::text AS exact
  FROM send.suppressions s JOIN send.conversations c ON c.id = s.conversation_id`;
const STRICTEST = `array_position(ARRAY['blocked', 'opted_out', 'opted_out_marketing'], s.state)`;

/** SQL of suppressions. The newer statement of one source wins, in whatever order they arrive. */
@Injectable()
export class SuppressionStore {
  constructor(private readonly db: Database) {}

  /** @param at null: now, by the clock that `liftAll` goes by */
  async set(
    tx: Tx,
    conversationId: number,
    source: SuppressionSource,
    state: SuppressionState | null,
    at: string | null,
    reason: string | null = null,
  ): Promise<void> {
    await tx.query(
      `INSERT INTO send.suppressions AS s (conversation_id, source, state, at, reason) VALUES ($1, $2, $3, coalesce($4, clock_timestamp()), $5)
       ON CONFLICT (conversation_id, source) DO UPDATE SET state = excluded.state, at = excluded.at, reason = excluded.reason
       WHERE s.at <= excluded.at`,
      [conversationId, source, state, at, reason],
    );
  }

  /** START lifts what the person or the platform set before it (product decision 45). */
  async lift(tx: Tx, conversationId: number, at: string): Promise<void> {
    await this.set(tx, conversationId, 'person', null, at);
    await tx.query(`UPDATE send.suppressions SET state = NULL, at = $2 WHERE conversation_id = $1 AND source = 'platform' AND at <= $2`, [
      conversationId,
      at,
    ]);
  }

  /** The platform refused a marketing message because the person wants none (131050). */
  async stopMarketing(tx: Tx, { businessId, messageId, recipient }: MessageOf, at: string): Promise<void> {
    const [row] = await tx.query<{ id: string | null }>(`SELECT (${CONVERSATION_OF}) AS id`, [businessId, messageId, recipient]);
    if (row && row.id !== null) await this.set(tx, Number(row.id), 'platform', 'opted_out_marketing', at);
  }

  /**
   * What anybody has set, by decision of the business. The platform tells whole seconds: who says STOP again within this one has said it
   * later. @returns whether there was anything
   */
  async liftAll(businessId: number, phone: string): Promise<boolean> {
    const rows = await this.db.query(
      `UPDATE send.suppressions s SET state = NULL, at = date_trunc('second', clock_timestamp()), reason = NULL FROM send.conversation_aliases a
       WHERE a.business_id = $1 AND a.alias = $2 AND s.conversation_id = a.conversation_id AND s.state IS NOT NULL RETURNING s.source`,
      [businessId, phone],
    );
    return rows.length > 0;
  }

  async find(businessId: number, phone: string): Promise<SuppressionRecord | null> {
    const [row] = await this.db.query<SuppressedRow>(
      `${SUPPRESSED} JOIN send.conversation_aliases a ON a.conversation_id = c.id
       WHERE a.business_id = $1 AND a.alias = $2 AND s.state IS NOT NULL ORDER BY s.conversation_id, ${STRICTEST}`,
      [businessId, phone],
    );
    return row ? record(row) : null;
  }

  /** The newest first. */
  async list(businessId: number, limit: number, cursor: string | null): Promise<{ page: SuppressionRecord[]; next_cursor: string | null }> {
    const after = readCursor(cursor, ['time', 'id']);
    const rows = await this.db.query<SuppressedRow>(
      `SELECT * FROM (${SUPPRESSED} WHERE c.business_id = $1 AND c.merged_into IS NULL AND s.state IS NOT NULL
                      ORDER BY s.conversation_id, ${STRICTEST}) suppressed
       WHERE $3::timestamptz IS NULL OR (at, conversation_id) < ($3, $4::bigint)
       ORDER BY at DESC, conversation_id DESC LIMIT $2`,
      [businessId, limit + 1, after?.[0] ?? null, after?.[1] ?? null],
    );
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.exact, row.conversation_id]);
    return { page: page.map(record), next_cursor };
  }
}

function record({ phone, state, source, reason, at }: SuppressedRow): SuppressionRecord {
  return { phone, state, source, reason, since: at.toISOString() };
}
