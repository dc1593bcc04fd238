import { Injectable } from '@nestjs/common';
import type { Tx } from '@mgw/postgres';
import type { InboundEvent } from './inbound-message';

export interface Inbound {
  event: InboundEvent;
  conversationId: number;
}

export interface Advance {
  conversationId: number;
  /** ISO times of the earliest and the latest of the new messages. */
  first: string;
  last: string;
  /** Newest name that is not empty, or "". */
  name: string;
}

@Injectable()
export class InboundStore {
  /** @returns those that were not there yet: the platform repeats itself (platform §0.6). */
  async insert(tx: Tx, inbound: Inbound[]): Promise<Inbound[]> {
    const of = <T>(pick: (row: Inbound) => T) => inbound.map(pick);
    const rows = await tx.query<{ business_id: string; message_id: string }>(
      `INSERT INTO send.inbound_messages
         (business_id, message_id, conversation_id, type, text, caption, media_type, media_id, mime_type, sent_at)
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                            $10::timestamptz[])
       ON CONFLICT (business_id, message_id) DO NOTHING
       RETURNING business_id, message_id`,
      [
        of(({ event }) => event.business_id),
        of(({ event }) => event.data.message_id),
        of(({ conversationId }) => conversationId),
        of(({ event }) => event.data.type),
        of(({ event }) => event.data.text),
        of(({ event }) => event.data.caption),
        of(({ event }) => event.data.media?.type ?? null),
        of(({ event }) => event.data.media?.id ?? null),
        of(({ event }) => event.data.media?.mime_type ?? null),
        of(({ event }) => event.data.sent_at),
      ],
    );
    const fresh = new Set(rows.map((row) => `${row.business_id}:${row.message_id}`));
    // Twice in one batch is once: the first takes the key away.
    return inbound.filter(({ event }) => fresh.delete(`${event.business_id}:${event.data.message_id}`));
  }

  /**
   * Opens windows: platform time, never in the future, never moved back (guarantees §1). Milliseconds, because that is what the
   * outside sees and what a later denial of the window is compared with.
   * @returns the conversations in which a customer wrote for the first time.
   */
  async advance(tx: Tx, changes: Advance[]): Promise<Set<number>> {
    const rows = await tx.query<{ id: string; is_first: boolean }>(
      `WITH locked AS (
         SELECT id, first_inbound_at FROM send.conversations WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE
       )
       UPDATE send.conversations c SET
         first_inbound_at = coalesce(c.first_inbound_at, least(n.first, date_trunc('milliseconds', now()))),
         last_inbound_at = greatest(c.last_inbound_at, least(n.last, date_trunc('milliseconds', now()))),
         name = CASE WHEN n.name = '' THEN c.name ELSE n.name END
       FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::text[]) AS n(id, first, last, name)
       JOIN locked USING (id)
       WHERE c.id = n.id
       RETURNING c.id, locked.first_inbound_at IS NULL AS is_first`,
      [
        changes.map((change) => change.conversationId),
        changes.map((change) => change.first),
        changes.map((change) => change.last),
        changes.map((change) => change.name),
      ],
    );
    return new Set(rows.filter((row) => row.is_first).map((row) => Number(row.id)));
  }
}
