import type { Schemas } from '../../api/client';
import { InputError } from '../../api/input-error';
import { counted } from '../../components/format-number';

type OptOutRow = Schemas['ImportSuppressionsRequest']['rows'][number];

/**
 * Reads a CSV file with a heading. Without a state the person is opted out of everything. Other columns are ignored; the gateway checks the
 * values.
 * @throws InputError for a text that is not such a file
 */
export async function optOutRows(text: string): Promise<OptOutRow[]> {
  // The page loads the parser only for an import.
  const { readCsv } = await import('../../components/read-csv');
  const [heading, ...lines] = readCsv(text);
  const names = (heading?.cells ?? []).map((name) => name.toLowerCase());
  if (!names.includes('phone'))
    throw new InputError('The first line must name the columns: phone, and optionally state, reason and since.');
  if (lines.length === 0) throw new InputError('The file has a heading and no rows.');
  return lines.map(({ line, cells }) => {
    if (cells.length !== names.length)
      throw new InputError(
        `Line ${line} has ${counted(cells.length, 'value')}, but the first line names ${counted(names.length, 'column')}. Quote a value that contains the separator.`,
      );
    const { phone = '', state, reason, since } = Object.fromEntries(names.map((name, i) => [name, cells[i]]));
    return { phone, state: (state || 'opted_out') as OptOutRow['state'], ...(reason && { reason }), ...(since && { since }) };
  });
}
