/** Where a page ended, as an opaque text: the sort values of its last row. */
function cursorOf(values: (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** @returns null for a text that `cursorOf` did not make with so many values: the first page */
export function readCursor(text: string | null, length: number): string[] | null {
  if (text === null) return null;
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(values) && values.length === length ? values.map(String) : null;
  } catch {
    return null;
  }
}

/** @param rows one more than fits into the page, if there are more */
export function pageOf<R>(
  rows: R[],
  limit: number,
  sortValues: (row: R) => (string | number)[],
): { page: R[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next_cursor: rows.length > limit && last !== undefined ? cursorOf(sortValues(last)) : null };
}
