import { Injectable } from '@nestjs/common';
import type { DeliveryStatus, EventEnvelope, GetMessageStatus, MessageAccepted, PlatformStatus, ReplyOf } from '@mgw/contracts';
import { failureReason } from '@mgw/platform-api';
import { Database, type Tx } from '@mgw/postgres';
import { deliveryStatus } from './rank';

type AcceptedEvent = EventEnvelope<typeof MessageAccepted>;
type StatusEvent = EventEnvelope<typeof PlatformStatus>;

interface RecordRow {
  message_id: string;
  status: DeliveryStatus;
  sent_at: Date;
  recipient: string;
  failure_reason: string | null;
}

/**
 * One row per message is where "accepted" and the platform's statuses meet: whichever comes first makes it, its rank only
 * rises, an equal rank never overwrites (guarantees §3).
 */
@Injectable()
export class RecordsStore {
  constructor(private readonly db: Database) {}

  async find(businessId: number, messageId: string): Promise<ReplyOf<typeof GetMessageStatus>['record']> {
    const [row] = await this.db.prepared<RecordRow>(
      'status.find',
      `SELECT message_id, status, sent_at, recipient, failure_reason FROM status.records
       WHERE business_id = $1 AND message_id = $2 AND sent_at IS NOT NULL`,
      [businessId, messageId],
    );
    if (!row) return null;
    const { message_id, status, sent_at, recipient, failure_reason } = row;
    return { message_id, delivery_status: status, sent_at: sent_at.toISOString(), to: recipient, failure_reason };
  }

  async accept(tx: Tx, events: AcceptedEvent[]): Promise<void> {
    await tx.query(
      `INSERT INTO status.records AS r (business_id, message_id, recipient, sent_at, status, rank)
       SELECT DISTINCT ON (business_id, message_id) business_id, message_id, recipient, sent_at, 'sent', 1
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[]) AS n (business_id, message_id, recipient, sent_at)
       ORDER BY business_id, message_id
       ON CONFLICT (business_id, message_id) DO UPDATE SET recipient = excluded.recipient, sent_at = excluded.sent_at
       WHERE r.sent_at IS NULL`,
      [
        events.map((event) => event.business_id),
        events.map((event) => event.data.message_id),
        events.map((event) => event.data.to),
        events.map((event) => event.data.accepted_at),
      ],
    );
  }

  async advance(tx: Tx, events: StatusEvent[]): Promise<void> {
    await this.remember(tx, events);
    const known = events.flatMap((event) => {
      const rise = deliveryStatus(event.data.status);
      return rise ? [{ event, ...rise, reason: rise.status === 'failed' ? failureReason(event.data.error) : null }] : [];
    });
    if (known.length === 0) return;
    // Sorted: two batches never wait for each other in a circle. Of one message only the highest rank, the earliest of equals.
    await tx.query(
      `INSERT INTO status.records AS r (business_id, message_id, status, rank, failure_reason)
       SELECT DISTINCT ON (business_id, message_id) business_id, message_id, status, rank, reason
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::smallint[], $5::text[])
         WITH ORDINALITY AS n (business_id, message_id, status, rank, reason, nth)
       ORDER BY business_id, message_id, rank DESC, nth
       ON CONFLICT (business_id, message_id) DO UPDATE
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

  private async remember(tx: Tx, events: StatusEvent[]): Promise<void> {
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
