import { GatewayError, type exportPerson, type RequestOf, type ResponseOf } from '@mgw/contracts';
import type { Database } from '@mgw/postgres';
import { PAGE_ROWS, PERSON, personValues, type PersonalData } from './personal-data';
import { StepCursors } from './step-cursors';

/** Characters of an exported page. A row may exceed them by itself. */
const PAGE_CHARACTERS = 64 * 1024;

interface ExportedRow {
  key: string;
  row: Record<string, unknown> | null;
  length: number;
}
type Export = ReturnType<typeof exportPerson>;

/** Exports a person's data page by page, one kind after another. */
export class PersonExport {
  private readonly kinds: [string, string | { page: string }][];
  private readonly cursors: StepCursors;

  constructor(
    private readonly db: Database,
    { exported = {} }: PersonalData,
  ) {
    this.kinds = Object.entries(exported);
    this.cursors = new StepCursors(this.kinds.length, exported);
  }

  async page(request: RequestOf<Export>): Promise<ResponseOf<Export>> {
    const place = this.cursors.read(request.cursor);
    if (place === null) throw new GatewayError('CONFLICT', 'Another version of the service began this export. Start the export again.');
    const { step, after } = place;
    const [kind, sql] = this.kinds[step] ?? [];
    if (sql === undefined) return { rows: [], next_cursor: null };
    const rows = await this.read(sql, request, after);
    const page = rows.slice(0, countFitting(rows));
    const isLast = page.length === rows.length && rows.length < PAGE_ROWS;
    return {
      rows: page.flatMap(({ row }) => (row ? [{ kind, ...row }] : [])),
      next_cursor: isLast ? this.cursors.afterStep(step) : this.cursors.within(step, page.at(-1)?.key ?? ''),
    };
  }

  private read(sql: string | { page: string }, request: RequestOf<Export>, after: string | null): Promise<ExportedRow[]> {
    const afterKey = `WHERE key COLLATE "C" > coalesce($9::text, '') COLLATE "C" ORDER BY key COLLATE "C" LIMIT ${PAGE_ROWS}`;
    const pageSql = typeof sql === 'string' ? `(${sql}) r (key, row) ${afterKey}` : `(${sql.page}) r (key, row)`;
    return this.db
      .reads(request.business_id)
      .query<ExportedRow>(`${PERSON} SELECT key, row, coalesce(length(row::text), 0) AS length FROM ${pageSql}`, [
        ...personValues({ ...request, hash_key: '' }),
        after,
      ]);
  }
}

/** @returns how many rows fit into a page, at least those of one key */
function countFitting(rows: ExportedRow[]): number {
  let characters = 0;
  const tooMany = rows.findIndex(({ key, length }, i) => (characters += length) > PAGE_CHARACTERS && i > 0 && key !== rows[i - 1]?.key);
  return tooMany === -1 ? rows.length : tooMany;
}
