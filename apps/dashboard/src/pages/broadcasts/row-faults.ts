import type { Schemas } from '../../api/client';
import { isColumn, type Field, type Mapping } from './mapping';
import type { RecipientsTable } from './recipients-table';

export type RowFault = Schemas['BroadcastCheck']['faults'][number];

/** Rows with more cells than the heading: an unquoted delimiter has moved their values. */
export function longRows({ names, rows }: RecipientsTable): RowFault[] {
  return rows
    .filter(({ cells }) => isLong(cells, names))
    .map(({ line, cells }) => ({ line, field: 'row', message: `has ${cells.length} cells, and the heading ${names.length}` }));
}

/** The table with long rows at the end, because a check accepts the first of two rows with one phone number. */
export function longRowsLast({ names, rows }: RecipientsTable): RecipientsTable {
  const isLast = ({ cells }: RecipientsTable['rows'][number]) => isLong(cells, names);
  return { names, rows: [...rows.filter((row) => !isLast(row)), ...rows.filter(isLast)] };
}

const isLong = (cells: string[], names: string[]) => cells.length > names.length;

/** The fields of a request that take values, with the beginning of their keys and what a person calls them. */
const PARTS: Record<string, [keys: string, words: string]> = {
  body_params: ['body_', 'the values of the text'],
  header_params: ['header_', 'the values of the header'],
  button_params: ['button_', 'the values of the buttons'],
};
const EMPTY_VALUE = 'must not hold an empty value';

/** Faults of the check, whose lines count rows, with the lines of the file and the names of its columns. */
export function checkedFaults(faults: RowFault[], { rows }: RecipientsTable, fields: Field[], mapping: Mapping): RowFault[] {
  const lines = new Map(rows.map(({ line }, i) => [i + 1, line]));
  const phone = mapping['phone'];
  const phoneName = isColumn(phone) ? phone.name : undefined;
  return faults.map(({ line: nth, field, message }) => {
    const line = lines.get(nth) ?? nth;
    const [keys, words] = PARTS[field] ?? [];
    if (keys === undefined)
      return {
        line,
        field: field === 'phone' ? (phoneName ?? field) : field,
        message: message.replace(/in line (\d+)/, (_, other: string) => `in line ${lines.get(Number(other)) ?? other}`),
      };
    const empty = fields.flatMap(({ key }) => {
      const source = mapping[key];
      return key.startsWith(keys) && isColumn(source) && !rows[nth - 1]?.cells[source.column ?? -1]?.trim() ? source.name : [];
    });
    return message === EMPTY_VALUE && empty.length > 0
      ? { line, field: empty.join(', '), message: 'is empty' }
      : { line, field: words ?? field, message };
  });
}
