import { Injectable } from '@nestjs/common';
import {
  deliveryStatus,
  factsOf,
  gatewayMessageId,
  type Billing,
  type DeliveryStatus,
  type EventEnvelope,
  type GetMessageStatuses,
  type MessageNotSent,
  type MessageSent,
  type PlatformStatus,
  type ResponseOf,
} from '@mgw/contracts';
import { failureReason } from '@mgw/platform-api';
import { marketOf } from '@mgw/phone';
import { Database, RowSet, type Tx } from '@mgw/postgres';
import { BILLING } from './billing-column';
import { risesOf, type AcceptedMessage, type Report, type StatusRise } from './status-rise';

type AcceptedEvent = EventEnvelope<typeof MessageSent>;
type NotSentEvent = EventEnvelope<typeof MessageNotSent>;
type StatusEvent = EventEnvelope<typeof PlatformStatus>;

interface RaisedRow {
  business_id: string;
  message_id: string;
  previous_rank: number | null;
  sent_at: Date | null;
  recipient: string;
  type: string;
  sent_by: string;
  conversation_id: string | null;
  billing: Billing | null;
}
interface HistoryRow {
  business_id: string;
  message_id: string;
  status: string;
  occurred_at: Date;
  error_code: number | null;
  error_text: string | null;
}

interface RecordRow {
  message_id: string;
  status: DeliveryStatus;
  sent_at: Date | null;
  recipient: string;
  failure_reason: string | null;
  billing: Billing | null;
}
/** The price of a message, and the market for which it holds. */
type Priced = Billing & { market: string };

/** The month of message `n`. If retention has just deleted the key, the batch fails and is retried. */
const MONTH = '(SELECT month FROM status.record_keys k WHERE k.business_id = n.business_id AND k.message_id = n.message_id)';

