import { Inject, Injectable } from '@nestjs/common';
import type { EventEnvelope } from '@mgw/contracts';
import { allowDirectPublish, appendToOutbox, outboxRows, unpublishedBefore } from '@mgw/events';
import { Database, onRow, type Tx, RowSet } from '@mgw/postgres';
import { ERASED } from '@mgw/service';
import type { IntentRecord } from './intent';

export interface AcceptedRow {
  intentId: string;
  messageId: string;
  conversationId: number;
  acceptedAt: string;
  event: EventEnvelope;
}

interface RefusedRow {
  intentId: string;
  reason: string;
  event: EventEnvelope;
}

const ACCEPTED = new RowSet<AcceptedRow>({
  id: ['uuid', ({ intentId }) => intentId],
  message_id: ['text', ({ messageId }) => messageId],
  conversation_id: ['bigint', ({ conversationId }) => conversationId],
  accepted_at: ['timestamptz', ({ acceptedAt }) => acceptedAt],
});
const EVENTS = outboxRows(ACCEPTED.next);

const REFUSED = new RowSet<RefusedRow>({
  id: ['uuid', ({ intentId }) => intentId],
  reason: ['text', ({ reason }) => reason],
});
const REFUSED_EVENTS = outboxRows(REFUSED.next);
const INTENTS = new RowSet<IntentRecord>({
  id: ['uuid', ({ id }) => id],
  business_id: ['bigint', ({ businessId }) => businessId],
  api_key_id: ['bigint', ({ apiKeyId }) => apiKeyId],
  recipient: ['text', ({ to }) => to],
  type: ['text', ({ type }) => type],
  sent_by: ['text', ({ sentBy }) => sentBy],
  template: ['text', ({ template }) => template],
  text: ['text', ({ text }) => text],
});

@Injectable()
export class OutcomeStore {
  constructor(@Inject(Database) private readonly db: Database) {}

  /**
   * Writes outcomes, messages and outbox rows of a batch in one statement (guarantees §1, S3). The platform's response and a status
   * callback may race: only the update that changes the intent's state writes the rest. The outbox's primary key is a second fence (S7).
   * Rows are locked in the order of their ids to avoid deadlocks. Array positions replace a join, which would compare every intent with
   * every event.
   * @returns the events of the intents that this call changed
   */
  async accept(rows: AcceptedRow[], tx: Tx | Database = this.db): Promise<EventEnvelope[]> {
    const events = rows.map(({ event }) => event);
    const written = await tx.query<{ event_id: string; older: string[] | null }>(
      `WITH locked AS (
         SELECT id, array_position(${ACCEPTED.list('id')}::uuid[], id) AS nth FROM send.intents
         WHERE id = ANY (${ACCEPTED.list('id')}::uuid[]) AND state IN ('calling', 'unknown', 'unconfirmed') AND recipient <> '${ERASED}'
         ORDER BY id FOR UPDATE
       ), accepted AS (
         UPDATE send.intents i SET state = 'accepted', message_id = ${ACCEPTED.at('message_id', 'nth')}, resolved_at = ${ACCEPTED.at('accepted_at', 'nth')}
         FROM locked WHERE i.id = locked.id
         RETURNING i.id, i.business_id, i.message_id, i.resolved_at, nth
       ), recorded AS (
         INSERT INTO send.messages (business_id, message_id, intent_id, conversation_id, accepted_at)
         SELECT business_id, message_id, id, ${ACCEPTED.at('conversation_id', 'nth')}, resolved_at FROM accepted
         ON CONFLICT DO NOTHING
       )
       INSERT INTO send.outbox (event_id, subject, ordering_key, body, traceparent)
       SELECT ${EVENTS.at('event_id', 'nth')}, ${EVENTS.at('subject', 'nth')}, ${EVENTS.at('ordering_key', 'nth')}, ${EVENTS.at('body', 'nth')},
         ${EVENTS.at('traceparent', 'nth')}
       FROM accepted ORDER BY nth
       ON CONFLICT (event_id) DO NOTHING RETURNING event_id, ${unpublishedBefore('send', EVENTS.list('ordering_key'))} AS older`,
      [...ACCEPTED.values(rows), ...EVENTS.values(events)],
    );
    const ids = new Set(written.map(({ event_id }) => event_id));
    const published = events.filter(({ id }) => ids.delete(id));
    allowDirectPublish(published, written[0]?.older ?? null);
    return published;
  }

  /**
   * Marks intents as refused and releases their cap and Idempotency-Keys (guarantees §1, S5). Reservations of all businesses wait for these
   * locks, so it is one statement: a process that is suspended between two would hold them.
   */
  async refuse(rows: RefusedRow[]): Promise<void> {
    const events = rows.map(({ event }) => event);
    await this.db.query(
      `WITH refused AS MATERIALIZED (SELECT send.refuse(${REFUSED.list('id')}::uuid[], ${REFUSED.list('reason')}::text[]))
       INSERT INTO send.outbox (event_id, subject, ordering_key, body, traceparent)
       SELECT n.* FROM refused CROSS JOIN ${REFUSED_EVENTS.from('n')}
       ON CONFLICT (event_id) DO NOTHING`,
      [...REFUSED.values(rows), ...REFUSED_EVENTS.values(events)],
    );
  }

  /**
   * Inserts refused intents under the ids of reservations that may commit late. The insert waits for a reservation that is committing, and
   * `refuse` then ends it. A reservation that arrives later conflicts with the inserted id and fails.
   */
  async cancel(intents: IntentRecord[], reason: string): Promise<void> {
    await this.db.query(
      `INSERT INTO send.intents (id, business_id, api_key_id, recipient, type, sent_by, template, text,
         state, failure_reason, created_at, resolved_at)
       SELECT i.*, 'refused', $${INTENTS.next}, clock_timestamp(), clock_timestamp()
       FROM ${INTENTS.from('i')}
       ORDER BY i.id
       ON CONFLICT (id) DO NOTHING`,
      [...INTENTS.values(intents), reason],
    );
  }

  /** Keeps cap and Idempotency-Key, because the message may have been sent (guarantees §1, S5). */
  async markUnknown(intentId: string, reason: string, event: EventEnvelope): Promise<void> {
    await this.db.transaction(async (tx) => {
      const marked = await tx.query(
        `UPDATE send.intents SET state = 'unknown', failure_reason = $2 WHERE id = $1 AND ${onRow(`state = 'calling'`)} RETURNING id`,
        [intentId, reason],
      );
      if (marked.length > 0) await appendToOutbox(tx, 'send', [event]);
    });
  }
}
