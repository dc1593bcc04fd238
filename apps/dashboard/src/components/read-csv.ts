import { parse } from 'csv-parse/sync';
import { InputError } from '../api/input-error';

export interface CsvLine {
  /** The line in the file. */
  line: number;
  cells: string[];
}

interface Parsed {
  record: string[];
  info: { lines: number };
}

/** Reads CSV with commas or semicolons, or cells copied from a spreadsheet. Lines may differ in length. @throws InputError */
export function readCsv(text: string): CsvLine[] {
  const delimiter = delimiterOf(text);
  const options = { bom: true, info: true, trim: true, skip_empty_lines: true, relax_column_count: true, delimiter };
  try {
    // The types of csv-parse lack `info`.
    return (parse(text, options) as unknown as Parsed[]).map(({ record, info }) => ({ line: info.lines, cells: record.map(withoutGuard) }));
  } catch (error) {
    // With these options, only a quotation mark can be wrong.
    const { lines } = error as { lines?: number };
    throw new InputError(
      `Line ${lines}: a quotation mark (") is not closed or stands within a value. Write it twice within a quoted value.`,
    );
  }
}

/** A download marks cells that a spreadsheet would run as a formula. */
const withoutGuard = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

/** Copied cells have tabs; spreadsheets write semicolons in many countries. */
function delimiterOf(text: string): string {
  const heading = text.slice(0, 10_000).split('\n')[0] ?? '';
  return ['\t', ',', ';'].find((delimiter) => heading.includes(delimiter)) ?? ',';
}
