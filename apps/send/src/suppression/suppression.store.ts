import { Injectable } from '@nestjs/common';
import type { Tx } from '@mgw/postgres';
import type { SuppressionSource, SuppressionState } from './suppression';

/** SQL of suppressions. The newer statement of one source wins, in whatever order they arrive. */
@Injectable()
export class SuppressionStore {
  async set(tx: Tx, conversationId: number, source: SuppressionSource, state: SuppressionState | null, at: string): Promise<void> {
    await tx.query(
      `INSERT INTO send.suppressions AS s (conversation_id, source, state, at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (conversation_id, source) DO UPDATE SET state = excluded.state, at = excluded.at WHERE s.at <= excluded.at`,
      [conversationId, source, state, at],
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
}
