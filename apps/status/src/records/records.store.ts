import { Injectable } from '@nestjs/common';
import {
  deliveryStatus,
  factsOf,
  type DeliveryStatus,
  type EventEnvelope,
  type GetMessageStatus,
  type GetMessageStatuses,
  type MessageNotSent,
  type MessageSent,
  type PlatformStatus,
  type ReplyOf,
} from '@mgw/contracts';
import { failureReason } from '@mgw/platform-api';
import { Database, type Tx } from '@mgw/postgres';

type AcceptedEvent = EventEnvelope<typeof MessageSent>;
type NotSentEvent = EventEnvelope<typeof MessageNotSent>;
type StatusEvent = EventEnvelope<typeof PlatformStatus>;

interface RecordRow {
  message_id: string;
  status: DeliveryStatus;
  sent_at: Date | null;
  recipient: string;
  failure_reason: string | null;
}

/** The month of message `n`. If retention has just deleted the key, the batch fails and is retried. */
const MONTH = '(SELECT month FROM status.record_keys k WHERE k.business_id = n.business_id AND k.message_id = n.message_id)';

/**
 * Keeps one row per message. The acceptance or the first status creates it; its rank only rises, and an equal rank never
 * overwrites (guarantees §3). Records are partitioned by month, so a unique key must contain the month: record_keys holds the
 * month of each message, and the first event of a message creates the key.
 */
@Injectable()
export class RecordsStore {
  constructor(private readonly db: Database) {}

  async find(businessId: number, messageId: string): Promise<ReplyOf<typeof GetMessageStatus>['record']> {
    const [row] = await this.db.query<RecordRow>(
      `SELECT message_id, status, sent_at, recipient, failure_reason FROM status.records
       WHERE business_id = $1 AND message_id = $2 AND month = (SELECT month FROM status.record_keys WHERE business_id = $1 AND message_id = $2)`,
      [businessId, messageId],
    );
    // Only the platform has reported this message. A SQL condition for this check would let the planner choose the index by time.
    if (!row?.sent_at) return null;
    const { message_id, status, sent_at, recipient, failure_reason } = row;
    return { message_id, delivery_status: status, sent_at: sent_at.toISOString(), to: recipient, failure_reason };
  }

  async findMany(businessId: number, messageIds: string[]): Promise<ReplyOf<typeof GetMessageStatuses>['statuses']> {
    const rows = await this.db
      .reads(businessId)
      .query<RecordRow>(
        'SELECT message_id, status, failure_reason FROM status.records WHERE business_id = $1 AND message_id = ANY ($2::text[])',
        [businessId, messageIds],
      );
    return rows.map(({ message_id, status, failure_reason }) => ({ message_id, delivery_status: status, failure_reason }));
  }

  async accept(tx: Tx, events: AcceptedEvent[]): Promise<void> {
    const column = <T>(pick: (event: AcceptedEvent) => T) => events.map(pick);
    const repaired = events.filter((event) => factsOf(event).repaired);
    await this.insertKeys(tx, [
      ...events.map(({ business_id, at, data }) => ({ business_id, at, message_id: data.message_id })),
      ...repaired.map((event) => ({ business_id: event.business_id, at: event.at, message_id: `gw_${factsOf(event).intent_id}` })),
    ]);
    await tx.query(
      `INSERT INTO status.records AS r
         (business_id, message_id, month, recipient, sent_at, status, rank, type, template, text, sent_by, api_key_id)
       SELECT DISTINCT ON (business_id, message_id)
         business_id, message_id, ${MONTH}, recipient, sent_at, 'sent', 1, type, template, text, sent_by, key
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[])
         AS n (business_id, message_id, recipient, sent_at, type, template, text, sent_by, key)
       ORDER BY business_id, message_id
       ON CONFLICT (business_id, message_id, month) DO UPDATE SET recipient = excluded.recipient, sent_at = excluded.sent_at, type = excluded.type,
         template = excluded.template, text = excluded.text, sent_by = excluded.sent_by, api_key_id = excluded.api_key_id
       WHERE r.sent_at IS NULL`,
      [
        column((event) => event.business_id),
        column((event) => event.data.message_id),
        column((event) => event.data.to),
        column((event) => event.at),
        column((event) => event.data.type),
        column((event) => factsOf(event).template),
        column((event) => event.data.text),
        column((event) => event.data.sent_by),
        column((event) => factsOf(event).api_key_id),
      ],
    );
    await this.supersede(tx, repaired);
  }

