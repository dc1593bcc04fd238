import { Injectable } from '@nestjs/common';
import type { ConversationRecord, ListConversations, ReplyOf, RequestOf, ThreadMessage } from '@mgw/contracts';
import { Database, pageOf, readCursor } from '@mgw/postgres';
import type { SuppressionState } from '../suppression/suppression';

interface ConversationRow {
  id: string;
  customer: string;
  name: string;
  last_inbound_at: Date | null;
  is_open: boolean;
  suppression: SuppressionState | null;
  created_at: Date;
  last_direction: 'in' | 'out' | null;
  last_type: string;
  last_text: string | null;
  last_at: Date;
  /** With all its digits, for the cursor. */
  activity: string;
}

interface MessageRow {
  message_id: string;
  direction: 'in' | 'out';
  type: string;
  text: string | null;
  media_type: string | null;
  media_id: string | null;
  mime_type: string | null;
  sent_by: string | null;
  template: string | null;
  at: Date;
  /** Both with all their digits, for the cursor. */
  exact_place: string;
  exact_came: string;
}

/**
 * Messages of both directions, newest first. The platform tells whole seconds: within one, a customer's message stands where it came
 * in, and those that came in later than their second stand at its end, as they came.
 * @param of SQL of the conversations' ids
 * @param before SQL of the place where the page before ended, NULL: none
 */
const messages = (of: string, before: { place: string; came: string; id: string }, limit: string) => `
  SELECT * FROM (
    SELECT message_id, 'in' AS direction, type, coalesce(text, caption) AS text, media_type, media_id, mime_type,
           NULL AS sent_by, NULL AS template, sent_at AS at,
           least(received_at, sent_at + interval '999 milliseconds') AS place, received_at AS came
    FROM send.inbound_messages WHERE conversation_id = ANY (${of})
    UNION ALL
    SELECT m.message_id, 'out', i.type, i.text, NULL, NULL, NULL, i.sent_by, i.template, m.accepted_at, m.accepted_at, m.accepted_at
    FROM send.messages m JOIN send.intents i ON i.id = m.intent_id WHERE m.conversation_id = ANY (${of})
  ) both_ways
  WHERE ${before.place}::timestamptz IS NULL OR (place, came, message_id) < (${before.place}, ${before.came}, ${before.id})
  ORDER BY place DESC, came DESC, message_id DESC LIMIT ${limit}`;

const PAGE = messages('$1', { place: '$2', came: '$3', id: '$4' }, '$5');
const LAST = messages('ARRAY[c.id]', { place: 'NULL', came: 'NULL', id: 'NULL' }, '1');

const CONVERSATION = `
  SELECT c.id, coalesce(c.phone, c.user_id, '') AS customer, c.name, c.last_inbound_at, c.created_at,
         coalesce(now() < c.last_inbound_at + interval '24 hours' AND c.last_inbound_at IS DISTINCT FROM c.window_denied_for, false) AS is_open,
         (SELECT s.state FROM send.suppressions s WHERE s.conversation_id = c.id AND s.state IS NOT NULL
          ORDER BY array_position(ARRAY['blocked', 'opted_out', 'opted_out_marketing'], s.state) LIMIT 1) AS suppression,
         coalesce(c.last_inbound_at, c.created_at)::text AS activity,
         last.direction AS last_direction, last.type AS last_type, last.text AS last_text, last.at AS last_at
  FROM send.conversations c
  LEFT JOIN LATERAL (${LAST}) last ON true`;

/** How many pages of conversations without a message one request passes over at most. */
const LOOKS = 20;

/** Reads conversations and their messages for people. */
@Injectable()
export class InboxStore {
  constructor(private readonly db: Database) {}

