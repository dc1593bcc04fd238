import { Injectable } from '@nestjs/common';
import { Database } from '@mgw/postgres';
import { INBOUND_PLACE, partsOf } from '../inbox/thread.store';

/** Finds the messages of customers that may be marked as read. */
@Injectable()
export class ReceiptStore {
  constructor(private readonly db: Database) {}

  /** Whether a customer of the business wrote the message. */
  async isReceived(businessId: number, messageId: string): Promise<boolean> {
    const sql = 'SELECT FROM send.inbound_messages WHERE business_id = $1 AND message_id = $2 LIMIT 1';
    return (await this.db.query(sql, [businessId, messageId])).length > 0;
  }

  /** @returns the customer's newest message, or null if it is marked already or the business does not want it */
  async findUnread(businessId: number, conversationId: number): Promise<string | null> {
    const [row] = await this.db.query<{ message_id: string }>(
      `SELECT newest.message_id FROM send.conversations c
       JOIN send.settings s ON s.business_id = c.business_id AND s.mark_read_on_open
       CROSS JOIN LATERAL (
         SELECT m.message_id FROM ${partsOf('c')} AS part (id) CROSS JOIN LATERAL (
           SELECT message_id, ${INBOUND_PLACE} AS place, received_at FROM send.inbound_messages WHERE conversation_id = part.id
           ORDER BY ${INBOUND_PLACE} DESC, received_at DESC LIMIT 1
         ) m ORDER BY m.place DESC, m.received_at DESC LIMIT 1
       ) newest
       WHERE c.business_id = $1 AND c.id = $2 AND newest.message_id IS DISTINCT FROM c.marked_read`,
      [businessId, conversationId],
    );
    return row?.message_id ?? null;
  }

  async recordMarked(conversationId: number, messageId: string): Promise<void> {
    await this.db.query('UPDATE send.conversations SET marked_read = $2 WHERE id = $1', [conversationId, messageId]);
  }
}
