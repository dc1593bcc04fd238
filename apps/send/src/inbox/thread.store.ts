import { Injectable } from '@nestjs/common';
import {
  NEWEST_NOTES,
  type GetThread,
  type InboundDetails,
  type Note,
  type ResponseOf,
  type RequestOf,
  type SentDetails,
  type ThreadMessage,
} from '@mgw/contracts';
import { countFitting, Database, pageOf, readCursor } from '@mgw/postgres';

/** Bytes of texts and details of a page, as JSON. NATS carries 8 MB, and a hundred of the longest messages have more. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

export interface ContentRow {
  message_id: string;
  type: string;
  text: string | null;
  media_type: string | null;
  media_id: string | null;
  mime_type: string | null;
  details: (InboundDetails & SentDetails) | null;
  edited_at: Date | null;
  deleted_at: Date | null;
}

interface MessageRow extends ContentRow {
  direction: 'in' | 'out';
  sent_by: string | null;
  template: string | null;
  user_id: string | null;
  api_key_id: string | null;
  at: Date;
  /** Both in microseconds, for the cursor. */
  exact_place: string;
  exact_came: string;
}

/**
 * SQL: the position of a customer's message in its thread. WhatsApp's times have whole seconds; messages of one second keep their order of
 * arrival, and a late message comes last in its second. An index has exactly this expression.
 */
export const INBOUND_PLACE = `least(received_at AT TIME ZONE 'UTC', sent_at AT TIME ZONE 'UTC' + interval '999 milliseconds')`;

/** SQL of the cursor's row, the last one of the previous page. */
interface PageStart {
  place: string;
  came: string;
  id: string;
}
const FIRST_PAGE: PageStart = { place: `'infinity'::timestamptz`, came: `'infinity'::timestamptz`, id: `''` };

/**
 * SQL of messages in both directions, newest first. Each branch reads at most one page of rows.
 * @param ids SQL of a set of conversation ids
 * @param more SQL of further branches, for the same page
 */
const threadSql = (
  ids: string,
  { place, came, id }: PageStart,
  limit: string,
  more: (start: PageStart, limit: string) => string = () => '',
) => `
  SELECT thread.*, part.id AS conversation_id FROM ${ids} AS part (id) CROSS JOIN LATERAL (
    SELECT m.message_id, 'in' AS direction, m.type, coalesce(c.text, m.text, m.caption) AS text, m.media_type, m.media_id, m.mime_type,
           m.details, c.edited_at, c.deleted_at, NULL AS sent_by, NULL AS template, NULL AS user_id, NULL AS api_key_id, m.sent_at AS at, m.place, m.received_at AS came
    FROM (
      SELECT *, ${INBOUND_PLACE} AT TIME ZONE 'UTC' AS place FROM send.inbound_messages
      WHERE conversation_id = part.id AND ${INBOUND_PLACE} <= ${place} AT TIME ZONE 'UTC'
        AND (${INBOUND_PLACE}, received_at, message_id) < (${place} AT TIME ZONE 'UTC', ${came}, ${id})
      ORDER BY ${INBOUND_PLACE} DESC, received_at DESC, message_id DESC LIMIT ${limit}
    ) m LEFT JOIN send.message_changes c ON c.business_id = m.business_id AND c.message_id = m.message_id
    UNION ALL
    SELECT m.message_id, 'out', coalesce(i.type, 'unknown'), i.text, NULL, NULL, NULL, i.details, NULL, NULL, i.sent_by, i.template, i.user_id, i.api_key_id,
           m.accepted_at, m.accepted_at, m.accepted_at
    FROM (
      SELECT message_id, intent_id, accepted_at FROM send.messages
      WHERE conversation_id = part.id AND accepted_at <= ${place} AND (accepted_at, accepted_at, message_id) < (${place}, ${came}, ${id})
      ORDER BY accepted_at DESC, message_id DESC LIMIT ${limit}
    ) m LEFT JOIN send.intents i ON i.id = m.intent_id
    ${more({ place, came, id }, limit)}
  ) thread
  ORDER BY place DESC, came DESC, message_id DESC LIMIT ${limit}`;

/** SQL of colleagues' notes. */
const notes = ({ place, came, id }: PageStart, limit: string) => `UNION ALL
    SELECT message_id, 'out', 'note', text, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, user_id, NULL, created_at, created_at, created_at
    FROM (
      SELECT 'note:' || n.id AS message_id, text, user_id, created_at FROM send.notes n
      WHERE conversation_id = part.id AND created_at <= ${place} AND (created_at, created_at, 'note:' || n.id) < (${place}, ${came}, ${id})
      ORDER BY created_at DESC, 'note:' || n.id DESC LIMIT ${limit}
    ) n`;

