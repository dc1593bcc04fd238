import { MAX_IMPORTED, type ImportSuppressions, type RequestOf } from '@mgw/contracts';
import { normalizePhone } from '@mgw/phone';
import { isLonger, rule } from '../requests/field-rules';
import { contentFault } from '../requests/json-body';
import { CHECKS_NESTED } from '../requests/prepared-check';
import { isZonedDatetime } from '../requests/zoned-datetime';
import { STATES } from './suppression-states';

type ValidRow = RequestOf<typeof ImportSuppressions>['rows'][number];
export interface ImportFault {
  /** The position in the list, from 1. */
  row: number;
  field: string;
  message: string;
}

const MAX_REASON = 500;

/** Checks only the list, because a fault in a row does not refuse the others. */
export const IsImport = () =>
  rule(
    'isImport',
    (value) =>
      Array.isArray(value) && value.length > 0 && value.length <= MAX_IMPORTED ? null : `must be a list of 1 to ${MAX_IMPORTED} rows`,
    [CHECKS_NESTED],
  );

export function importedRows(rows: unknown[]): { valid: ValidRow[]; faults: ImportFault[] } {
  const valid: ValidRow[] = [];
  const faults: ImportFault[] = [];
  for (const [i, row] of rows.entries()) {
    const read = readRow(row);
    if ('message' in read) faults.push({ row: i + 1, ...read });
    else valid.push(read);
  }
  return { valid, faults };
}

function readRow(row: unknown): ValidRow | Omit<ImportFault, 'row'> {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return { field: '', message: 'must be an object' };
  const forbidden = contentFault(row);
  if (forbidden) return forbidden;
  const { phone, state, reason = null, since = null } = row as Record<string, unknown>;
  const number = typeof phone === 'string' ? normalizePhone(phone) : null;
  if (!number?.ok) return { field: 'phone', message: number?.reason ?? 'must be a string' };
  const known = STATES.find((one) => one === state);
  if (known === undefined) return { field: 'state', message: `must be one of ${STATES.join(', ')}` };
  if (reason !== null && (typeof reason !== 'string' || reason.trim() === '' || isLonger(reason, MAX_REASON)))
    return { field: 'reason', message: `must be a text of 1 to ${MAX_REASON} characters` };
  if (since !== null && !isZonedDatetime(since))
    return { field: 'since', message: 'must be a time with its zone, such as 2027-01-31T00:00:00.000Z' };
  const at = since === null ? null : new Date(since as string);
  if (at !== null && at.getTime() > Date.now()) return { field: 'since', message: 'must not be in the future' };
  return { phone: number.value, state: known, reason, since: at && at.toISOString() };
}
