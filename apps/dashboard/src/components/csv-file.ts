/** @returns a data URL of a CSV file (RFC 4180), for download */
export function csvFile(rows: (string | number)[][]): string {
  const text = rows.map((row) => row.map(cell).join(',')).join('\r\n');
  return `data:text/csv;charset=utf-8,${encodeURIComponent(text)}`;
}

const cell = (value: string | number): string =>
  /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
