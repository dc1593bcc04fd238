import type { Schemas } from '../../api/client';
import type { Mapping } from './mapping';
import type { RecipientsTable } from './recipients-table';

export type RowFault = Schemas['BroadcastCheck']['faults'][number];

/** Rows with more cells than the heading: an unquoted delimiter has moved their values. */
export function longRows({ names, rows }: RecipientsTable): RowFault[] {
  return rows
    .filter(({ cells }) => cells.length > names.length)
    .map(({ line, cells }) => ({ line, field: 'row', message: `has ${cells.length} cells, and the heading ${names.length}` }));
}

/** Faults of the check, whose lines count rows, with the lines of the file and the names of its columns. */
export function checkedFaults(faults: RowFault[], { names, rows }: RecipientsTable, mapping: Mapping): RowFault[] {
  const lines = new Map(rows.map(({ line }, i) => [i + 1, line]));
  const phone = mapping['phone'];
  const phoneName = phone && 'column' in phone ? names[phone.column] : undefined;
  return faults.map(({ line, field, message }) => ({
    line: lines.get(line) ?? line,
    field: field === 'phone' ? (phoneName ?? field) : field,
    message: message.replace(/in line (\d+)/, (_, other: string) => `in line ${lines.get(Number(other)) ?? other}`),
  }));
}
