import type { Database } from '@mgw/postgres';
import type { SearchTerms } from './search-terms';

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

/** Finds the conversations of a search by indexes. @returns null if there are more than MAX_CANDIDATES */
export async function findCandidates(
  reads: Pick<Database, 'query'>,
  businessId: number,
  { digits, beginning, whole }: SearchTerms,
): Promise<string[] | null> {
  const values = [businessId, digits, beginning, whole];
  const found = await reads.query<{ source: number; id: string }>(FIND_CANDIDATES, values);
  const fromSource = (source: number) => found.filter((candidate) => candidate.source === source).map(({ id }) => id);
  const isTooMany = (ids: string[]) => ids.length > MAX_CANDIDATES;
  const numbers = [fromSource(1), fromSource(2)];
  // A matching name has both words, so a search for the rarer one is enough.
  const named = (whole === null ? [fromSource(3)] : [fromSource(4), fromSource(3)]).find((ids) => !isTooMany(ids));
  const ids = new Set([...numbers.flat(), ...(named ?? [])]);
  return named === undefined || numbers.some(isTooMany) || ids.size > MAX_CANDIDATES ? null : [...ids];
}
