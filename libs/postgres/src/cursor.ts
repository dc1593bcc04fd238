import { INVALID_CURSOR, invalidField } from '@mgw/contracts';

/** The type of a sort value: a whole number, a time as PostgreSQL prints it, or a text. */
type Kind = 'id' | 'time' | 'text';

/** Encodes the sort values of a page's last row as an opaque text. */
export function cursorOf(values: (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/**
 * @returns null for the first page
 * @throws GatewayError VALIDATION_FAILED for a text that `cursorOf` did not make from such values
 */
export function readCursor(text: string | null, kinds: Kind[]): string[] | null {
  if (text === null) return null;
  const values = parsed(text);
  if (values?.length === kinds.length && kinds.every((kind, i) => isOfKind[kind](values[i] as string))) return values;
  throw invalidField('cursor', INVALID_CURSOR);
}

function parsed(text: string): string[] | null {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(values) ? values.map(String) : null;
  } catch {
    return null;
  }
}

const TIME = /^(?!0000)(\d{4})-(\d\d)-(\d\d) (\d\d):([0-5]\d):([0-5]\d)(\.\d{1,6})?[+-](0\d|1[0-5])(:[0-5]\d){0,2}$/;

const isOfKind: Record<Kind, (value: string) => boolean> = {
  id: (value) => /^\d{1,18}$/.test(value),
  time: (value) => {
    const [, year, month, day, hour] = TIME.exec(value) ?? [];
    const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
    return Number(hour) < 24 && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  },
  // PostgreSQL refuses NUL.
  text: (value) => !value.includes('\0'),
};

/** @param rows one more than the limit if further rows exist */
export function pageOf<R>(
  rows: R[],
  limit: number,
  sortValues: (row: R) => (string | number)[],
): { page: R[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next_cursor: rows.length > limit && last !== undefined ? cursorOf(sortValues(last)) : null };
}

/** @returns how many of the first rows have at most `maxBytes` together, at least one */
export function countFitting<R>(rows: R[], maxBytes: number, bytesOf: (row: R) => number): number {
  let bytes = 0;
  const tooMany = rows.findIndex((row) => (bytes += bytesOf(row)) > maxBytes);
  return tooMany === -1 ? rows.length : Math.max(1, tooMany);
}
