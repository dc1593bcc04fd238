import { Injectable } from '@nestjs/common';
import type { ImportSuppressions, RequestOf, SuppressionRecord } from '@mgw/contracts';
import { Database, examine, filteredPage, onRow, readCursor, type Examined, type Tx } from '@mgw/postgres';
import { CONVERSATION_OF_MESSAGE, type SentMessageRef } from '../conversations/conversation.store';
import { notInFuture } from '../platform-time';
import { lastLift, lastStatement, type SuppressionSource, type SuppressionState } from './suppression';

interface SuppressedRow {
  conversation_id: string;
  phone: string;
  state: SuppressionState;
  source: SuppressionSource;
  reason: string | null;
  at: Date;
}

/** A person and their strictest suppression. */
export interface SuppressedPerson {
  conversationId: number;
  phone: string;
  state: SuppressionState | null;
}

type ImportedRow = RequestOf<typeof ImportSuppressions>['rows'][number];

/** `exact` is `at` in microseconds, for the cursor. */
type ListedRow = SuppressedRow & Examined & { exact: string };

/** SQL sort key: the strictest suppression of several sources counts (decision 18). */
const strictness = (row: string) => `(send.suppression_strictness(${row}.state), ${row}.source)`;

/** SQL: whether a statement without a time repeats suppression `s`. */
const IS_REPETITION = '$4::timestamptz IS NULL AND s.state = excluded.state AND s.reason IS NOT DISTINCT FROM excluded.reason';

/** SQL sort key of an imported row `r`. */
const STRICTEST_ROW_FIRST = 'send.suppression_strictness(r.state), r.since DESC NULLS FIRST';

const LIST_SQL = `SELECT s.*, coalesce(c.phone, c.user_id, '') AS phone FROM (${examine(
  `SELECT conversation_id, state, source, reason, at FROM send.suppressions
   WHERE business_id = $1 AND state IS NOT NULL AND (at, conversation_id, source) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::bigint, 0), coalesce($4::text, ''))
   ORDER BY at DESC, conversation_id DESC, source DESC LIMIT $5`,
  `EXISTS (SELECT FROM send.conversations c WHERE c.id = row.conversation_id AND ${onRow('c.merged_into IS NULL')})
     AND NOT EXISTS (SELECT FROM send.suppressions o WHERE o.conversation_id = row.conversation_id
                     AND ${onRow(`o.state IS NOT NULL AND ${strictness('o')} < ${strictness('row')}`)})`,
  { examined: '$5', returned: '$6', columns: 'at::text AS exact' },
)}) s JOIN send.conversations c ON c.id = s.conversation_id ORDER BY s.nth`;

/** Stores one suppression per conversation and source. The newest statement of a source wins, in whatever order they arrive. */
@Injectable()
export class SuppressionStore {
  constructor(private readonly db: Database) {}

  /**
   * @param at null for the database's current time, which `liftAllSources` also uses. A suppression that is repeated without a time keeps its
   * own (decision 754).
   */
  async set(
    tx: Tx,
    conversationId: number,
    source: SuppressionSource,
    state: SuppressionState | null,
    at: string | null,
    reason: string | null = null,
  ): Promise<void> {
    await tx.query(
      `INSERT INTO send.suppressions AS s (business_id, conversation_id, source, state, at, reason)
       SELECT business_id, id, $2, $3, CASE WHEN $4::timestamptz IS NULL THEN clock_timestamp() ELSE ${notInFuture('$4')} END, $5 FROM send.conversations WHERE id = $1
       ON CONFLICT (conversation_id, source) DO UPDATE SET state = excluded.state, reason = excluded.reason, lifted_at = ${lastLift('s')},
         at = CASE WHEN ${IS_REPETITION} THEN s.at ELSE excluded.at END, stated_at = CASE WHEN ${IS_REPETITION} THEN excluded.at END
       WHERE ${lastStatement('s')} <= excluded.at`,
      [conversationId, source, state, at, reason],
    );
  }

