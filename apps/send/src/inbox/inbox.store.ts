import { Injectable } from '@nestjs/common';
import type { ConversationRecord, ListConversations, ReplyOf, RequestOf } from '@mgw/contracts';
import { Database, examine, filteredPage, onRow, readCursor, type Examined } from '@mgw/postgres';
import type { SuppressionState } from '../suppression/suppression';
import { findCandidates } from './search-candidates';
import { searchTerms } from './search-terms';
import { LAST_MESSAGE } from './thread.store';

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

/** Lists and searches conversations for the dashboard. */
@Injectable()
export class InboxStore {
  constructor(private readonly db: Database) {}

  /** Searches with indexes. If they find too many conversations, scans a bounded number of the newest. */
  async list({ business_id, limit, cursor, search }: RequestOf<typeof ListConversations>): Promise<ReplyOf<typeof ListConversations>> {
    readCursor(cursor, ['time', 'id']);
    const terms = search === null ? null : searchTerms(search);
    const candidates = terms && (await findCandidates(this.db.reads(business_id), business_id, terms));
    const { page, next_cursor } = await filteredPage<ConversationRow>(
      limit,
      cursor,
      (scan) => {
        const [at, id] = readCursor(scan.cursor, ['time', 'id']) ?? [null, null];
        const values = [business_id, at, id, scan.examined, scan.returned, terms?.text ?? null, terms?.digits ?? null];
        return candidates === null
          ? this.db.reads(business_id).query<ConversationRow>(ALL_CONVERSATIONS, values)
          : this.db.reads(business_id).query<ConversationRow>(CANDIDATE_CONVERSATIONS, [...values, candidates]);
      },
      ({ exact, id }) => [exact, id],
    );
    return { conversations: page.map(toConversationRecord), next_cursor };
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
    last_message: row.last_direction && {
      direction: row.last_direction,
      type: row.last_type,
      text: row.last_text ?? '',
      at: row.last_at.toISOString(),
    },
    created_at: row.created_at.toISOString(),
  };
}
