import type { Schemas } from '../../api/client';

type OptOutRow = Schemas['ImportSuppressionsRequest']['rows'][number];

/**
 * Reads a CSV file with a header. Without a state the person is opted out of everything. Other columns are ignored; the gateway checks the
 * values.
 * @throws Error for a text that is not such a file
 */
export async function optOutRows(text: string): Promise<OptOutRow[]> {
  const { parse } = await import('csv-parse/browser/esm/sync');
  const rows = parse<Record<string, string>>(text, {
    columns: (names: string[]) => names.map((name) => name.trim().toLowerCase()),
    bom: true,
    skip_empty_lines: true,
    trim: true,
  });
  return rows.map(({ phone, state, reason, since }) => {
    if (phone === undefined) throw new Error('The first line must name the columns: phone, and if you like state, reason, since.');
    return { phone, state: (state || 'opted_out') as OptOutRow['state'], ...(reason && { reason }), ...(since && { since }) };
  });
}
