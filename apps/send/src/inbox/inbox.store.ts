import { Injectable } from '@nestjs/common';
import {
  INBOX_VIEWS,
  MAX_COUNT,
  type ConversationRecord,
  type InboxView,
  type ListConversations,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { Database, examine, filteredPage, onRow, readCursor, type Examined } from '@mgw/postgres';
import type { SuppressionState } from '../suppression/suppression';
import { findByWords, findCandidates } from './search-candidates';
import { searchTerms, type SearchTerms } from './search-terms';
import { LAST_MESSAGE, partsOf } from './thread.store';

interface ConversationRow extends Examined {
  id: string;
  customer: string;
  name: string;
  last_inbound_at: Date | null;
  /** Null when the window is closed. */
  closes_at: Date | null;
  suppression: SuppressionState | null;
  created_at: Date;
  first_inbound_at: Date | null;
  assigned_to: string | null;
  closed_at: Date | null;
  waiting_since: Date | null;
  last_received_at: Date | null;
  unread_count: number;
  labels: string[];
  auto_reply: boolean;
  /** The place of the conversation in its view. */
  rank: number;
  last_direction: 'in' | 'out' | null;
  last_type: string;
  last_text: string | null;
  last_sent_by: string | null;
  last_user_id: string | null;
  last_conversation_id: string;
  last_at: Date;
  /** Last activity in microseconds, for the cursor. */
  exact: string;
}

const CONVERSATION = `
  SELECT c.*, coalesce(c.phone, c.user_id, '') AS customer,
         CASE WHEN send.window_open(c.last_inbound_at, c.window_denied_for, now()) THEN send.window_closes_at(c.last_inbound_at) END AS closes_at,
         (SELECT s.state FROM send.suppressions s WHERE s.conversation_id = c.id AND s.state IS NOT NULL
          ORDER BY send.suppression_strictness(s.state) LIMIT 1) AS suppression,
         ARRAY(SELECT l.name FROM send.conversation_labels cl JOIN send.labels l ON l.id = cl.label_id
               WHERE cl.conversation_id = c.id ORDER BY l.name) AS labels,
         last.direction AS last_direction, last.type AS last_type, last.text AS last_text, last.at AS last_at,
         last.sent_by AS last_sent_by, last.user_id AS last_user_id, last.conversation_id AS last_conversation_id`;

const COLUMNS = `id, phone, user_id, name, first_inbound_at, last_inbound_at, window_denied_for, created_at, assigned_to, closed_at, waiting_since,
  last_received_at, unread_count, auto_reply`;
const ACTIVITY = 'coalesce(last_inbound_at, created_at)';
/** 2 waits for a reply, 1 is open, 0 is closed. Indexes have exactly this expression. */
const RANK = 'CASE WHEN closed_at IS NOT NULL THEN 0 WHEN waiting_since IS NULL THEN 1 ELSE 2 END';
const WROTE = 'merged_into IS NULL AND last_inbound_at IS NOT NULL';

/** SQL of the condition of each view; `$4` is the user. */
const VIEWS: Record<InboxView, string> = {
  mine: 'assigned_to = $4::bigint AND closed_at IS NULL',
  // Filtered by `unassigned`: an index of those that nobody handles would cost a write with every message.
  unassigned: `(${RANK}) >= 1`,
  open: `(${RANK}) >= 1`,
  closed: `(${RANK}) = 0`,
  all: 'true',
};
/** Filters by label `$2`, and by unread messages if `$3`. */
const filters = (
  view: InboxView,
) => `($4::bigint IS NOT NULL)${view === 'unassigned' ? ' AND row.assigned_to IS NULL' : ''} AND (NOT $3::boolean OR row.unread_count > 0) AND ($2::text IS NULL OR EXISTS (
  SELECT FROM send.conversation_labels cl JOIN send.labels l ON l.id = cl.label_id WHERE cl.conversation_id = row.id AND l.name = $2))`;
const LIMITS = { examined: '$5', returned: '$6' };

const withLastMessage = (page: string) =>
  `${CONVERSATION} FROM (${page}) c LEFT JOIN LATERAL (${LAST_MESSAGE}) last ON true ORDER BY c.nth`;

/** SQL of a page of a view, in the order of its index. */
const viewSql = (view: InboxView) =>
  withLastMessage(
    examine(
      `SELECT ${COLUMNS}, ${RANK} AS rank FROM send.conversations
       WHERE business_id = $1 AND ${WROTE} AND ${VIEWS[view]}
         AND (${RANK}, last_inbound_at, id) < (coalesce($9::bigint, 3), coalesce($7::timestamptz, 'infinity'), coalesce($8::bigint, 0))
       ORDER BY ${RANK} DESC, last_inbound_at DESC, id DESC LIMIT $5`,
      filters(view),
      { ...LIMITS, columns: 'last_inbound_at::text AS exact' },
    ),
  );

/** SQL of which conversations a search looks at, and in which order. */
interface Searched {
  which: string;
  rank: string;
  before: string;
}
/** Without candidates: all, the last active first. */
const ALL_BY_ACTIVITY: Searched = {
  which: 'merged_into IS NULL',
  rank: '0',
  before: `(${ACTIVITY}, id) < (coalesce($7::timestamptz, 'infinity'), coalesce($8::bigint, 0))`,
};
/** People with a matching name or number, `$14`, before conversations with a matching message, `$12`. */
const PERSON_RANK = 'CASE WHEN id = ANY ($14::bigint[]) THEN 1 ELSE 0 END';
const CANDIDATES: Searched = {
  which: `id = ANY ($14::bigint[] || $12::bigint[]) AND ${onRow('merged_into IS NULL')}`,
  rank: PERSON_RANK,
  before: `(${PERSON_RANK}, ${ACTIVITY}, id) < (coalesce($9::bigint, 2), coalesce($7::timestamptz, 'infinity'), coalesce($8::bigint, 0))`,
};

/** SQL of a page of a search, without conversations that have no message (only a preference or a suppression). */
const searchSql = (view: InboxView, { which, rank, before }: Searched) =>
  withLastMessage(
    examine(
      `SELECT ${COLUMNS}, ${rank} AS rank, ${ACTIVITY} AS activity FROM send.conversations
       WHERE business_id = $1 AND ${which} AND ${onRow(VIEWS[view])} AND ${before}
       ORDER BY ${rank === '0' ? '' : `${rank} DESC, `}${ACTIVITY} DESC, id DESC LIMIT $5`,
      `($9::bigint IS NULL OR true) AND (position($11 IN row.phone) > 0 OR position(' ' || lower($10) IN ' ' || lower(row.name)) > 0
          OR row.id = ANY ($12::bigint[]) OR row.id = ANY ($13::bigint[]))
         AND (row.last_inbound_at IS NOT NULL OR EXISTS (SELECT FROM send.messages m JOIN ${partsOf('row')} AS part (id) ON m.conversation_id = part.id)) AND ${filters(view)}`,
      { ...LIMITS, columns: 'activity::text AS exact' },
    ),
  );
const allOf = (sql: (view: InboxView) => string) =>
  Object.fromEntries(INBOX_VIEWS.map((view) => [view, sql(view)])) as Record<InboxView, string>;
const VIEW_PAGES = allOf(viewSql);
const ALL_CONVERSATIONS = allOf((view) => searchSql(view, ALL_BY_ACTIVITY));
const CANDIDATE_CONVERSATIONS = allOf((view) => searchSql(view, CANDIDATES));

const countSql = (condition: string) =>
  `(SELECT count(*)::integer FROM (SELECT FROM send.conversations WHERE business_id = $1 AND ${WROTE} AND ${condition} LIMIT ${MAX_COUNT}) counted)`;
/** Counts among the conversations that come first in their view. Unread ones are among those that wait. */
const COUNTS = `SELECT ${countSql('assigned_to = $2::bigint AND closed_at IS NULL')} AS mine, ${countSql(VIEWS.closed)} AS closed, first.*
  FROM (SELECT count(*)::integer AS open, count(*) FILTER (WHERE assigned_to IS NULL)::integer AS unassigned,
               count(*) FILTER (WHERE unread_count > 0)::integer AS unread, count(waiting_since)::integer AS waiting, min(waiting_since) AS waiting_since
        FROM (SELECT assigned_to, unread_count, waiting_since FROM send.conversations WHERE business_id = $1 AND ${WROTE} AND ${VIEWS.open}
              ORDER BY ${RANK} DESC, last_inbound_at DESC, id DESC LIMIT ${MAX_COUNT}) row) first`;

type Filter = Pick<RequestOf<typeof ListConversations>, 'view' | 'label' | 'unread' | 'user_id'>;
const filterValues = ({ label, unread, user_id }: Filter) => [label ?? null, unread ?? false, user_id ?? 0];

type Listed = ResponseOf<typeof ListConversations>;

/** Lists and searches conversations for the dashboard. */
@Injectable()
export class InboxStore {
  constructor(private readonly db: Database) {}

  async list(request: RequestOf<typeof ListConversations>): Promise<Listed> {
    const { business_id, user_id = 0, search } = request;
    const page = await (search === null ? this.view(request) : this.search(request, searchTerms(search)));
    const rows = await this.db.reads(business_id).query<Listed['counts'] & { waiting_since: Date | null }>(COUNTS, [business_id, user_id]);
    const { waiting_since, ...counts } = rows[0] as (typeof rows)[number];
    return { ...page, counts, waiting_since: waiting_since?.toISOString() ?? null };
  }

  private async view({ business_id, limit, cursor, ...filter }: RequestOf<typeof ListConversations>) {
    readCursor(cursor, ['id', 'time', 'id']);
    const { page, next_cursor } = await filteredPage<ConversationRow>(
      limit,
      cursor,
      (scan) => {
        const [rank, at, id] = readCursor(scan.cursor, ['id', 'time', 'id']) ?? [null, null, null];
        const values = [business_id, ...filterValues(filter), scan.examined, scan.returned, at, id, rank];
        return this.db.reads(business_id).query<ConversationRow>(VIEW_PAGES[filter.view ?? 'all'], values);
      },
      ({ rank, exact, id }) => [rank, exact, id],
    );
    return { conversations: page.map(toConversationRecord), next_cursor };
  }

  /** Searches with indexes. If they find too many people, scans a bounded number of the newest conversations. */
  private async search({ business_id, limit, cursor, ...filter }: RequestOf<typeof ListConversations>, terms: SearchTerms) {
    readCursor(cursor, ['id', 'time', 'id']);
    const reads = this.db.reads(business_id);
    const { numbers, people } = await findCandidates(reads, business_id, terms);
    const found = await findByWords(reads, business_id, terms);
    const { page, next_cursor } = await filteredPage<ConversationRow>(
      limit,
      cursor,
      (scan) => {
        const [rank, at, id] = readCursor(scan.cursor, ['id', 'time', 'id']) ?? [null, null, null];
        const place = [scan.examined, scan.returned, at, id, rank];
        const values = [business_id, ...filterValues(filter), ...place, terms.text, terms.digits, [...found.keys()], numbers ?? []];
        return people === null
          ? reads.query<ConversationRow>(ALL_CONVERSATIONS[filter.view ?? 'all'], values)
          : reads.query<ConversationRow>(CANDIDATE_CONVERSATIONS[filter.view ?? 'all'], [...values, people]);
      },
      ({ rank, exact, id }) => [rank, exact, id],
    );
    const conversations = page.map((row) => {
      const message = found.get(row.id);
      return { ...toConversationRecord(row), ...(message && { found: message }) };
    });
    return { conversations, next_cursor };
  }

  /** @param id a merged conversation's id finds the conversation that it was merged into */
  find(businessId: number, id: number): Promise<ConversationRecord | null> {
    return this.findOne(businessId, '(SELECT coalesce(merged_into, id) FROM send.conversations WHERE id = $2)', id);
  }

  /** @param alias a phone number or user id */
  findByAlias(businessId: number, alias: string): Promise<ConversationRecord | null> {
    return this.findOne(businessId, '(SELECT conversation_id FROM send.conversation_aliases WHERE business_id = $1 AND alias = $2)', alias);
  }

  private async findOne(businessId: number, idSql: string, value: number | string): Promise<ConversationRecord | null> {
    const [row] = await this.db.reads(businessId).query<ConversationRow>(
      `${CONVERSATION} FROM send.conversations c LEFT JOIN LATERAL (${LAST_MESSAGE}) last ON true
       WHERE c.business_id = $1 AND c.id = ${idSql}`,
      [businessId, value],
    );
    return row ? toConversationRecord(row) : null;
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
    assigned_to: row.assigned_to === null ? null : Number(row.assigned_to),
    status: row.closed_at === null ? 'open' : 'closed',
    unread_count: row.unread_count,
    waiting_since: row.waiting_since?.toISOString() ?? null,
    last_received_at: row.last_received_at?.toISOString() ?? null,
    labels: row.labels,
    auto_reply: row.auto_reply,
    first_inbound_at: row.first_inbound_at?.toISOString() ?? null,
    last_message: row.last_direction && {
      direction: row.last_direction,
      type: row.last_type,
      text: row.last_text ?? '',
      at: row.last_at.toISOString(),
      sent_by: row.last_sent_by,
      conversation_id: Number(row.last_conversation_id),
      ...(row.last_user_id !== null && { user_id: Number(row.last_user_id) }),
    },
    created_at: row.created_at.toISOString(),
  };
}