  /** Records sends that never became messages, under `gw_<intent>`. */
  async fail(tx: Tx, events: NotSentEvent[]): Promise<void> {
    const column = <T>(pick: (event: NotSentEvent) => T) => events.map(pick);
    await this.insertKeys(
      tx,
      events.map(({ business_id, at, data }) => ({ business_id, at, message_id: `gw_${data.intent_id}` })),
    );
    await tx.query(
      `INSERT INTO status.records
         (business_id, message_id, month, recipient, sent_at, status, rank, failure_reason, type, template, text, sent_by, api_key_id, accepted)
       SELECT DISTINCT ON (business_id, message_id)
         business_id, message_id, ${MONTH}, recipient, at, 'failed', 3, reason, type, template, text, sent_by, key, false
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[])
         AS n (business_id, message_id, recipient, at, reason, type, template, text, sent_by, key)
       ORDER BY business_id, message_id
       ON CONFLICT (business_id, message_id, month) DO NOTHING`,
      [
        column((event) => event.business_id),
        column((event) => `gw_${event.data.intent_id}`),
        column((event) => event.data.to),
        column((event) => event.at),
        column((event) => event.data.reason),
        column((event) => event.data.type),
        column((event) => event.data.template),
        column((event) => event.data.text),
        column((event) => event.data.sent_by),
        column((event) => event.data.api_key_id),
      ],
    );
  }

  /** Hides the failure of a message that was sent after all, even if the failure event arrives later. */
  private async supersede(tx: Tx, events: AcceptedEvent[]): Promise<void> {
    if (events.length === 0) return;
    await tx.query(
      `INSERT INTO status.records AS r (business_id, message_id, month, status, rank, accepted)
       SELECT DISTINCT business_id, message_id, ${MONTH}, 'sent', 0, false
       FROM unnest($1::bigint[], $2::text[]) AS n (business_id, message_id) ORDER BY 1, 2
       ON CONFLICT (business_id, message_id, month) DO UPDATE SET sent_at = NULL, status = 'sent', rank = 0, failure_reason = NULL, text = ''`,
      [events.map((event) => event.business_id), events.map((event) => `gw_${factsOf(event).intent_id}`)],
    );
  }

  async advance(tx: Tx, events: StatusEvent[]): Promise<void> {
    await this.appendHistory(tx, events);
    const known = events.flatMap((event) => {
      const rise = deliveryStatus(event.data.status);
      return rise ? [{ event, ...rise, reason: rise.status === 'failed' ? failureReason(event.data.error) : null }] : [];
    });
    if (known.length === 0) return;
    await this.insertKeys(
      tx,
      known.map(({ event: { business_id, data } }) => ({ business_id, message_id: data.message_id, at: data.occurred_at })),
    );
    // Sorted, so that two batches never deadlock. Keeps the highest rank of each message, and the earliest of equal ranks.
    await tx.query(
      `INSERT INTO status.records AS r (business_id, message_id, month, status, rank, failure_reason)
       SELECT DISTINCT ON (business_id, message_id) business_id, message_id, ${MONTH}, status, rank, reason
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::smallint[], $5::text[])
         WITH ORDINALITY AS n (business_id, message_id, status, rank, reason, nth)
       ORDER BY business_id, message_id, rank DESC, nth
       ON CONFLICT (business_id, message_id, month) DO UPDATE
         SET status = excluded.status, rank = excluded.rank, failure_reason = excluded.failure_reason
       WHERE r.rank < excluded.rank`,
      [
        known.map(({ event }) => event.business_id),
        known.map(({ event }) => event.data.message_id),
        known.map(({ status }) => status),
        known.map(({ rank }) => rank),
        known.map(({ reason }) => reason),
      ],
    );
  }

  /**
   * Waits for a transaction that inserts the same key. The next statement starts after that commit and sees its month, so
   * both write the same record.
   */
  private async insertKeys(tx: Tx, keys: { business_id: number; message_id: string; at: string }[]): Promise<void> {
    await tx.query(
      `INSERT INTO status.record_keys (business_id, message_id, month)
       SELECT b, m, date_trunc('month', least(min(at), now()) AT TIME ZONE 'UTC') FROM unnest($1::bigint[], $2::text[], $3::timestamptz[]) AS n (b, m, at)
       GROUP BY b, m ORDER BY b, m ON CONFLICT DO NOTHING`,
      [keys.map(({ business_id }) => business_id), keys.map(({ message_id }) => message_id), keys.map(({ at }) => at)],
    );
  }

  private async appendHistory(tx: Tx, events: StatusEvent[]): Promise<void> {
    await tx.query(
      `INSERT INTO status.history (business_id, message_id, status, occurred_at, error_code, error_text)
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::integer[], $6::text[]) AS n (b, m, s, o, c, t)
       ORDER BY b, m, s, o
       ON CONFLICT DO NOTHING`,
      [
        events.map((event) => event.business_id),
        events.map((event) => event.data.message_id),
        events.map((event) => event.data.status),
        events.map((event) => event.data.occurred_at),
        events.map((event) => event.data.error?.code ?? null),
        events.map((event) => event.data.error?.text ?? null),
      ],
    );
  }
}
