import { Injectable } from '@nestjs/common';
import type { Billing, DeliveryStatus, GetTimeline, ListMessages, LoggedMessage, ResponseOf, RequestOf } from '@mgw/contracts';
import { failureReason } from '@mgw/platform-api';
import { cursorOf, Database, examine, filteredPage, readCursor, type Examined } from '@mgw/postgres';
import { CURRENCY } from '../costs/rate-card.store';
import { BILLING } from '../records/billing-column';

interface LogRow {
  message_id: string;
  recipient: string;
  type: string | null;
  template: string | null;
  text: string;
  sent_by: string | null;
  api_key_id: string | null;
  accepted: boolean;
  status: DeliveryStatus;
  failure_reason: string | null;
  sent_at: Date;
  language: string | null;
  request_id: string | null;
  conversation_id: string | null;
  billing: Billing | null;
}

type FoundRow = LogRow & { amount: string | null; currency: string | null };

/** `exact` is `sent_at` in microseconds, for the cursor. */
type ListedRow = LogRow & Examined & { exact: string };

const COLUMNS = `message_id, recipient, type, template, text, sent_by, api_key_id, accepted, status, failure_reason, sent_at,
  language, request_id, conversation_id, ${BILLING}`;

/** @param condition one that an index serves in this order */
const listed = (condition: string) =>
  examine(
    `SELECT ${COLUMNS} FROM status.records r
     WHERE business_id = $1 AND ${condition} AND (sent_at, message_id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::text, ''))
       AND sent_at >= coalesce($8::timestamptz, '-infinity') AND sent_at <= coalesce($9::timestamptz, 'infinity')
     ORDER BY sent_at DESC, message_id DESC LIMIT $4`,
    `($6::text IS NULL OR row.status = $6)
       AND ($7::text IS NULL OR position(lower($7) IN lower(row.text)) > 0 OR row.template = $7 OR row.message_id = $7)
       AND ($10::text IS NULL OR row.template = $10) AND ($11::bigint IS NULL OR row.api_key_id = $11)
       AND ($12::text IS NULL OR row.sent_by = $12) AND ($13::text IS NULL OR row.type = $13)
       AND ($14::text IS NULL OR status.failure_code(row.status, row.failure_reason) = $14)
       AND ($15::text IS NULL OR position($15 IN row.recipient) > 0)`,
    { examined: '$4', returned: '$5', columns: 'sent_at::text AS exact' },
  );
const NEWEST = listed('sent_at IS NOT NULL');
const NEWEST_TO = listed('recipient = $16');

/** Reads the message log and the timeline of one message. */
@Injectable()
export class LogStore {
  constructor(private readonly db: Database) {}

  /** An index finds the messages of the business or of one phone number; status and text are compared row by row. */
  async list(request: RequestOf<typeof ListMessages>): Promise<ResponseOf<typeof ListMessages>> {
    const { business_id, limit, cursor, status, phone, search, from, to } = request;
    const { template, api_key_id, sent_by, type, failure_code, phone_part } = request;
    const optional = [from, to, template, api_key_id, sent_by, type, failure_code, phone_part].map((value) => value ?? null);
    const isSearch = search !== null && status === null && phone === null && optional.every((value) => value === null);
    readCursor(cursor, ['time', 'text']);
    const match = isSearch && cursor === null ? await this.find(business_id, search) : null;
    if (match) return { messages: [toLoggedMessage(match)], next_cursor: null, cursors: [] };
    const { page, next_cursor } = await filteredPage<ListedRow>(
      limit,
      cursor,
      (scan) => {
        const [at, id] = readCursor(scan.cursor, ['time', 'text']) ?? [null, null];
        const values = [business_id, at, id, scan.examined, scan.returned, status, search, ...optional];
        return phone === null
          ? this.db.reads(business_id).query<ListedRow>(NEWEST, values)
          : this.db.reads(business_id).query<ListedRow>(NEWEST_TO, [...values, phone]);
      },
      positionOf,
    );
    return { messages: page.map(toLoggedMessage), next_cursor, cursors: page.map((row) => cursorOf(positionOf(row))) };
  }

  async timeline({
    business_id: businessId,
    message_id: messageId,
    timezone,
  }: RequestOf<typeof GetTimeline>): Promise<ResponseOf<typeof GetTimeline>> {
    const row = await this.find(businessId, messageId, timezone);
    if (!row) return { message: null, timeline: [] };
    const history = await this.db
      .reads(businessId)
      .query<{ status: string; occurred_at: Date; error_code: number | null; error_text: string | null }>(
        `SELECT status, occurred_at, error_code, error_text FROM status.history WHERE business_id = $1 AND message_id = $2
       ORDER BY occurred_at, array_position(ARRAY['sent', 'delivered', 'read', 'played', 'failed'], status)`,
        [businessId, messageId],
      );
    const message = toLoggedMessage(row);
    const first = row.accepted
      ? { status: 'accepted', at: message.sent_at, reason: null }
      : { status: 'failed', at: message.sent_at, reason: row.failure_reason };
    const { amount, currency } = row;
    return {
      message,
      ...(amount !== null && currency !== null && { cost: { amount, currency } }),
      timeline: [
        first,
        ...history.map(({ status, occurred_at, error_code: code, error_text: text }) => ({
          status,
          at: occurred_at.toISOString(),
          reason: status === 'failed' ? failureReason(text === null ? null : { code, text }) : null,
        })),
      ],
    };
  }

  /** Returns null until the acceptance of the message is recorded. */
  private async find(businessId: number, messageId: string, timezone = 'UTC'): Promise<FoundRow | null> {
    const [row] = await this.db.reads(businessId).query<Omit<FoundRow, 'sent_at'> & { sent_at: Date | null }>(
      `SELECT ${COLUMNS},
         CASE WHEN r.billable AND r.status IN ('delivered', 'read')
           THEN trim_scale(status.rate_of(r.market, r.category, (r.sent_at AT TIME ZONE $3)::date))::text END AS amount,
         ${CURRENCY} AS currency
       FROM status.records r WHERE business_id = $1 AND message_id = $2
         AND month = (SELECT month FROM status.record_keys WHERE business_id = $1 AND message_id = $2)`,
      [businessId, messageId, timezone],
    );
    return row?.sent_at ? { ...row, sent_at: row.sent_at } : null;
  }
}

const positionOf = (row: ListedRow) => [row.exact, row.message_id];

function toLoggedMessage(row: LogRow): LoggedMessage {
  return {
    message_id: row.message_id,
    to: row.recipient,
    type: row.type ?? 'unknown',
    template: row.template,
    text: row.text,
    sent_by: row.sent_by ?? 'unknown',
    api_key_id: row.api_key_id === null ? null : Number(row.api_key_id),
    api_status: row.accepted ? 'success' : 'failed',
    delivery_status: row.status,
    failure_reason: row.failure_reason,
    sent_at: row.sent_at.toISOString(),
    ...(row.language !== null && { language: row.language }),
    ...(row.request_id !== null && { request_id: row.request_id }),
    ...(row.conversation_id !== null && { conversation_id: Number(row.conversation_id) }),
    ...(row.billing && { billing: row.billing }),
  };
}
