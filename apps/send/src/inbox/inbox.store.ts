import { Injectable } from '@nestjs/common';
import type { ConversationRecord, GetThread, ListConversations, ReplyOf, RequestOf, ThreadMessage } from '@mgw/contracts';
import { Database, examine, filteredPage, onRow, pageOf, readCursor, type Examined } from '@mgw/postgres';
import { searchTerms, type SearchTerms } from './search-terms';
import type { SuppressionState } from '../suppression/suppression';

interface ConversationRow extends Examined {
  id: string;
  customer: string;
  name: string;
  last_inbound_at: Date | null;
  /** Null when the window is closed. */
  closes_at: Date | null;
  suppression: SuppressionState | null;
  created_at: Date;
  last_direction: 'in' | 'out' | null;
  last_type: string;
  last_text: string | null;
  last_at: Date;
  /** Last activity in microseconds, for the cursor. */
  exact: string;
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
  /** Both in microseconds, for the cursor. */
  exact_place: string;
  exact_came: string;
}

/**
 * SQL: the position of a customer's message in its thread. WhatsApp's times have whole seconds; messages of one second keep their order of
 * arrival, and a late message comes last in its second. An index has exactly this expression.
 */
const INBOUND_PLACE = `least(received_at AT TIME ZONE 'UTC', sent_at AT TIME ZONE 'UTC' + interval '999 milliseconds')`;

/** SQL of the last row of the previous page, after which the next page starts. */
interface PageStart {
  place: string;
  came: string;
  id: string;
}
const FIRST_PAGE: PageStart = { place: `'infinity'::timestamptz`, came: `'infinity'::timestamptz`, id: `''` };

/**
 * SQL of messages in both directions, newest first. Each branch reads at most one page of rows.
 * @param ids SQL of a set of conversation ids
 */
const threadSql = (ids: string, { place, came, id }: PageStart, limit: string) => `
  SELECT thread.* FROM ${ids} AS part (id) CROSS JOIN LATERAL (
    (SELECT message_id, 'in' AS direction, type, coalesce(text, caption) AS text, media_type, media_id, mime_type,
            NULL AS sent_by, NULL AS template, sent_at AS at, ${INBOUND_PLACE} AT TIME ZONE 'UTC' AS place, received_at AS came
     FROM send.inbound_messages
     WHERE conversation_id = part.id AND ${INBOUND_PLACE} <= ${place} AT TIME ZONE 'UTC'
       AND (${INBOUND_PLACE}, received_at, message_id) < (${place} AT TIME ZONE 'UTC', ${came}, ${id})
     ORDER BY ${INBOUND_PLACE} DESC, received_at DESC, message_id DESC LIMIT ${limit})
    UNION ALL
    SELECT m.message_id, 'out', coalesce(i.type, 'unknown'), i.text, NULL, NULL, NULL, i.sent_by, i.template, m.accepted_at, m.accepted_at, m.accepted_at
    FROM (
      SELECT message_id, intent_id, accepted_at FROM send.messages
      WHERE conversation_id = part.id AND accepted_at <= ${place} AND (accepted_at, accepted_at, message_id) < (${place}, ${came}, ${id})
      ORDER BY accepted_at DESC, message_id DESC LIMIT ${limit}
    ) m LEFT JOIN send.intents i ON i.id = m.intent_id
  ) thread
  ORDER BY place DESC, came DESC, message_id DESC LIMIT ${limit}`;

const THREAD_PAGE = threadSql(
  'unnest($1::bigint[])',
  { place: `coalesce($2::timestamptz, 'infinity')`, came: `coalesce($3::timestamptz, 'infinity')`, id: `coalesce($4::text, '')` },
  '$5',
);
const LAST_MESSAGE = threadSql('(SELECT c.id)', FIRST_PAGE, '1');

const CONVERSATION = `
  SELECT c.*, coalesce(c.phone, c.user_id, '') AS customer,
         CASE WHEN send.window_open(c.last_inbound_at, c.window_denied_for, now()) THEN send.window_closes_at(c.last_inbound_at) END AS closes_at,
         (SELECT s.state FROM send.suppressions s WHERE s.conversation_id = c.id AND s.state IS NOT NULL
          ORDER BY send.suppression_strictness(s.state) LIMIT 1) AS suppression,
         last.direction AS last_direction, last.type AS last_type, last.text AS last_text, last.at AS last_at`;

const COLUMNS = 'id, phone, user_id, name, last_inbound_at, window_denied_for, created_at';
const ACTIVITY = 'coalesce(last_inbound_at, created_at)';

/**
 * SQL of a page of conversations, without those that have no message (only a preference or a suppression).
 * @param which a condition that an index serves
 */
const conversationsSql = (which: string) => `${CONVERSATION}
  FROM (${examine(
    `SELECT ${COLUMNS}, ${ACTIVITY} AS activity FROM send.conversations
     WHERE business_id = $1 AND ${which} AND (${ACTIVITY}, id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::bigint, 0))
     ORDER BY ${ACTIVITY} DESC, id DESC LIMIT $4`,
    `($6::text IS NULL OR starts_with(row.phone, $7) OR right(row.phone, length($7)) = $7
        OR position(' ' || lower($6) IN ' ' || lower(row.name)) > 0)
       AND (row.last_inbound_at IS NOT NULL OR EXISTS (SELECT FROM send.messages m WHERE m.conversation_id = row.id))`,
    { examined: '$4', returned: '$5', columns: 'activity::text AS exact' },
  )}) c LEFT JOIN LATERAL (${LAST_MESSAGE}) last ON true ORDER BY c.nth`;
const ALL_CONVERSATIONS = conversationsSql('merged_into IS NULL');
const CANDIDATE_CONVERSATIONS = conversationsSql(`id = ANY ($8::bigint[]) AND ${onRow('merged_into IS NULL')}`);

