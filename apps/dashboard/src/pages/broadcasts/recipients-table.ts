import { InputError } from '../../api/input-error';
import { readCsv, type CsvLine } from '../../components/read-csv';

/** Characters of a list; the largest broadcast with its states has about as many. */
export const MAX_TEXT = 8_000_000;
export const MAX_ROWS = 20_000;
/** Digits of the shortest phone number. */
const PHONE = /^\+?[\d ().-]{7,}$/;

export interface RecipientsTable {
  names: string[];
  rows: CsvLine[];
}

/** Reads CSV, or cells copied from a spreadsheet. A first line with a phone number is a recipient, not a heading. @throws InputError */
export function readTable(text: string): RecipientsTable {
  if (text.length > MAX_TEXT) throw new InputError('The list is larger than 8 MB. Split it into several broadcasts.');
  const [first, ...others] = readCsv(text);
  if (first === undefined) throw new InputError('The list is empty.');
  const hasHeading = !first.cells.some((cell) => PHONE.test(cell));
  const rows = hasHeading ? others : [first, ...others];
  if (rows.length === 0) throw new InputError('The list has a heading and no rows.');
  if (rows.length > MAX_ROWS) throw new InputError(`The list has ${rows.length} rows; a broadcast takes at most ${MAX_ROWS}.`);
  return { names: hasHeading ? first.cells : first.cells.map((_, i) => `Column ${i + 1}`), rows };
}
