import { GatewayError } from '@mgw/contracts';
import { cursorOf, pageOf } from './cursor';

/** Maximum number of rows that each scan of a page examines. The first scan finds frequent matches; the others run until the page is full. */
const SCAN_SIZES = [500, 4_500, 15_000, 30_000];
/** No scan starts later than this after the first one, in milliseconds. */
const SCAN_STARTS_WITHIN_MS = 1_000;

/** The rows of a list that one statement examines. */
export interface Scan {
  /** `next_cursor` of the previous scan; null for the first. */
  cursor: string | null;
  /** Maximum number of rows that it examines. */
  examined: number;
  /** Maximum number of rows that it returns. */
  returned: number;
}

/** A row that a scan returns: a match, or the last row that it examined. */
export interface Examined {
  matches: boolean;
  /** Its position among the examined rows, from 1. */
  nth: string;
}

/**
 * Reads a page of a list with a filter that no index supports. It examines a bounded number of rows in the list's order. A filter with few
 * matches gives a short or empty page, whose `next_cursor` continues behind the last examined row (spec §10, guarantees §10).
 * @param scan returns matches in the list's order, and the last row if it examined as many as allowed
 * @param sortValues as for `pageOf`
 */
export async function filteredPage<R extends Examined>(
  limit: number,
  cursor: string | null,
  scan: (scan: Scan) => Promise<R[]>,
  sortValues: (row: R) => (string | number)[],
): Promise<{ page: R[]; next_cursor: string | null }> {
  const startedAt = Date.now();
  const found: R[] = [];
  let from = cursor;
  for (const examined of SCAN_SIZES) {
    const rows = await scan({ cursor: from, examined, returned: limit + 1 }).catch(endOnTimeout(examined));
    if (rows === null) break;
    const { page, next_cursor } = pageOf(rows, limit, sortValues);
    found.push(...page.filter(({ matches }) => matches));
    const last = rows.at(-1);
    from = next_cursor ?? (last && Number(last.nth) === examined ? cursorOf(sortValues(last)) : null);
    if (from === null || found.length >= limit || Date.now() - startedAt > SCAN_STARTS_WITHIN_MS) break;
  }
  const { page, next_cursor } = pageOf(found, limit, sortValues);
  return { page, next_cursor: next_cursor ?? from };
}

/** A timeout of the first scan fails the page; a timeout of a later one ends it. */
function endOnTimeout(examined: number): (error: unknown) => null {
  return (error) => {
    if (examined !== SCAN_SIZES[0] && error instanceof GatewayError && error.error_code === 'QUERY_TIMEOUT') return null;
    throw error;
  };
}

/**
 * SQL around an ordered, limited list: keeps the matching rows and the last examined one, in their order.
 * @param list SELECT … ORDER BY … LIMIT <examined>; the condition calls its rows `row`
 * @param matches condition on `row`
 * @param parts SQL of the two numbers of a `Scan`, and further columns for the rows that are kept
 */
export function examine(list: string, matches: string, parts: { examined: string; returned: string; columns?: string }): string {
  return `SELECT *${parts.columns === undefined ? '' : `, ${parts.columns}`} FROM (
      SELECT row.*, row_number() OVER () AS nth, coalesce(${matches}, false) AS matches FROM (${list}) row
    ) seen WHERE matches OR nth = ${parts.examined} ORDER BY nth LIMIT ${parts.returned}`;
}
