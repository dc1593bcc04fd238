import { Inject, Injectable } from '@nestjs/common';
import { Database, type Tx } from '@mgw/postgres';
import { CONVERSATION_OF_MESSAGE, type SentMessageRef } from '../conversations/conversation.store';

@Injectable()
export class WindowStore {
  constructor(@Inject(Database) private readonly db: Database) {}

  /**
   * Records that the platform considers this window closed (131047). It stays closed until the person writes again.
   * @param lastInboundAt a newer message keeps the window open
   */
  async markClosed(conversationId: number, lastInboundAt: Date): Promise<void> {
    await this.db.query('UPDATE send.conversations SET window_denied_for = last_inbound_at WHERE id = $1 AND last_inbound_at = $2', [
      conversationId,
      lastInboundAt,
    ]);
  }

  /** Like `markClosed`, for a message that failed later. Messages that the person wrote after `failedAt` keep the window open. */
  async markClosedByMessage(tx: Tx, { businessId, messageId, recipient }: SentMessageRef, failedAt: string): Promise<void> {
    await tx.query(
      `UPDATE send.conversations SET window_denied_for = last_inbound_at
       WHERE id = (${CONVERSATION_OF_MESSAGE}) AND last_inbound_at <= $4::timestamptz + interval '999 milliseconds'`,
      [businessId, messageId, recipient, failedAt],
    );
  }
}
