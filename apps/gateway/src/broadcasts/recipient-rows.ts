import { MAX_RECIPIENTS, type BroadcastRow, didYouMean } from '@mgw/contracts';
import { isLonger, isParam, MAX_PARAM_LENGTH, PARAMS_HOLD, rule } from '../requests/field-rules';
import { CHECKS_NESTED } from '../requests/prepared-check';
import { parseCsv } from '../requests/parse-csv';
import { invalid } from '../requests/refusals';
import { ignoresUnknownFields } from '../requests/request.pipe';
import { withoutGuard } from '../responses/csv-line';
import { ERASED, STATE_COLUMNS } from './recipients-csv';

export interface RecipientRow {
  phone: string;
  body_params?: (string | number)[] | null;
  header_params?: (string | number)[] | null;
  button_params?: (string | number)[] | null;
}

const ROW_FIELDS = ['phone', 'body_params', 'header_params', 'button_params'];
const MAX_VALUES = 50;
const MAX_PHONE_LENGTH = 140;
/**
 * Checks the shape of all rows in one pass, because there may be twenty thousand. The broadcast service checks the values. A row may have
 * unknown members where its request may (decision 361).
 */
export const IsRecipients = () =>
  rule('isRecipients', (value, request) => recipientsFault(value, ignoresUnknownFields(request.constructor)), [CHECKS_NESTED]);

function recipientsFault(value: unknown, lenient: boolean): string | null {
  if (!Array.isArray(value)) return 'must be a list of recipients';
  if (value.length === 0) return 'must have at least one recipient';
  if (value.length > MAX_RECIPIENTS) return `must hold at most ${MAX_RECIPIENTS} recipients`;
  for (const [i, row] of (value as unknown[]).entries()) {
    const fault = rowFault(row, lenient);
    if (fault !== null) return `must hold {phone, body_params?, header_params?, button_params?}: in line ${i + 1} ${fault}`;
  }
  return null;
}

function rowFault(row: unknown, lenient: boolean): string | null {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return 'the row is not an object';
  const { phone, body_params, header_params, button_params } = row as Record<string, unknown>;
  const stray = lenient ? undefined : Object.keys(row).find((name) => !ROW_FIELDS.includes(name));
  if (stray !== undefined) return `${stray.slice(0, MAX_PHONE_LENGTH)} is not known${didYouMean(stray, ROW_FIELDS)}`;
  if (typeof phone !== 'string' || phone.length > MAX_PHONE_LENGTH) return 'phone must be a phone number as text';
  for (const [name, values] of Object.entries({ body_params, header_params, button_params })) {
    if (values === undefined || values === null) continue;
    if (!Array.isArray(values) || values.length > MAX_VALUES || !values.every(isParam))
      return `${name} is not a list of at most ${MAX_VALUES} ${PARAMS_HOLD}`;
  }
  return null;
}

/** The rows of a request, as JSON or CSV. @throws GatewayError VALIDATION_FAILED unless there is exactly one of the two */
export async function broadcastRows(request: { recipients?: RecipientRow[] | null; csv?: string | null }): Promise<BroadcastRow[]> {
  const { recipients, csv } = request;
  if (recipients && csv) throw invalid('recipients', 'and csv must not both be given');
  if (!recipients && !csv) throw csv === '' ? invalid('csv', 'must not be empty') : invalid('recipients', 'or csv must be given');
  if (csv) return csvRows(csv);
  return (recipients ?? []).map(({ phone, body_params, header_params, button_params }, i) => ({
    line: i + 1,
    phone,
    body_params: (body_params ?? []).map(String),
    header_params: (header_params ?? []).map(String),
    ...(button_params && { button_params: button_params.map(String) }),
  }));
}

/** @throws GatewayError VALIDATION_FAILED for text that is not a CSV file */
async function csvRows(text: string): Promise<BroadcastRow[]> {
  const lines = await parseCsv(text);
  const [heading, ...below] = lines;
  const names = heading?.record.map((name) => name.toLowerCase()) ?? [];
  const phone = names.indexOf('phone');
  if (phone < 0) throw invalid('csv', 'must begin with a heading that has a column "phone"');
  const rows = below.filter(({ record }) => record[phone] !== ERASED);
  if (rows.length === 0) throw invalid('csv', 'must hold at least one row below the heading');
  if (rows.length > MAX_RECIPIENTS) throw invalid('csv', `must hold at most ${MAX_RECIPIENTS} rows`);
  const columnsOf = (part: string) => names.flatMap((name, i) => (name.startsWith(part) ? [i] : []));
  const [header, button] = [columnsOf('header'), columnsOf('button')];
  // A download of a broadcast ends with the states of its recipients.
  const isDownload = names.slice(-STATE_COLUMNS.length).join() === STATE_COLUMNS.join();
  const end = isDownload ? names.length - STATE_COLUMNS.length : names.length;
  const body = names.flatMap((_, i) => (i === phone || i >= end || header.includes(i) || button.includes(i) ? [] : [i]));
  if ([body, header, button].some(({ length }) => length > MAX_VALUES))
    throw invalid('csv', `must have at most ${MAX_VALUES} columns of values`);
  return rows.map(({ record, info }) => {
    const line = info.lines;
    const fault = cellsFault(record, names, phone);
    if (fault) return { line, phone: '', body_params: [], header_params: [], fault };
    const value = (i: number) => withoutGuard(record[i] ?? '');
    const values = { body_params: body.map(value), header_params: header.map(value) };
    return { line, phone: value(phone), ...values, ...(button.length > 0 && { button_params: button.map(value) }) };
  });
}

/** The fault of one row. A missing cell counts as empty. */
function cellsFault(record: string[], names: string[], phone: number): BroadcastRow['fault'] | null {
  if (record.length > names.length) return { field: 'row', message: `has ${record.length} cells, and the heading ${names.length}` };
  const maxLength = (i: number) => (i === phone ? MAX_PHONE_LENGTH : MAX_PARAM_LENGTH);
  const long = record.findIndex((cell, i) => isLonger(cell, maxLength(i)));
  return long < 0 ? null : { field: names[long] || `column ${long + 1}`, message: `must have at most ${maxLength(long)} characters` };
}
