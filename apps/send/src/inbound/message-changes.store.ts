import { Injectable } from '@nestjs/common';
import { RowSet, type Tx } from '@mgw/postgres';
import { notInFuture } from '../platform-time';
import type { MessageChange } from './inbound-message';

const CHANGES = new RowSet<MessageChange>({
  business_id: ['bigint', ({ businessId }) => businessId],
  message_id: ['text', ({ messageId }) => messageId],
  text: ['text', ({ text }) => text],
  edited_at: ['timestamptz', ({ editedAt }) => editedAt],
  deleted_at: ['timestamptz', ({ deletedAt }) => deletedAt],
});

/** Edits and revocations of customers' messages. The message keeps its own text, and the thread shows the newest edit. */
@Injectable()
export class MessageChangesStore {
  /** The newest edit wins, whatever the order of arrival; a repeat has no effect. */
  async record(tx: Tx, changes: MessageChange[]): Promise<void> {
    if (changes.length === 0) return;
    await tx.query(
      `INSERT INTO send.message_changes AS c (business_id, message_id, text, edited_at, deleted_at)
       SELECT business_id, message_id, (array_agg(text ORDER BY ${notInFuture('edited_at')} DESC, nth DESC) FILTER (WHERE edited_at IS NOT NULL))[1],
              max(${notInFuture('edited_at')}) FILTER (WHERE edited_at IS NOT NULL), min(deleted_at)
       FROM ${CHANGES.from('n', 'nth')} GROUP BY business_id, message_id ORDER BY business_id, message_id
       ON CONFLICT (business_id, message_id) DO UPDATE SET
         text = CASE WHEN excluded.edited_at >= coalesce(c.edited_at, '-infinity') THEN excluded.text ELSE c.text END,
         edited_at = greatest(c.edited_at, excluded.edited_at),
         deleted_at = least(c.deleted_at, excluded.deleted_at),
         changed_at = excluded.changed_at`,
      CHANGES.values(changes),
    );
  }
}
