import { GatewayError } from '@mgw/contracts';
import { cursorOf, pageOf } from './cursor';

/** Rows that the looks of one page examine at most. The first finds what is frequent, the others go on as long as the page is not full. */
const LOOKS = [500, 4_500, 15_000, 30_000];
/** No look begins later than this, in milliseconds after the first. */
const LOOK_WITHIN_MS = 1_000;

/** Which rows of a list one statement examines. */
export interface Look {
  /** `next_cursor` of the look before; null for the first. */
  cursor: string | null;
  /** Rows it examines at most. */
  examined: number;
  /** Rows it returns at most. */
  returned: number;
}

/** A row that a look returns: one that matches, or the last one it examined. */
export interface Examined {
  matches: boolean;
  /** Its place among those examined, from 1. */
  nth: string;
}

/**
 * A page of a list with a filter that no index answers. Rows are examined in the list's order, a bounded number for each page: a filter
 * that matches little gives a short or empty page, whose `next_cursor` leads on from where it stopped (product §2, guarantees §10).
 * @param look returns, in the list's order, the rows that match and the last one when it examined as many as it may
 * @param sortValues as for `pageOf`
 */
export async function filteredPage<R extends Examined>(
  limit: number,
  cursor: string | null,
  look: (look: Look) => Promise<R[]>,
  sortValues: (row: R) => (string | number)[],
): Promise<{ page: R[]; next_cursor: string | null }> {
  const begun = Date.now();
  const found: R[] = [];
  let from = cursor;
  for (const examined of LOOKS) {
    const rows = await look({ cursor: from, examined, returned: limit + 1 }).catch(orNothing(examined));
    if (rows === null) break;
    const { page, next_cursor } = pageOf(rows, limit, sortValues);
    found.push(...page.filter(({ matches }) => matches));
    const last = rows.at(-1);
    from = next_cursor ?? (last && Number(last.nth) === examined ? cursorOf(sortValues(last)) : null);
    if (from === null || found.length >= limit || Date.now() - begun > LOOK_WITHIN_MS) break;
  }
  const { page, next_cursor } = pageOf(found, limit, sortValues);
  return { page, next_cursor: next_cursor ?? from };
}

/** A later look that takes too long ends the page; only the first one fails it. */
function orNothing(examined: number): (error: unknown) => null {
  return (error) => {
    if (examined !== LOOKS[0] && error instanceof GatewayError && error.error_code === 'QUERY_TIMEOUT') return null;
    throw error;
  };
}

/**
 * SQL around an ordered, limited list: keeps the rows that match and the last one examined, in their order.
 * @param list SELECT … ORDER BY … LIMIT <examined>; its rows are called `row` in the condition
 * @param matches condition on `row`
 * @param parts SQL of the two numbers of a `Look`; further columns that only the rows that are kept get
 */
export function examine(list: string, matches: string, parts: { examined: string; returned: string; columns?: string }): string {
  return `SELECT *${parts.columns === undefined ? '' : `, ${parts.columns}`} FROM (
      SELECT row.*, row_number() OVER () AS nth, coalesce(${matches}, false) AS matches FROM (${list}) row
    ) seen WHERE matches OR nth = ${parts.examined} ORDER BY nth LIMIT ${parts.returned}`;
}