  /** Sorts the rows of an import as `import` sorts those of one person. */
  async strictestFirst(rows: ImportedRow[]): Promise<ImportedRow[]> {
    const sorted = await this.db.query<{ nth: string }>(
      `SELECT nth FROM unnest($1::text[], $2::timestamptz[]) WITH ORDINALITY AS r (state, since, nth) ORDER BY ${STRICTEST_ROW_FIRST}`,
      [rows.map(({ state }) => state), rows.map(({ since }) => since)],
    );
    return sorted.flatMap(({ nth }) => rows[Number(nth) - 1] ?? []);
  }

  /**
   * Sets the suppression of API keys unless the person has one that is as strict, or a lift is newer than `since`. WhatsApp's preference
   * lifts only marketing opt-outs (decision 362). The strictest row of a person counts.
   * @param conversations ids in the order of `rows` @returns how many it set
   */
  async import(tx: Tx, conversations: number[], source: 'dashboard' | 'api', rows: ImportedRow[]): Promise<number> {
    const set = await tx.query(
      `INSERT INTO send.suppressions AS s (business_id, conversation_id, source, state, at, reason)
       SELECT DISTINCT ON (c.id) c.business_id, c.id, $5::text, r.state, coalesce(r.since, clock_timestamp()), r.reason
       FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::text[]) AS r (conversation_id, state, since, reason)
       JOIN send.conversations c ON c.id = r.conversation_id
       WHERE NOT EXISTS (SELECT FROM send.suppressions o WHERE o.conversation_id = c.id AND (
         send.suppression_strictness(o.state) <= send.suppression_strictness(r.state)
         OR ${lastLift('o')} > r.since AND (o.source <> 'platform' OR r.state = 'opted_out_marketing')))
       ORDER BY c.id, ${STRICTEST_ROW_FIRST}
       ON CONFLICT (conversation_id, source) DO UPDATE SET state = excluded.state, at = excluded.at, reason = excluded.reason, lifted_at = ${lastLift('s')}, stated_at = NULL
       WHERE CASE WHEN s.state IS NULL THEN s.at <= excluded.at ELSE send.suppression_strictness(excluded.state) < send.suppression_strictness(s.state) END
       RETURNING conversation_id`,
      [conversations, rows.map(({ state }) => state), rows.map(({ since }) => since), rows.map(({ reason }) => reason), source],
    );
    return set.length;
  }

  /** START lifts earlier suppressions of the person and the platform (decision 45). */
  async lift(tx: Tx, conversationId: number, at: string): Promise<void> {
    await this.set(tx, conversationId, 'person', null, at);
    await tx.query(
      `UPDATE send.suppressions SET state = NULL, at = ${notInFuture('$2')}
       WHERE conversation_id = $1 AND source = 'platform' AND at <= ${notInFuture('$2')}`,
      [conversationId, at],
    );
  }

  async findByMessage(tx: Tx, { businessId, messageId, recipient }: SentMessageRef): Promise<number | null> {
    const [row] = await tx.query<{ id: string | null }>(`SELECT (${CONVERSATION_OF_MESSAGE}) AS id`, [businessId, messageId, recipient]);
    return row && row.id !== null ? Number(row.id) : null;
  }

  async findByAlias(tx: Tx, businessId: number, alias: string): Promise<number | null> {
    const [row] = await tx.query<{ id: string }>(
      'SELECT conversation_id AS id FROM send.conversation_aliases WHERE business_id = $1 AND alias = $2',
      [businessId, alias],
    );
    return row ? Number(row.id) : null;
  }

  /** Waits for other changes of these people, so that the next statement sees them. */
  async lock(tx: Tx, conversations: number[]): Promise<void> {
    await tx.query('SELECT FROM send.conversations WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE', [conversations]);
  }

