import { Injectable } from '@nestjs/common';
import type { InboundMessage, ListInboundMessages, ResponseOf, RequestOf } from '@mgw/contracts';
import { cursorOf, Database, onRow, pageOf, readCursor } from '@mgw/postgres';
import { contentOf, countOnPage, partsOf, type ContentRow } from './thread.store';

interface InboundRow extends ContentRow {
  sent_by: string;
  sent_by_name: string;
  sent_at: Date;
  /** `sent_at` in microseconds, for the cursor. */
  exact: string;
}

const BOUNDS = `(m.sent_at, m.message_id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::text, ''))
      AND m.sent_at >= coalesce($4::timestamptz, '-infinity') AND m.sent_at <= coalesce($5::timestamptz, 'infinity')`;
/**
 * @param which a condition on `m` that an index serves
 * @param within makes a condition of the page's bounds
 */
const inboundSql = (which: string, within = (bounds: string) => bounds) => `
  SELECT m.message_id, m.type, coalesce(c.text, m.text, m.caption) AS text, m.media_type, m.media_id, m.mime_type, m.details,
         c.edited_at, c.deleted_at, m.sent_at, m.sent_at::text AS exact, coalesce(p.phone, p.user_id, '') AS sent_by, p.name AS sent_by_name
  FROM (
    SELECT m.* FROM send.inbound_messages m
    WHERE ${which} AND ${within(BOUNDS)}
    ORDER BY m.sent_at DESC, m.message_id DESC LIMIT $6
  ) m
  JOIN send.conversations o ON o.id = m.conversation_id JOIN send.conversations p ON p.id = coalesce(o.merged_into, o.id)
  LEFT JOIN send.message_changes c ON c.business_id = m.business_id AND c.message_id = m.message_id
  ORDER BY m.sent_at DESC, m.message_id DESC`;
const ALL = inboundSql('-m.business_id = -$1::bigint');
/**
 * Messages of one person, including those in conversations that were merged. Only the index of conversations can serve it: one of the business's newest
 * messages would be read from its start (decision 735).
 */
const FROM_PERSON = inboundSql(
  `m.conversation_id = ANY (ARRAY(
    SELECT part.id FROM (SELECT conversation_id AS id FROM send.conversation_aliases WHERE business_id = $1 AND alias = $7) person
    CROSS JOIN LATERAL ${partsOf('person')} AS part (id)))`,
  onRow,
);

/** Reads the messages that people sent, for the message log by key. */
@Injectable()
export class InboundLogStore {
  constructor(private readonly db: Database) {}

  async list(request: RequestOf<typeof ListInboundMessages>): Promise<ResponseOf<typeof ListInboundMessages>> {
    const { business_id, limit, cursor, phone, from = null, to = null } = request;
    const [at, id] = readCursor(cursor, ['time', 'text']) ?? [null, null];
    const values = [business_id, at, id, from, to, limit + 1];
    const reads = this.db.reads(business_id);
    const rows = await (phone === null ? reads.query<InboundRow>(ALL, values) : reads.query<InboundRow>(FROM_PERSON, [...values, phone]));
    const { page, next_cursor } = pageOf(rows, Math.min(limit, countOnPage(rows)), positionOf);
    return { messages: page.map(toInboundMessage), next_cursor, cursors: page.map((row) => cursorOf(positionOf(row))) };
  }
}

const positionOf = ({ exact, message_id }: InboundRow) => [exact, message_id];

function toInboundMessage(row: InboundRow): InboundMessage {
  return { ...contentOf(row), from: row.sent_by, from_name: row.sent_by_name, sent_at: row.sent_at.toISOString() };
}
