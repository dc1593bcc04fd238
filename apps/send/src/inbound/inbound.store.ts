import { Injectable } from '@nestjs/common';
import type { EventEnvelope, SendSettings } from '@mgw/contracts';
import { outboxRows, unpublishedBefore } from '@mgw/events';
import { RowSet, type Tx } from '@mgw/postgres';
import { withDefaults, type SettingsRow } from '../settings/settings.store';
import type { InboundEvent } from './inbound-message';

export interface InboundMessage {
  event: InboundEvent;
  conversationId: number;
  /** The event message.received. */
  received: EventEnvelope;
  /** The event conversation.created, published only if the message starts the conversation. */
  created: EventEnvelope;
}

/** A message that was not stored before. */
export interface NewInboundMessage extends InboundMessage {
  /** True for the customer's first message in the conversation. */
  startsConversation: boolean;
  /** Older unpublished events of these conversations, for `allowDirectPublish`. */
  older: string[] | null;
  /** The settings of the business. */
  settings: SendSettings;
}

const MESSAGES = new RowSet<InboundMessage>({
  business_id: ['bigint', ({ event }) => event.business_id],
  message_id: ['text', ({ event }) => event.data.message_id],
  conversation_id: ['bigint', ({ conversationId }) => conversationId],
  type: ['text', ({ event }) => event.data.type],
  text: ['text', ({ event }) => event.data.text],
  caption: ['text', ({ event }) => event.data.caption],
  media_type: ['text', ({ event }) => event.data.media?.type ?? null],
  media_id: ['text', ({ event }) => event.data.media?.id ?? null],
  mime_type: ['text', ({ event }) => event.data.media?.mime_type ?? null],
  // Text is encoded in binary (list-parameters.ts).
  details: ['text', ({ event }) => (event.data.details ? JSON.stringify(event.data.details) : null)],
  sent_at: ['timestamptz', ({ event }) => event.data.sent_at],
  name: ['text', ({ event }) => event.data.from.name],
});
const EVENTS = outboxRows(MESSAGES.next);

@Injectable()
export class InboundStore {
  /**
   * Stores messages, opens their windows and writes their events to the outbox. A window opens at the platform's time, never in the future,
   * and never moves back (guarantees §1). It has millisecond precision, like the public API.
   * The locked aliases make the duplicate check safe: a partitioned table has no unique key over all months.
   * @returns the messages that were not stored before, in their order; the platform may repeat a message (platform §0.6)
   */
  async insertNew(tx: Tx, messages: InboundMessage[]): Promise<NewInboundMessage[]> {
    const inbound = [...new Map(messages.map((row) => [keyOf(row), row])).values()];
    const events = inbound.flatMap(({ created, received }) => [created, received]);
    const rows = await tx.query<{ nth: string; begins: boolean; older: string[] | null } & SettingsRow>(
      `WITH n AS (
         SELECT * FROM ${MESSAGES.from('n', 'nth')}
       ), inserted AS (
         INSERT INTO send.inbound_messages
           (business_id, message_id, conversation_id, type, text, caption, media_type, media_id, mime_type, details, sent_at, received_at)
         -- Microseconds keep the order within this statement; statement_timestamp() keeps it between statements of one transaction.
         SELECT business_id, message_id, conversation_id, type, text, caption, media_type, media_id, mime_type, details::json, sent_at,
                statement_timestamp() + nth * interval '1 microsecond'
         FROM n
         WHERE (SELECT true FROM send.inbound_messages m WHERE m.business_id = n.business_id AND m.message_id = n.message_id LIMIT 1) IS NULL
         ON CONFLICT DO NOTHING
         RETURNING business_id, message_id
       ), fresh AS (
         SELECT business_id, conversation_id, sent_at, name, n.type, nth FROM inserted JOIN n USING (business_id, message_id)
       ), changes AS (
         SELECT conversation_id AS id, min(sent_at) AS first, max(sent_at) AS last,
                (array_agg(name ORDER BY nth DESC) FILTER (WHERE name <> ''))[1] AS name,
                -- A reaction needs no reply.
                count(*) FILTER (WHERE type <> 'reaction') AS unread
         FROM fresh GROUP BY conversation_id
       ), locked AS (
         SELECT id, first_inbound_at FROM send.conversations WHERE id IN (SELECT id FROM changes) ORDER BY id FOR UPDATE
       ), advanced AS (
         UPDATE send.conversations c SET
           first_inbound_at = coalesce(c.first_inbound_at, least(changes.first, date_trunc('milliseconds', now()))),
           last_inbound_at = greatest(c.last_inbound_at, least(changes.last, date_trunc('milliseconds', now()))),
           name = coalesce(changes.name, c.name),
           unread_count = c.unread_count + changes.unread,
           waiting_since = CASE WHEN changes.unread > 0 THEN coalesce(c.waiting_since, now()) ELSE c.waiting_since END,
           last_received_at = CASE WHEN changes.unread > 0 THEN clock_timestamp() ELSE c.last_received_at END,
           closed_at = CASE WHEN changes.unread > 0 THEN NULL ELSE c.closed_at END
         FROM changes JOIN locked USING (id)
         WHERE c.id = changes.id
         RETURNING c.id, locked.first_inbound_at IS NULL AS was_silent
       ), recorded AS (
         SELECT fresh.nth, fresh.business_id, was_silent AND row_number() OVER (PARTITION BY conversation_id ORDER BY nth) = 1 AS begins
         FROM fresh JOIN advanced ON advanced.id = fresh.conversation_id
       ), published AS (
         -- Events alternate: conversation.created, message.received. The first is written only if the message starts the conversation.
         INSERT INTO send.outbox (event_id, subject, ordering_key, body, traceparent)
         SELECT t.event_id, t.subject, t.ordering_key, t.body, t.traceparent
         FROM ${EVENTS.from('t', 'place')}
         JOIN recorded ON recorded.nth = (t.place + 1) / 2
         WHERE recorded.begins OR t.place % 2 = 0
         ORDER BY t.place
         ON CONFLICT (event_id) DO NOTHING
       )
       SELECT recorded.nth, recorded.begins, ${unpublishedBefore('send', EVENTS.list('ordering_key'))} AS older, s.stop_words, s.start_words, s.otp_to_opted_out
       FROM recorded LEFT JOIN send.settings s ON s.business_id = recorded.business_id
       ORDER BY recorded.nth`,
      [...MESSAGES.values(inbound), ...EVENTS.values(events)],
    );
    return rows.map((row) => ({
      ...(inbound[Number(row.nth) - 1] as InboundMessage),
      startsConversation: row.begins,
      older: row.older,
      settings: withDefaults(row),
    }));
  }
}

function keyOf({ event }: InboundMessage): string {
  return `${event.business_id}:${event.data.message_id}`;
}