/** Maximum matches of a search in the indexes. With more, the search scans the newest conversations. */
const MAX_CANDIDATES = 499;
const LAST_CHARACTER = '\u{10FFFF}';

/** Sources: 1 beginning of a number, 2 end of a number, 3 beginning of a name's word, 4 whole word of a name. */
const FIND_CANDIDATES = `
  (SELECT 1 AS source, conversation_id AS id FROM send.conversation_aliases
   WHERE business_id = $1 AND alias COLLATE "C" >= $2 AND alias COLLATE "C" < $2 || '${LAST_CHARACTER}' LIMIT ${MAX_CANDIDATES + 1})
  UNION ALL
  (SELECT 2, conversation_id FROM send.conversation_aliases
   WHERE business_id = $1 AND reverse(alias) COLLATE "C" >= reverse($2) AND reverse(alias) COLLATE "C" < reverse($2) || '${LAST_CHARACTER}'
   LIMIT ${MAX_CANDIDATES + 1})
  UNION ALL
  (SELECT 3, conversation_id FROM send.conversation_words
   WHERE business_id = $1 AND word >= lower($3) AND word < lower($3) || '${LAST_CHARACTER}' LIMIT ${MAX_CANDIDATES + 1})
  UNION ALL
  (SELECT 4, conversation_id FROM send.conversation_words WHERE business_id = $1 AND word = lower($4) LIMIT ${MAX_CANDIDATES + 1})`;

/** Reads conversations and their messages for the dashboard. */
@Injectable()
export class InboxStore {
  constructor(private readonly db: Database) {}

  /** Searches with indexes. If they find too many conversations, scans a bounded number of the newest. */
  async list({ business_id, limit, cursor, search }: RequestOf<typeof ListConversations>): Promise<ReplyOf<typeof ListConversations>> {
    readCursor(cursor, ['time', 'id']);
    const terms = search === null ? null : searchTerms(search);
    const candidates = terms && (await this.findCandidates(business_id, terms));
    const { page, next_cursor } = await filteredPage<ConversationRow>(
      limit,
      cursor,
      (look) => {
        const [at, id] = readCursor(look.cursor, ['time', 'id']) ?? [null, null];
        const values = [business_id, at, id, look.examined, look.returned, terms?.text ?? null, terms?.digits ?? null];
        return candidates === null
          ? this.db.reads(business_id).query<ConversationRow>(ALL_CONVERSATIONS, values)
          : this.db.reads(business_id).query<ConversationRow>(CANDIDATE_CONVERSATIONS, [...values, candidates]);
      },
      ({ exact, id }) => [exact, id],
    );
    return { conversations: page.map(toConversationRecord), next_cursor };
  }

  /** @returns null if the indexes find more than MAX_CANDIDATES */
  private async findCandidates(businessId: number, { digits, beginning, whole }: SearchTerms): Promise<string[] | null> {
    const values = [businessId, digits, beginning, whole];
    const found = await this.db.reads(businessId).query<{ source: number; id: string }>(FIND_CANDIDATES, values);
    const fromSource = (source: number) => found.filter((candidate) => candidate.source === source).map(({ id }) => id);
    const isTooMany = (ids: string[]) => ids.length > MAX_CANDIDATES;
    const numbers = [fromSource(1), fromSource(2)];
    // A matching name has both words, so the rarer one suffices.
    const named = (whole === null ? [fromSource(3)] : [fromSource(4), fromSource(3)]).find((ids) => !isTooMany(ids));
    const ids = new Set([...numbers.flat(), ...(named ?? [])]);
    return named === undefined || numbers.some(isTooMany) || ids.size > MAX_CANDIDATES ? null : [...ids];
  }

  /** @param id a merged conversation's id finds the conversation that it was merged into */
  async find(businessId: number, id: number): Promise<ConversationRecord | null> {
    const [row] = await this.db.reads(businessId).query<ConversationRow>(
      `${CONVERSATION} FROM send.conversations c LEFT JOIN LATERAL (${LAST_MESSAGE}) last ON true
       WHERE c.business_id = $1 AND c.id = (SELECT coalesce(merged_into, id) FROM send.conversations WHERE id = $2)`,
      [businessId, id],
    );
    return row ? toConversationRecord(row) : null;
  }

  async messages(
    { business_id, limit, cursor }: Pick<RequestOf<typeof GetThread>, 'business_id' | 'limit' | 'cursor'>,
    conversationId: number,
  ): Promise<{ messages: ThreadMessage[]; next_cursor: string | null }> {
    const after = readCursor(cursor, ['time', 'time', 'text']);
    const reads = this.db.reads(business_id);
    const ids = await reads.query<{ id: string }>(
      'SELECT id FROM send.conversations WHERE id = $1 UNION ALL SELECT id FROM send.conversations WHERE merged_into = $1',
      [conversationId],
    );
    const rows = await reads.query<MessageRow>(
      `SELECT page.*, place::text AS exact_place, came::text AS exact_came FROM (${THREAD_PAGE}) page`,
      [ids.map(({ id }) => id), after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null, limit + 1],
    );
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.exact_place, row.exact_came, row.message_id]);
    return { messages: page.map(toThreadMessage), next_cursor };
  }
}

function toConversationRecord(row: ConversationRow): ConversationRecord {
  const { last_inbound_at, closes_at } = row;
  return {
    id: Number(row.id),
    customer_phone: row.customer,
    customer_name: row.name,
    session_window: {
      open: closes_at !== null,
      last_inbound_at: last_inbound_at?.toISOString() ?? null,
      closes_at: closes_at?.toISOString() ?? null,
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

function toThreadMessage({
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
