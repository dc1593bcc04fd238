import {
  urlEndFault,
  headerUrlFault,
  MAX_VALUE_CHARACTERS,
  valueCounts,
  type BroadcastRow,
  type RowFault,
  type TemplateShape,
} from '@mgw/contracts';
import { normalizePhone } from '@mgw/phone';

const PLATFORM_REFUSES = /[\n\t]| {5}/;

/**
 * Checks every row before anything is sent: its form, its phone number, duplicates, and the values that the template takes.
 * @returns the faults, and the valid phone numbers, each once
 */
export function checkRows(
  template: TemplateShape,
  rows: BroadcastRow[],
): { recipients: BroadcastRow[]; faults: RowFault[]; phones: string[] } {
  const counts = valueCounts(template);
  const buttons = template.button_parameters.filter(({ takes }) => takes !== 'otp');
  const faults: RowFault[] = [];
  const phones = new Set<string>();
  /** Lines of rows without another fault: a repeated row may be left out only if the other one stays. */
  const lineOf = new Map<string, number>();
  const recipients = rows.map((row) => {
    const { line } = row;
    const before = faults.length;
    const fault = (field: string, message: string) => void faults.push({ line, field, message });
    if (row.fault) {
      fault(row.fault.field, row.fault.message);
      return row;
    }
    const phone = normalizePhone(row.phone);
    if (!phone.ok) fault('phone', phone.reason);
    else if (lineOf.has(phone.value)) fault('phone', `is the same as in line ${lineOf.get(phone.value)}`);
    const button_params = row.button_params ?? [];
    const header_params = withoutEmptyName(row.header_params, counts.header);
    const parts = { body: row.body_params, header: header_params, button: button_params };
    for (const part of ['body', 'header', 'button'] as const) {
      const values = parts[part];
      const [least, most] = counts[part === 'button' ? 'buttons' : part];
      if (values.length < least || values.length > most) fault(`${part}_params`, `must hold ${least} values; the row has ${values.length}`);
      else if (values.some((value) => value.trim() === '')) fault(`${part}_params`, 'must not hold an empty value');
      else if (values.some((value) => PLATFORM_REFUSES.test(value)))
        fault(`${part}_params`, 'must not hold a line break, a tab or five spaces in a row');
    }
    const urlFault = headerUrlFault(template, header_params);
    if (urlFault !== null) fault('header_params', urlFault);
    const endFault = button_params
      .filter((_, i) => buttons[i]?.takes === 'link')
      .map(urlEndFault)
      .find((found) => found !== null);
    if (endFault) fault('button_params', endFault);
    const characters = Object.values(parts)
      .flat()
      .reduce((sum, { length }) => sum + length, 0);
    if (characters > MAX_VALUE_CHARACTERS)
      fault('body_params', `and all other values must have at most ${MAX_VALUE_CHARACTERS} characters altogether`);
    if (!phone.ok) return row;
    phones.add(phone.value);
    if (faults.length === before) lineOf.set(phone.value, line);
    return { ...row, header_params, phone: phone.value };
  });
  return { recipients, faults, phones: [...phones] };
}

/** The file name of a document is optional. A CSV file has an empty cell for it if another row has a name. */
function withoutEmptyName(values: string[], [least, most]: readonly [number, number]): string[] {
  return least < most && values.length === most && values.at(-1)?.trim() === '' ? values.slice(0, least) : values;
}
