import { Injectable } from '@nestjs/common';
import { Database } from '@mgw/postgres';

@Injectable()
export class MessageOwnerStore {
  constructor(private readonly db: Database) {}

  /** Whether the message was exchanged with this person, even under another of their names or in a conversation that was merged. */
  async belongsTo(businessId: number, alias: string, messageId: string): Promise<boolean> {
    const rows = await this.db.query(
      `SELECT FROM (
         SELECT conversation_id FROM send.inbound_messages WHERE business_id = $1 AND message_id = $3
         UNION ALL SELECT conversation_id FROM send.messages WHERE business_id = $1 AND message_id = $3
       ) m
       JOIN send.conversations c ON c.id = m.conversation_id
       JOIN send.conversation_aliases a ON a.business_id = $1 AND a.alias = $2 AND a.conversation_id = coalesce(c.merged_into, c.id)
       LIMIT 1`,
      [businessId, alias, messageId],
    );
    return rows.length > 0;
  }
}