/** The value of a column after a status that may rank lower and only add the price. */
const higher = (column: string) => `CASE WHEN r.rank < excluded.rank THEN excluded.${column} ELSE r.${column} END`;
const first = (column: string) => `CASE WHEN r.category IS NULL THEN excluded.${column} ELSE r.${column} END`;

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
  conversation_id: ['bigint', ({ data }) => data.conversation_id],
  language: ['text', (event) => factsOf(event).language ?? null],
  request_id: ['text', (event) => factsOf(event).request_id ?? null],
  broadcast_id: ['bigint', (event) => factsOf(event).broadcast_id ?? null],
});
const NOT_SENT = new RowSet<NotSentEvent>({
  business_id: ['bigint', ({ business_id }) => business_id],
  message_id: ['text', ({ data }) => gatewayMessageId(data.intent_id)],
  recipient: ['text', ({ data }) => data.to],
  at: ['timestamptz', ({ at }) => at],
  reason: ['text', ({ data }) => data.reason],
  type: ['text', ({ data }) => data.type],
  template: ['text', ({ data }) => data.template],
  text: ['text', ({ data }) => data.text],
  sent_by: ['text', ({ data }) => data.sent_by],
  key: ['bigint', ({ data }) => data.api_key_id],
  language: ['text', ({ data }) => data.language ?? null],
  request_id: ['text', ({ data }) => data.request_id ?? null],
});
const SUPERSEDED = new RowSet<AcceptedEvent>({
  business_id: ['bigint', ({ business_id }) => business_id],
  message_id: ['text', (event) => gatewayMessageId(factsOf(event).intent_id)],
});
const RISES = new RowSet<{ event: StatusEvent; status: DeliveryStatus; rank: number; reason: string | null; priced: Priced | null }>({
  business_id: ['bigint', ({ event }) => event.business_id],
  message_id: ['text', ({ event }) => event.data.message_id],
  status: ['text', ({ status }) => status],
  rank: ['smallint', ({ rank }) => rank],
  reason: ['text', ({ reason }) => reason],
  billable: ['boolean', ({ priced }) => priced?.billable ?? null],
  category: ['text', ({ priced }) => priced?.category ?? null],
  price_type: ['text', ({ priced }) => priced?.type ?? null],
  market: ['text', ({ priced }) => priced?.market ?? null],
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

const MESSAGES = new RowSet<AcceptedMessage>({
  business_id: ['bigint', ({ business_id }) => business_id],
  message_id: ['text', ({ message_id }) => message_id],
});

/**
 * Keeps one row per message. The acceptance or the first status creates it; its rank only rises, and an equal rank never
 * overwrites (guarantees §3). Records are partitioned by month, so a unique key must contain the month: record_keys holds the
 * month of each message, and the first event of a message creates the key.
 */
@Injectable()
export class RecordsStore {
  constructor(private readonly db: Database) {}

  async find(businessId: number, messageIds: string[]): Promise<ResponseOf<typeof GetMessageStatuses>['statuses']> {
    const rows = await this.db.query<RecordRow>(
      `SELECT r.message_id, r.status, r.sent_at, r.recipient, r.failure_reason, ${BILLING} FROM status.record_keys k
       JOIN status.records r ON r.business_id = k.business_id AND r.message_id = k.message_id AND r.month = k.month
       WHERE k.business_id = $1 AND k.message_id = ANY ($2::text[])`,
      [businessId, messageIds],
    );
    // Without sent_at only the platform has reported the message so far. This check is not in SQL, because the planner would then choose
    // the index by time.
    return rows.flatMap(({ message_id, status, sent_at, recipient: to, failure_reason, billing }) =>
      sent_at === null
        ? []
        : [{ message_id, delivery_status: status, sent_at: sent_at.toISOString(), to, failure_reason, ...(billing && { billing }) }],
    );
  }

  /** @returns the messages whose status had risen before their acceptance */
  async accept(tx: Tx, events: AcceptedEvent[]): Promise<AcceptedMessage[]> {
    const repaired = events.filter((event) => factsOf(event).repaired);
    await this.insertKeys(tx, [
      ...events.map(({ business_id, at, data }) => ({ business_id, at, message_id: data.message_id })),
      ...repaired.map((event) => ({
        business_id: event.business_id,
        at: event.at,
        message_id: gatewayMessageId(factsOf(event).intent_id),
      })),
    ]);
    const risen = await tx.query<{ business_id: string; message_id: string; billing: Billing | null }>(
      `WITH accepted AS (
         INSERT INTO status.records AS r
           (business_id, message_id, month, recipient, sent_at, status, rank, type, template, text, sent_by, api_key_id, conversation_id,
            language, request_id, broadcast_id)
         SELECT DISTINCT ON (business_id, message_id)
           business_id, message_id, ${MONTH}, recipient, sent_at, 'sent', 1, type, template, text, sent_by, key, conversation_id,
           language, request_id, broadcast_id
         FROM ${ACCEPTED.from('n')}
         ORDER BY business_id, message_id
         ON CONFLICT (business_id, message_id, month) DO UPDATE SET recipient = excluded.recipient, sent_at = excluded.sent_at, type = excluded.type,
           template = excluded.template, text = excluded.text, sent_by = excluded.sent_by, api_key_id = excluded.api_key_id,
           conversation_id = excluded.conversation_id, language = excluded.language, request_id = excluded.request_id,
           broadcast_id = excluded.broadcast_id
         WHERE r.sent_at IS NULL RETURNING r.business_id, r.message_id, r.rank, ${BILLING}
       )
       SELECT business_id, message_id, billing FROM accepted WHERE rank > 1`,
      ACCEPTED.values(events),
    );
    await this.supersede(tx, repaired);
    // A status is rarely before its acceptance.
    if (risen.length === 0) return [];
    const billing = new Map(risen.map((row) => [keyOf(row), row.billing]));
    const once = new Map(events.map(({ data }) => [keyOf(data), data]));
    return [...once].flatMap(([key, data]) => (billing.has(key) ? [acceptedMessage(data, billing.get(key) ?? null)] : []));
  }

  /** The rises that the history has of messages that were accepted in this transaction. */
  async risesOf(tx: Tx, messages: AcceptedMessage[]): Promise<StatusRise[]> {
    const rows = await tx.query<HistoryRow>(
      `SELECT h.business_id, h.message_id, h.status, h.occurred_at, h.error_code, h.error_text
       FROM ${MESSAGES.from('n')} JOIN status.history h ON h.business_id = n.business_id AND h.message_id = n.message_id`,
      MESSAGES.values(messages),
    );
    const reports = new Map<string, Report[]>();
    for (const row of rows.sort((a, b) => a.occurred_at.getTime() - b.occurred_at.getTime() || rankOf(a.status) - rankOf(b.status)))
      reports.set(keyOf(row), [...(reports.get(keyOf(row)) ?? []), reportOf(row)]);
    return messages.flatMap((message) => risesOf(1, reports.get(keyOf(message)) ?? []).map((rise) => ({ ...message, ...rise })));
  }

  /** Records sends that never became messages, under `gw_<intent>`. */
  async fail(tx: Tx, events: NotSentEvent[]): Promise<void> {
    await this.insertKeys(
      tx,
      events.map(({ business_id, at, data }) => ({ business_id, at, message_id: gatewayMessageId(data.intent_id) })),
    );
    await tx.query(
      `INSERT INTO status.records
         (business_id, message_id, month, recipient, sent_at, status, rank, failure_reason, type, template, text, sent_by, api_key_id, accepted,
          language, request_id)
       SELECT DISTINCT ON (business_id, message_id)
         business_id, message_id, ${MONTH}, recipient, at, 'failed', 3, reason, type, template, text, sent_by, key, false,
         language, request_id
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

  /** @returns the rises of accepted messages */
  async advance(tx: Tx, events: StatusEvent[]): Promise<StatusRise[]> {
    await this.appendHistory(tx, events);
    const prices = pricesOf(events);
    const known = events.flatMap((event) => {
      const rise = deliveryStatus(event.data.status);
      const reason = rise?.status === 'failed' ? failureReason(event.data.error) : null;
      const priced = prices.get(keyOf({ business_id: event.business_id, message_id: event.data.message_id })) ?? null;
      return rise ? [{ event, ...rise, reason, priced }] : [];
    });
    if (known.length === 0) return [];
    await this.insertKeys(
      tx,
      known.map(({ event: { business_id, data } }) => ({ business_id, message_id: data.message_id, at: data.occurred_at })),
    );
    // Sorted, so that two batches never deadlock. Keeps the highest rank of each message, the earliest of equal ranks, and the first price.
    const raised = await tx.query<RaisedRow>(
      `INSERT INTO status.records AS r (business_id, message_id, month, status, rank, failure_reason, billable, category, price_type, market)
       SELECT DISTINCT ON (business_id, message_id) business_id, message_id, ${MONTH}, status, rank, reason, billable, category, price_type, market
       FROM ${RISES.from('n', 'nth')}
       ORDER BY business_id, message_id, rank DESC, nth
       ON CONFLICT (business_id, message_id, month) DO UPDATE
         SET status = ${higher('status')}, rank = greatest(r.rank, excluded.rank), failure_reason = ${higher('failure_reason')},
           previous_rank = r.rank, billable = ${first('billable')}, category = ${first('category')}, price_type = ${first('price_type')},
           market = ${first('market')}
       WHERE r.rank < excluded.rank OR (r.category IS NULL AND excluded.category IS NOT NULL)
       RETURNING r.business_id, r.message_id, r.previous_rank, r.sent_at, r.recipient, r.type, r.sent_by, r.conversation_id, ${BILLING}`,
      RISES.values(known),
    );
    const reports = new Map<string, Report[]>();
    for (const { event, reason } of known) {
      const { status: word, error, occurred_at } = event.data;
      const report = { word, failure_reason: reason, error_code: error?.code ?? null, occurred_at };
      const key = keyOf({ business_id: event.business_id, message_id: event.data.message_id });
      const ofMessage = reports.get(key);
      if (ofMessage) ofMessage.push(report);
      else reports.set(key, [report]);
    }
    return raised.flatMap(({ previous_rank, sent_at, recipient: to, conversation_id, ...row }) => {
      if (previous_rank === null || sent_at === null || conversation_id === null) return [];
      const message = { ...row, business_id: Number(row.business_id), to, conversation_id: Number(conversation_id) };
      return risesOf(previous_rank, reports.get(keyOf(row)) ?? []).map((rise) => ({ ...message, ...rise }));
    });
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

function keyOf({ business_id, message_id }: { business_id: string | number; message_id: string }): string {
  return `${business_id}:${message_id}`;
}

function rankOf(word: string): number {
  return deliveryStatus(word)?.rank ?? 0;
}

/** The first price of each message that the events are about. */
function pricesOf(events: StatusEvent[]): Map<string, Priced> {
  const prices = new Map<string, Priced>();
  for (const { business_id, data } of events) {
    const key = keyOf({ business_id, message_id: data.message_id });
    if (!data.pricing || prices.has(key)) continue;
    prices.set(key, { ...data.pricing, market: (data.recipient !== null && marketOf(data.recipient)) || '' });
  }
  return prices;
}

function acceptedMessage(
  { message_id, to, type, sent_by, conversation_id, business_id }: AcceptedEvent['data'],
  billing: Billing | null,
): AcceptedMessage {
  return { message_id, to, type, sent_by, conversation_id, business_id, billing };
}

function reportOf({ status, occurred_at, error_code, error_text }: HistoryRow): Report {
  const error = error_text === null ? null : { code: error_code, text: error_text };
  return {
    word: status,
    failure_reason: status === 'failed' ? failureReason(error) : null,
    error_code,
    occurred_at: occurred_at.toISOString(),
  };
}
