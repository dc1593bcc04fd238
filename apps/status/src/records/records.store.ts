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
import { Database, RowSet, type Tx } from '@mgw/postgres';

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
const ACCEPTED = new RowSet<AcceptedEvent>({
  business_id: ['bigint', ({ business_id }) => business_id],
  message_id: ['text', ({ data }) => data.message_id],
  recipient: ['text', ({ data }) => data.to],
  sent_at: ['timestamptz', ({ at }) => at],
  type: ['text', ({ data }) => data.type],
  template: ['text', (event) => factsOf(event).template],
  text: ['text', ({ data }) => data.text],
  sent_by: ['text', ({ data }) => data.sent_by],
  key: ['bigint', (event) => factsOf(event).api_key_id],
});
const NOT_SENT = new RowSet<NotSentEvent>({
  business_id: ['bigint', ({ business_id }) => business_id],
  message_id: ['text', ({ data }) => `gw_${data.intent_id}`],
  recipient: ['text', ({ data }) => data.to],
  at: ['timestamptz', ({ at }) => at],
  reason: ['text', ({ data }) => data.reason],
  type: ['text', ({ data }) => data.type],
  template: ['text', ({ data }) => data.template],
  text: ['text', ({ data }) => data.text],
  sent_by: ['text', ({ data }) => data.sent_by],
  key: ['bigint', ({ data }) => data.api_key_id],
});
const SUPERSEDED = new RowSet<AcceptedEvent>({
  business_id: ['bigint', ({ business_id }) => business_id],
  message_id: ['text', (event) => `gw_${factsOf(event).intent_id}`],
});
const RISES = new RowSet<{ event: StatusEvent; status: DeliveryStatus; rank: number; reason: string | null }>({
  business_id: ['bigint', ({ event }) => event.business_id],
  message_id: ['text', ({ event }) => event.data.message_id],
  status: ['text', ({ status }) => status],
  rank: ['smallint', ({ rank }) => rank],
  reason: ['text', ({ reason }) => reason],
});
const KEYS = new RowSet<{ business_id: number; message_id: string; at: string }>({
  business_id: ['bigint', ({ business_id }) => business_id],
  message_id: ['text', ({ message_id }) => message_id],
  at: ['timestamptz', ({ at }) => at],
});
const HISTORY = new RowSet<StatusEvent>({
  business_id: ['bigint', ({ business_id }) => business_id],
  message_id: ['text', ({ data }) => data.message_id],
  status: ['text', ({ data }) => data.status],
  occurred_at: ['timestamptz', ({ data }) => data.occurred_at],
  error_code: ['integer', ({ data }) => data.error?.code ?? null],
  error_text: ['text', ({ data }) => data.error?.text ?? null],
});

@Injectable()
export class RecordsStore {
  constructor(private readonly db: Database) {}

  async find(businessId: number, messageId: string): Promise<ReplyOf<typeof GetMessageStatus>['record']> {
    const [row] = await this.db.query<RecordRow>(
      `SELECT message_id, status, sent_at, recipient, failure_reason FROM status.records
       WHERE business_id = $1 AND message_id = $2 AND month = (SELECT month FROM status.record_keys WHERE business_id = $1 AND message_id = $2)`,
      [businessId, messageId],
    );
    // So far only the platform has reported this message. This check is not in SQL, because the planner would then choose the index by
    // time.
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
       FROM ${ACCEPTED.from('n')}
       ORDER BY business_id, message_id
       ON CONFLICT (business_id, message_id, month) DO UPDATE SET recipient = excluded.recipient, sent_at = excluded.sent_at, type = excluded.type,
         template = excluded.template, text = excluded.text, sent_by = excluded.sent_by, api_key_id = excluded.api_key_id
       WHERE r.sent_at IS NULL`,
      ACCEPTED.values(events),
    );
    await this.supersede(tx, repaired);
  }

  /** Records sends that never became messages, under `gw_<intent>`. */
  async fail(tx: Tx, events: NotSentEvent[]): Promise<void> {
    await this.insertKeys(
      tx,
      events.map(({ business_id, at, data }) => ({ business_id, at, message_id: `gw_${data.intent_id}` })),
    );
    await tx.query(
      `INSERT INTO status.records
         (business_id, message_id, month, recipient, sent_at, status, rank, failure_reason, type, template, text, sent_by, api_key_id, accepted)
       SELECT DISTINCT ON (business_id, message_id)
         business_id, message_id, ${MONTH}, recipient, at, 'failed', 3, reason, type, template, text, sent_by, key, false
       FROM ${NOT_SENT.from('n')}
       ORDER BY business_id, message_id
       ON CONFLICT (business_id, message_id, month) DO NOTHING`,
      NOT_SENT.values(events),
    );
  }

  /** Hides the failure of a message that was sent after all, even if the failure event arrives later. */
  private async supersede(tx: Tx, events: AcceptedEvent[]): Promise<void> {
    if (events.length === 0) return;
    await tx.query(
      `INSERT INTO status.records AS r (business_id, message_id, month, status, rank, accepted)
       SELECT DISTINCT business_id, message_id, ${MONTH}, 'sent', 0, false
       FROM ${SUPERSEDED.from('n')} ORDER BY 1, 2
       ON CONFLICT (business_id, message_id, month) DO UPDATE SET sent_at = NULL, status = 'sent', rank = 0, failure_reason = NULL, text = ''`,
      SUPERSEDED.values(events),
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
       FROM ${RISES.from('n', 'nth')}
       ORDER BY business_id, message_id, rank DESC, nth
       ON CONFLICT (business_id, message_id, month) DO UPDATE
         SET status = excluded.status, rank = excluded.rank, failure_reason = excluded.failure_reason
       WHERE r.rank < excluded.rank`,
      RISES.values(known),
    );
  }

  /**
   * Waits for a transaction that inserts the same key. The next statement starts after that commit and sees its month, so
   * both write the same record.
   */
  private async insertKeys(tx: Tx, keys: { business_id: number; message_id: string; at: string }[]): Promise<void> {
    await tx.query(
      `INSERT INTO status.record_keys (business_id, message_id, month)
       SELECT business_id, message_id, date_trunc('month', least(min(at), now()) AT TIME ZONE 'UTC') FROM ${KEYS.from('n')}
       GROUP BY business_id, message_id ORDER BY business_id, message_id ON CONFLICT DO NOTHING`,
      KEYS.values(keys),
    );
  }

  private async appendHistory(tx: Tx, events: StatusEvent[]): Promise<void> {
    await tx.query(
      `INSERT INTO status.history (business_id, message_id, status, occurred_at, error_code, error_text)
       SELECT * FROM ${HISTORY.from('n')}
       ORDER BY business_id, message_id, status, occurred_at
       ON CONFLICT DO NOTHING`,
      HISTORY.values(events),
    );
  }
}
