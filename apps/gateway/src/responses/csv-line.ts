/** The first characters by which a spreadsheet takes a cell for a formula, also behind apostrophes, which `withoutGuard` would remove. */
const FORMULA = /^'*[=+\-@\t\r]/;

/** A line of CSV (RFC 4180) whose texts no spreadsheet runs as a formula. */
export const csvLine = (cells: (string | number)[]): string => `${cells.map(cell).join(',')}\r\n`;

/** A cell that `csvLine` wrote, as it was before. */
export const withoutGuard = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell);

function cell(value: string | number): string {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
