import type { FoundMessage } from '@mgw/contracts';
import type { Database } from '@mgw/postgres';
import type { SearchTerms } from './search-terms';

/** Maximum people whom a search finds by indexes. With more, the search scans the newest conversations, where matches are frequent. */
const MAX_CANDIDATES = 4_999;
/** Maximum messages that a search reads from an index at a time, and maximum conversations that they lead to. */
const MAX_MESSAGES = 1_000;
const MAX_FOUND = 500;
const LAST_CHARACTER = '\u{10FFFF}';
/** Shortest part of a number that the index of parts finds. */
const SHORTEST_PART = 3;
/** Characters before the first word in an excerpt, and of the whole excerpt. */
const BEFORE_WORD = 30;
const EXCERPT = 160;

const BEGINNING = `SELECT 1 AS source, conversation_id AS id FROM send.conversation_aliases
  WHERE business_id = $1 AND alias COLLATE "C" >= $2 AND alias COLLATE "C" < $2 || '${LAST_CHARACTER}' LIMIT ${MAX_CANDIDATES + 1}`;
const PART = `SELECT 1 AS source, id FROM send.find_by_number($1, $2, ${MAX_CANDIDATES + 1}) AS id`;

/** Sources: 1 number, 2 beginning of a name's word, 3 whole word of a name. */
const candidatesSql = (number: string) => `
  (${number})
  UNION ALL
  (SELECT 2, conversation_id FROM send.conversation_words
   WHERE business_id = $1 AND word >= lower($3) AND word < lower($3) || '${LAST_CHARACTER}' LIMIT ${MAX_CANDIDATES + 1})
  UNION ALL
  (SELECT 3, conversation_id FROM send.conversation_words WHERE business_id = $1 AND word = lower($4) LIMIT ${MAX_CANDIDATES + 1})`;
const WITH_BEGINNING = candidatesSql(BEGINNING);
const WITH_PART = candidatesSql(PART);

/** Conversations that the indexes find, each list null if it has more than MAX_CANDIDATES. */
interface Candidates {
  /** Those that a matching number leads to, which may be another than they show. */
  numbers: string[] | null;
  /** Those with a matching name or number. */
  people: string[] | null;
}

/** Finds the conversations with a matching name or number by indexes. */
export async function findCandidates(
  reads: Pick<Database, 'query'>,
  businessId: number,
  { digits, beginning, whole }: SearchTerms,
): Promise<Candidates> {
  const sql = (digits ?? '').length < SHORTEST_PART ? WITH_BEGINNING : WITH_PART;
  const found = await reads.query<{ source: number; id: string }>(sql, [businessId, digits, beginning, whole]);
  const atMost = (ids: string[]) => (ids.length > MAX_CANDIDATES ? null : ids);
  const fromSource = (source: number) => atMost(found.filter((candidate) => candidate.source === source).map(({ id }) => id));
  const numbers = fromSource(1);
  // A matching name has both words, so a search for the rarer one is enough.
  const named = whole === null ? fromSource(2) : (fromSource(3) ?? fromSource(2));
  return { numbers, people: numbers && named && atMost([...new Set([...numbers, ...named])]) };
}

/** The newest message of each conversation with all words, without messages that their sender deleted. */
const MESSAGES = `
  SELECT DISTINCT ON (c.id) c.id, f.message_id, f.direction, f.at,
         CASE WHEN place > ${BEFORE_WORD + 1} THEN '…' || substr(shown.text, place - ${BEFORE_WORD}, ${EXCERPT - 1}) ELSE left(shown.text, ${EXCERPT}) END AS text
  FROM send.find_by_words($1, $2, ${MAX_MESSAGES}) f
  JOIN send.conversations o ON o.id = f.conversation_id JOIN send.conversations c ON c.id = coalesce(o.merged_into, o.id)
  LEFT JOIN send.message_changes m ON m.business_id = $1 AND m.message_id = f.message_id
  CROSS JOIN LATERAL (SELECT coalesce(m.text, f.body) AS text, position(split_part(lower($2), ' ', 1) IN lower(coalesce(m.text, f.body))) AS place) shown
  WHERE m.deleted_at IS NULL ORDER BY c.id, f.at DESC`;

/** Finds conversations by words of messages, those with the newest message. @returns the message by the conversation's id */
export async function findByWords(
  reads: Pick<Database, 'query'>,
  businessId: number,
  { text }: SearchTerms,
): Promise<Map<string, FoundMessage>> {
  const rows = await reads.query<{ id: string; message_id: string; direction: 'in' | 'out'; text: string; at: Date }>(MESSAGES, [
    businessId,
    text,
  ]);
  const newest = rows.sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, MAX_FOUND);
  return new Map(newest.map(({ id, at, ...message }) => [id, { ...message, at: at.toISOString() }]));
}