const IDS = 'unnest($1::bigint[])';
const START: PageStart = {
  place: `coalesce($2::timestamptz, 'infinity')`,
  came: `coalesce($3::timestamptz, 'infinity')`,
  id: `coalesce($4::text, '')`,
};
const THREAD_PAGE = threadSql(IDS, START, '$5');
const PAGE_WITH_NOTES = threadSql(IDS, START, '$5', notes);
/** SQL of the newest notes. Each branch reads a few rows of the index of its conversation. */
const NOTES = `
  SELECT 'note:' || n.id AS message_id, n.text, n.user_id, n.created_at AS at
  FROM ${IDS} AS part (id) CROSS JOIN LATERAL (
    SELECT id, text, user_id, created_at FROM send.notes
    WHERE conversation_id = part.id ORDER BY created_at DESC, 'note:' || id DESC LIMIT ${NEWEST_NOTES}
  ) n
  ORDER BY n.created_at DESC, message_id DESC LIMIT ${NEWEST_NOTES}`;
/** SQL of the ids of a conversation and of those that were merged into it. @param row a row with the `id` of a conversation */
export const partsOf = (row: string) =>
  `(SELECT ${row}.id UNION ALL SELECT part.id FROM send.conversations part WHERE part.merged_into = ${row}.id)`;
/** SQL of the last message of conversation `c`. */
export const LAST_MESSAGE = threadSql(partsOf('c'), FIRST_PAGE, '1');

/** Reads the messages of a conversation for the dashboard. */
@Injectable()
export class ThreadStore {
  constructor(private readonly db: Database) {}

  /**
   * @returns a page of messages, newest first, including those of conversations that were merged into this one; with the first page also the
   * newest notes of the conversation, if `notes` is true
   */
  async page(
    { business_id, limit, cursor, notes = false }: Omit<RequestOf<typeof GetThread>, 'conversation_id'>,
    conversationId: number,
  ): Promise<Omit<ResponseOf<typeof GetThread>, 'conversation'>> {
    const after = readCursor(cursor, ['time', 'time', 'text']);
    const reads = this.db.reads(business_id);
    const found = await reads.query<{ id: string }>(
      'SELECT id FROM send.conversations WHERE id = $1 UNION ALL SELECT id FROM send.conversations WHERE merged_into = $1',
      [conversationId],
    );
    const ids = found.map(({ id }) => id);
    const rows = await reads.query<MessageRow>(
      `SELECT page.*, place::text AS exact_place, came::text AS exact_came FROM (${notes ? PAGE_WITH_NOTES : THREAD_PAGE}) page`,
      [ids, after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null, limit + 1],
    );
    const { page, next_cursor } = pageOf(rows, Math.min(limit, countOnPage(rows)), (row) => [
      row.exact_place,
      row.exact_came,
      row.message_id,
    ]);
    const messages = page.map(toThreadMessage);
    if (!notes || after) return { messages, next_cursor };
    return { messages, newest_notes: notesAmong(page, next_cursor === null) ?? (await this.notes(business_id, ids)), next_cursor };
  }

  private async notes(businessId: number, ids: string[]): Promise<Note[]> {
    return (await this.db.reads(businessId).query<NoteRow>(NOTES, [ids])).map(toNote);
  }
}

type NoteRow = Pick<MessageRow, 'message_id' | 'text' | 'user_id' | 'at'>;

/** @returns the newest notes, or null if the page does not have them: an open thread is read every few seconds */
function notesAmong(page: MessageRow[], isWhole: boolean): Note[] | null {
  const notes = page.filter(({ type }) => type === 'note').slice(0, NEWEST_NOTES);
  return isWhole || notes.length === NEWEST_NOTES ? notes.map(toNote) : null;
}

const toNote = ({ message_id, text, user_id, at }: NoteRow): Note => ({
  message_id,
  text: text ?? '',
  user_id: Number(user_id),
  at: at.toISOString(),
});

/** How many of the rows fit into a page, at least one. */
export function countOnPage(rows: ContentRow[]): number {
  return countFitting(rows, MAX_PAGE_BYTES, ({ text, details }) => Buffer.byteLength(JSON.stringify([text, details])));
}

function toThreadMessage(row: MessageRow): ThreadMessage {
  const { direction, sent_by, template, user_id, api_key_id, at } = row;
  return {
    ...contentOf(row),
    direction,
    sent_by,
    template,
    ...(user_id !== null && { user_id: Number(user_id) }),
    ...(api_key_id !== null && { api_key_id: Number(api_key_id) }),
    at: at.toISOString(),
  };
}

export function contentOf(row: ContentRow) {
  const { message_id, type, text, media_type, media_id, mime_type, details, edited_at, deleted_at } = row;
  const media = media_type !== null && media_id !== null ? { type: media_type, id: media_id, mime_type: mime_type ?? '' } : null;
  return {
    ...details,
    message_id,
    type,
    text: text ?? '',
    media,
    ...(edited_at && { edited_at: edited_at.toISOString() }),
    ...(deleted_at && { deleted_at: deleted_at.toISOString() }),
  };
}
