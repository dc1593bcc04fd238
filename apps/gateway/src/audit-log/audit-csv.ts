import type { AuditRecord } from './audit-log.responses';

const COLUMNS = ['id', 'at', 'user_id', 'user_name', 'user_email', 'action', 'target', 'ip', 'request_id', 'detail'];

export const csvHeader = (): string => csvLine(COLUMNS);

/** One entry as a line of CSV (RFC 4180); `detail` is JSON. */
export function csvEntry({ id, at, user, action, target, ip, request_id, detail }: AuditRecord): string {
  const person = [user?.id ?? '', user?.name ?? '', user?.email ?? ''];
  return csvLine([id, at, ...person, action, target ?? '', ip ?? '', request_id ?? '', JSON.stringify(detail)]);
}

const csvLine = (cells: (string | number)[]): string => `${cells.map(cell).join(',')}\r\n`;

function cell(value: string | number): string {
  // A spreadsheet would run such a text as a formula, and people choose their own names.
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