  /**
   * People of whom only a preference is known have a conversation without a message: they are passed over. The index knows nothing
   * of messages, so a request looks only so far: its page may be short, and the next one goes on from there.
   */
  async list({ business_id, limit, cursor, search }: RequestOf<typeof ListConversations>): Promise<ReplyOf<typeof ListConversations>> {
    const found: ConversationRow[] = [];
    let from = cursor;
    for (let look = 0; look < LOOKS; look++) {
      const { page, next_cursor } = pageOf(await this.rows(business_id, limit + 1, from, search), limit, placeOf);
      found.push(...page.filter(({ last_direction }) => last_direction !== null));
      from = next_cursor;
      if (from === null || found.length >= limit) break;
    }
    const { page, next_cursor } = pageOf(found, limit, placeOf);
    return { conversations: page.map(record), next_cursor: next_cursor ?? from };
  }

  private async rows(businessId: number, limit: number, cursor: string | null, search: string | null): Promise<ConversationRow[]> {
    const after = readCursor(cursor, ['time', 'id']);
    return this.db.query<ConversationRow>(
      `${CONVERSATION} WHERE c.business_id = $1 AND c.merged_into IS NULL
         AND (coalesce(c.last_inbound_at, c.created_at), c.id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::bigint, 0))
         AND ($5::text IS NULL OR c.phone LIKE $5 || '%' OR position(lower($5) IN lower(c.name)) > 0)
       ORDER BY coalesce(c.last_inbound_at, c.created_at) DESC, c.id DESC LIMIT $2`,
      [businessId, limit, after?.[0] ?? null, after?.[1] ?? null, search],
    );
  }

  /** Also by the id of a conversation that was merged into another. */
  async find(businessId: number, id: number): Promise<ConversationRecord | null> {
    const [row] = await this.db.query<ConversationRow>(
      `${CONVERSATION} WHERE c.business_id = $1 AND c.id = (SELECT coalesce(merged_into, id) FROM send.conversations WHERE id = $2)`,
      [businessId, id],
    );
    return row ? record(row) : null;
  }

  async messages(
    conversationId: number,
    limit: number,
    cursor: string | null,
  ): Promise<{ messages: ThreadMessage[]; next_cursor: string | null }> {
    const after = readCursor(cursor, ['time', 'time', 'text']);
    const ids = await this.db.query<{ id: string }>('SELECT id FROM send.conversations WHERE id = $1 OR merged_into = $1', [
      conversationId,
    ]);
    const rows = await this.db.query<MessageRow>(
      `SELECT page.*, place::text AS exact_place, came::text AS exact_came FROM (${PAGE}) page`,
      [ids.map(({ id }) => id), after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null, limit + 1],
    );
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.exact_place, row.exact_came, row.message_id]);
    return { messages: page.map(threadMessage), next_cursor };
  }
}

const placeOf = ({ activity, id }: ConversationRow) => [activity, id];

const DAY_MS = 86_400_000;

function record(row: ConversationRow): ConversationRecord {
  const { last_inbound_at, is_open } = row;
  return {
    id: Number(row.id),
    customer_phone: row.customer,
    customer_name: row.name,
    session_window: {
      open: is_open,
      last_inbound_at: last_inbound_at?.toISOString() ?? null,
      closes_at: is_open && last_inbound_at ? new Date(last_inbound_at.getTime() + DAY_MS).toISOString() : null,
    },
    suppression_state: row.suppression,
    last_message: row.last_direction && {
      direction: row.last_direction,
      type: row.last_type,
      text: row.last_text ?? '',
      at: row.last_at.toISOString(),
    },
    created_at: row.created_at.toISOString(),
  };
}

function threadMessage({
  media_type,
  media_id,
  mime_type,
  at,
  text,
  message_id,
  direction,
  type,
  sent_by,
  template,
}: MessageRow): ThreadMessage {
  const media = media_type !== null && media_id !== null ? { type: media_type, id: media_id, mime_type: mime_type ?? '' } : null;
  return { message_id, direction, type, text: text ?? '', media, sent_by, template, at: at.toISOString() };
}
