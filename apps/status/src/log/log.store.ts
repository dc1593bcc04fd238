import { Injectable } from '@nestjs/common';
import type { DeliveryStatus, GetTimeline, GetUsage, ListMessages, LoggedMessage, ReplyOf, RequestOf } from '@mgw/contracts';
import { failureReason } from '@mgw/platform-api';
import { Database, pageOf, readCursor } from '@mgw/postgres';

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
  /** With all its digits, for the cursor. */
  exact: string;
}

const COLUMNS = `message_id, recipient, type, template, text, sent_by, api_key_id, accepted, status, failure_reason, sent_at, sent_at::text AS exact`;

/** Reads what was sent, for people: the log, one message's story, and figures. */
@Injectable()
export class LogStore {
  constructor(private readonly db: Database) {}

  async list({ business_id, limit, cursor, status, phone, search }: RequestOf<typeof ListMessages>): Promise<ReplyOf<typeof ListMessages>> {
    const after = readCursor(cursor, ['time', 'text']);
    const rows = await this.db.query<LogRow>(
      `SELECT ${COLUMNS} FROM status.records
       WHERE business_id = $1 AND sent_at IS NOT NULL
         AND sent_at <= coalesce($3::timestamptz, 'infinity') AND ($3::timestamptz IS NULL OR (sent_at, message_id) < ($3, $4))
         AND ($5::text IS NULL OR status = $5) AND ($6::text IS NULL OR recipient = $6)
         AND ($7::text IS NULL OR position(lower($7) IN lower(text)) > 0 OR template = $7 OR message_id = $7)
       ORDER BY sent_at DESC, message_id DESC LIMIT $2`,
      [business_id, limit + 1, after?.[0] ?? null, after?.[1] ?? null, status, phone, search],
    );
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.exact, row.message_id]);
    return { messages: page.map(logged), next_cursor };
  }

  async timeline(businessId: number, messageId: string): Promise<ReplyOf<typeof GetTimeline>> {
    const [row] = await this.db.query<Omit<LogRow, 'sent_at'> & { sent_at: Date | null }>(
      `SELECT ${COLUMNS} FROM status.records WHERE business_id = $1 AND message_id = $2
         AND month = (SELECT month FROM status.record_keys WHERE business_id = $1 AND message_id = $2)`,
      [businessId, messageId],
    );
    if (!row?.sent_at) return { message: null, timeline: [] };
    const history = await this.db.query<{ status: string; occurred_at: Date; error_code: number | null; error_text: string | null }>(
      `SELECT status, occurred_at, error_code, error_text FROM status.history WHERE business_id = $1 AND message_id = $2
       ORDER BY occurred_at, array_position(ARRAY['sent', 'delivered', 'read', 'played', 'failed'], status)`,
      [businessId, messageId],
    );
    const message = logged({ ...row, sent_at: row.sent_at });
    const first = row.accepted
      ? { status: 'accepted', at: message.sent_at, reason: null }
      : { status: 'failed', at: message.sent_at, reason: row.failure_reason };
    return {
      message,
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

  async usage({ business_id, from, to, timezone }: RequestOf<typeof GetUsage>): Promise<ReplyOf<typeof GetUsage>['usage']> {
    const rows = await this.db.query<Record<'sent' | 'delivered' | 'read' | 'failed' | 'refused', string> & { day: string; kind: string }>(
      `SELECT to_char(sent_at AT TIME ZONE $4, 'YYYY-MM-DD') AS day, coalesce(type, 'unknown') AS kind,
              count(*) FILTER (WHERE accepted) AS sent,
              count(*) FILTER (WHERE accepted AND status IN ('delivered', 'read')) AS delivered,
              count(*) FILTER (WHERE accepted AND status = 'read') AS read,
              count(*) FILTER (WHERE accepted AND status = 'failed') AS failed,
              count(*) FILTER (WHERE NOT accepted) AS refused
       FROM status.records
       WHERE business_id = $1 AND sent_at >= $2::date::timestamp AT TIME ZONE $4 AND sent_at < ($3::date + 1)::timestamp AT TIME ZONE $4
       GROUP BY 1, 2 ORDER BY 1, 2`,
      [business_id, from, to, timezone],
    );
    return rows.map(({ day, kind, sent, delivered, read, failed, refused }) => ({
      day,
      kind,
      sent: Number(sent),
      delivered: Number(delivered),
      read: Number(read),
      failed: Number(failed),
      refused: Number(refused),
    }));
  }
}

function logged(row: LogRow): LoggedMessage {
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
  };
}
