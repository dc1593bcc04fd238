/** A line of CSV (RFC 4180) whose texts no spreadsheet runs as a formula. */
export const csvLine = (cells: (string | number)[]): string => `${cells.map(cell).join(',')}\r\n`;

function cell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
