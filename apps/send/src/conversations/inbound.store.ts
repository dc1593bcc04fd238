import { Injectable } from '@nestjs/common';
import type { SendSettings } from '@mgw/contracts';
import type { Tx } from '@mgw/postgres';
import { settingsOf, type SettingsRow } from '../settings/settings.store';
import type { InboundEvent } from './inbound-message';

export interface Inbound {
  event: InboundEvent;
  conversationId: number;
}

/** One that was not there yet. */
export interface FreshInbound extends Inbound {
  /** Of a conversation in which the customer had not written before this batch. */
  begins: boolean;
  /** The business's. */
  settings: SendSettings;
}

@Injectable()
export class InboundStore {
  /**
   * Records messages and opens their windows: platform time, never in the future, never moved back (guarantees §1); in
   * milliseconds, because that is what the outside sees and what a later denial of the window is compared with.
   * The locks of their conversations make the look and the insert one: months have no common key.
   * @returns those that were not there yet, in their order: the platform repeats itself (platform §0.6).
   */
  async record(tx: Tx, repeating: Inbound[]): Promise<FreshInbound[]> {
    const inbound = [...new Map(repeating.map((row) => [keyOf(row), row])).values()];
    const of = <T>(pick: (row: Inbound) => T) => inbound.map(pick);
    const rows = await tx.query<{ nth: string; begins: boolean } & SettingsRow>(
      `WITH n AS (
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                              $10::timestamptz[], $11::text[])
           WITH ORDINALITY AS n (business_id, message_id, conversation_id, type, text, caption, media_type, media_id, mime_type, sent_at, name, nth)
       ), inserted AS (
         INSERT INTO send.inbound_messages
           (business_id, message_id, conversation_id, type, text, caption, media_type, media_id, mime_type, sent_at)
         SELECT business_id, message_id, conversation_id, type, text, caption, media_type, media_id, mime_type, sent_at FROM n
         WHERE (SELECT true FROM send.inbound_messages m WHERE m.business_id = n.business_id AND m.message_id = n.message_id LIMIT 1) IS NULL
         ON CONFLICT DO NOTHING
         RETURNING business_id, message_id
       ), fresh AS (
         SELECT business_id, conversation_id, sent_at, name, nth FROM inserted JOIN n USING (business_id, message_id)
       ), changes AS (
         SELECT conversation_id AS id, min(sent_at) AS first, max(sent_at) AS last,
                (array_agg(name ORDER BY nth DESC) FILTER (WHERE name <> ''))[1] AS name
         FROM fresh GROUP BY conversation_id
       ), locked AS (
         SELECT id, first_inbound_at FROM send.conversations WHERE id IN (SELECT id FROM changes) ORDER BY id FOR UPDATE
       ), advanced AS (
         UPDATE send.conversations c SET
           first_inbound_at = coalesce(c.first_inbound_at, least(changes.first, date_trunc('milliseconds', now()))),
           last_inbound_at = greatest(c.last_inbound_at, least(changes.last, date_trunc('milliseconds', now()))),
           name = coalesce(changes.name, c.name)
         FROM changes JOIN locked USING (id)
         WHERE c.id = changes.id
         RETURNING c.id, locked.first_inbound_at IS NULL AS begins
       )
       SELECT fresh.nth, advanced.begins, s.stop_words, s.start_words, s.otp_to_opted_out
       FROM fresh JOIN advanced ON advanced.id = fresh.conversation_id
       LEFT JOIN send.settings s ON s.business_id = fresh.business_id
       ORDER BY fresh.nth`,
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
        of(({ event }) => event.data.from.name),
      ],
    );
    return rows.map((row) => ({
      ...(inbound[Number(row.nth) - 1] as Inbound),
      begins: row.begins,
      settings: settingsOf(row),
    }));
  }
}

function keyOf({ event }: Inbound): string {
  return `${event.business_id}:${event.data.message_id}`;
}
