import { Inject, Injectable } from '@nestjs/common';
import { Database, type Tx } from '@mgw/postgres';
import { CONVERSATION_OF_MESSAGE, type SentMessageRef } from '../conversations/conversation.store';

@Injectable()
export class WindowStore {
  constructor(@Inject(Database) private readonly db: Database) {}

  /** The platform calls this window closed (131047): believed until the person writes again. A message that came meanwhile keeps it open. */
  async markClosed(conversationId: number, lastInboundAt: Date): Promise<void> {
    await this.db.query('UPDATE send.conversations SET window_denied_for = last_inbound_at WHERE id = $1 AND last_inbound_at = $2', [
      conversationId,
      lastInboundAt,
    ]);
  }

  /** As `deny`, when only the message is known: of what the person wrote before it failed. */
  async markClosedByMessage(tx: Tx, { businessId, messageId, recipient }: SentMessageRef, failedAt: string): Promise<void> {
    await tx.query(
      `UPDATE send.conversations SET window_denied_for = last_inbound_at
       WHERE id = (${CONVERSATION_OF_MESSAGE}) AND last_inbound_at <= $4::timestamptz + interval '999 milliseconds'`,
      [businessId, messageId, recipient, failedAt],
    );
  }
}