  async strictest(tx: Tx, conversations: number[]): Promise<SuppressedPerson[]> {
    const rows = await tx.query<{ id: string; phone: string; state: SuppressionState | null }>(
      `SELECT c.id, coalesce(c.phone, c.user_id, '') AS phone, (
         SELECT s.state FROM send.suppressions s WHERE s.conversation_id = c.id AND s.state IS NOT NULL ORDER BY ${strictness('s')} LIMIT 1
       ) AS state
       FROM send.conversations c WHERE c.id = ANY ($1::bigint[]) ORDER BY c.id`,
      [conversations],
    );
    return rows.map(({ id, phone, state }) => ({ conversationId: Number(id), phone, state }));
  }

  /**
   * Lifts the suppressions of all sources because the business decided so. The lift counts from the start of the current second: platform
   * times have whole seconds, so a STOP within this second counts as later.
   * @returns whether a suppression existed
   */
  async liftAllSources(tx: Tx, conversationId: number): Promise<boolean> {
    const [lifted] = await tx.query<{ at: Date }>(
      `UPDATE send.suppressions SET state = NULL, at = date_trunc('second', clock_timestamp()), reason = NULL, stated_at = NULL
       WHERE conversation_id = $1 AND state IS NOT NULL RETURNING at`,
      [conversationId],
    );
    if (!lifted) return false;
    // A lift in the platform's row alone would count only for marketing (decision 362).
    await this.set(tx, conversationId, 'dashboard', null, lifted.at.toISOString());
    return true;
  }

  async find(businessId: number, phone: string): Promise<SuppressionRecord | null> {
    const [row] = await this.db.reads(businessId).query<SuppressedRow>(
      `SELECT coalesce(c.phone, c.user_id, '') AS phone, s.state, s.source, s.reason, s.at
       FROM send.conversation_aliases a JOIN send.conversations c ON c.id = a.conversation_id
       JOIN send.suppressions s ON s.conversation_id = c.id AND ${onRow('s.state IS NOT NULL')}
       WHERE a.business_id = $1 AND a.alias = $2 ORDER BY ${strictness('s')} LIMIT 1`,
      [businessId, phone],
    );
    return row ? toRecord(row) : null;
  }

  /** @param hashes of the phones, in their order @returns the phones to which a template would be refused (`send.check_recipients`) */
  async refused(businessId: number, phones: string[], hashes: (string | null)[], marketing: boolean): Promise<string[]> {
    const rows = await this.db.reads(businessId).query<{ nth: string }>(
      `SELECT r.nth FROM send.check_recipients(array_fill($1::bigint, ARRAY[cardinality($2::text[])]), $2::text[], $3::text[],
         array_fill('template'::text, ARRAY[cardinality($2::text[])]), array_fill($4::boolean, ARRAY[cardinality($2::text[])]),
         array_fill(false, ARRAY[cardinality($2::text[])]), now()) r
       WHERE r.suppression IS NOT NULL ORDER BY r.nth`,
      [businessId, phones, hashes, marketing],
    );
    return rows.flatMap(({ nth }) => phones[Number(nth) - 1] ?? []);
  }

  /** Newest first. */
  async list(businessId: number, limit: number, cursor: string | null): Promise<{ page: SuppressionRecord[]; next_cursor: string | null }> {
    readCursor(cursor, ['time', 'id', 'text']);
    const { page, next_cursor } = await filteredPage<ListedRow>(
      limit,
      cursor,
      (scan) => {
        const [at, id, source] = readCursor(scan.cursor, ['time', 'id', 'text']) ?? [null, null, null];
        return this.db.reads(businessId).query<ListedRow>(LIST_SQL, [businessId, at, id, source, scan.examined, scan.returned]);
      },
      (row) => [row.exact, row.conversation_id, row.source],
    );
    return { page: page.map(toRecord), next_cursor };
  }
}

function toRecord({ phone, state, source, reason, at }: SuppressedRow): SuppressionRecord {
  return { phone, state, source, reason, since: at.toISOString() };
}
