import { parse } from 'csv-parse/sync';

/** Characters of a list; the largest broadcast with its states has about as many. */
export const MAX_TEXT = 8_000_000;
export const MAX_ROWS = 20_000;
/** Digits of the shortest phone number. */
const PHONE = /^\+?[\d ().-]{7,}$/;

export interface RecipientsTable {
  names: string[];
  /** `line` is the line in the file. */
  rows: { line: number; cells: string[] }[];
}

interface CsvLine {
  record: string[];
  info: { lines: number };
}

/** Reads CSV, or cells copied from a spreadsheet. A first line with a phone number is no heading. @throws Error in words for people */
export function readTable(text: string): RecipientsTable {
  if (text.length > MAX_TEXT) throw new Error('The list is larger than 8 MB. Split it into several broadcasts.');
  const delimiter = delimiterOf(text);
  const options = { bom: true, info: true, trim: true, skip_empty_lines: true, relax_column_count: true, delimiter };
  // The types of csv-parse lack `info`.
  const [first, ...others] = (parse(text, options) as unknown as CsvLine[]).map(({ record, info }) => ({
    line: info.lines,
    cells: record.map(withoutGuard),
  }));
  if (first === undefined) throw new Error('The list is empty.');
  const hasHeading = !first.cells.some((cell) => PHONE.test(cell));
  const rows = hasHeading ? others : [first, ...others];
  if (rows.length === 0) throw new Error('The list has a heading and no rows.');
  if (rows.length > MAX_ROWS) throw new Error(`The list has ${rows.length} rows; a broadcast takes at most ${MAX_ROWS}.`);
  return { names: hasHeading ? first.cells : first.cells.map((_, i) => `Column ${i + 1}`), rows };
}

/** A download of recipients marks cells that a spreadsheet would run as a formula. */
const withoutGuard = (cell: string): string => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

/** Copied cells have tabs; spreadsheets write semicolons in many countries. */
function delimiterOf(text: string): string {
  const heading = text.slice(0, 10_000).split('\n')[0] ?? '';
  return ['\t', ',', ';'].find((delimiter) => heading.includes(delimiter)) ?? ',';
}
