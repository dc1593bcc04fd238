import type { Schemas } from '../../api/client';
import { bodyFields, buttonFields, headerFields, type Template } from '../templates/template-values';
import type { RecipientsTable } from './recipients-table';

/** A column of the list, by its place and its name. */
interface ColumnSource {
  /** null if the list has no column of this name. */
  column: number | null;
  name: string;
  /** Whether a person chose it, instead of `mapByNames`. */
  isChosen?: true;
}
/** The origin of a value: a column of the list, one text for everybody, or null for none. A required field with null takes no remaining column. */
export type Source = ColumnSource | { text: string } | null;
/** The source of each field, by its key. */
export type Mapping = Record<string, Source>;
export interface Field {
  key: string;
  label: string;
  example?: string | undefined;
  /** Names that a column may have to fill it by itself. */
  names: string[];
  isOptional: boolean;
}
export type Recipient = NonNullable<Schemas['CheckBroadcastRequest']['recipients']>[number];

const PHONE_NAMES = ['phone', 'mobile', 'number', 'whatsapp', 'tel', 'telephone', 'phone number', 'mobile number'];

/**
 * The values that a template needs from each row. Keys have the names of variables, which each language may have in another order. A column
 * has the key or the place of its field, or the name of a variable.
 */
export function fieldsOf(template: Template): Field[] {
  return [
    { key: 'phone', label: 'Phone number', example: '919876543210', names: PHONE_NAMES, isOptional: false },
    ...headerFields(template).map(({ label, variable, example, isOptional = false }, i) => {
      const key = `header_${variable ?? i + 1}`;
      return { key, label, example, isOptional, names: [key.toLowerCase(), `header_${i + 1}`, ...(i === 0 ? ['header'] : [])] };
    }),
    ...bodyFields(template).map(({ label, variable = '', example }, i) => {
      const key = `body_${variable}`;
      return { key, label, example, isOptional: false, names: [key.toLowerCase(), `body_${i + 1}`, variable.toLowerCase()] };
    }),
    ...buttonFields(template).map(({ label }, i) => ({
      ...{ key: `button_${i + 1}`, label, isOptional: false },
      names: [`button_${i + 1}`, ...(i === 0 ? ['button'] : [])],
    })),
  ];
}

export const isColumn = (source: Source | undefined): source is ColumnSource => !!source && 'column' in source;

/**
 * Keeps the sources whose columns are in the list, fills the others with the columns of their names, and fields that never had a source with
 * the remaining columns in their order. A column that a person chose is replaced by a person only.
 */
export function mapByNames(fields: Field[], names: string[], kept: Mapping = {}): Mapping {
  const lower = names.map((name) => plain(name));
  const mapping: Mapping = {};
  const free = new Set(names.keys());
  const take = ({ key }: Field, column: number) => {
    if (free.delete(column)) mapping[key] = { column, name: names[column] ?? '' };
  };
  for (const { key } of fields) {
    const source = kept[key];
    if (source === undefined) continue;
    const column = isColumn(source) ? columnOf(source, lower, Object.values(kept)) : null;
    mapping[key] = isColumn(source) ? { ...source, column } : source;
    if (column !== null) free.delete(column);
  }
  for (const field of fields) {
    const source = mapping[field.key];
    if (source === undefined || (source === null && !field.isOptional) || (isColumn(source) && source.column === null && !source.isChosen))
      take(
        field,
        lower.findIndex((name, i) => free.has(i) && field.names.includes(name)),
      );
  }
  // A list without a heading has its phone numbers in the first column.
  for (const field of fields) if (mapping[field.key] === undefined && !field.isOptional) take(field, [...free][0] ?? -1);
  return mapping;
}

/** @param name missing in drafts of an earlier version */
const plain = (name = '') => name.trim().toLowerCase();

/** The column of the source's name. If several columns of either list have it, only the one at the same place is certain. */
function columnOf({ column, name }: ColumnSource, lower: string[], kept: Source[]): number | null {
  const wanted = plain(name);
  if (column !== null && lower[column] === wanted) return column;
  const namesakes = kept.filter(isColumn).filter((other) => plain(other.name) === wanted);
  if (namesakes.length > 1 && namesakes.some((other) => other.column === null || other.column !== column)) return null;
  const first = lower.indexOf(wanted);
  return first >= 0 && first === lower.lastIndexOf(wanted) ? first : null;
}

export const isMapped = (fields: Field[], mapping: Mapping): boolean =>
  fields.every(({ key, isOptional }) => {
    const source = mapping[key];
    return !source ? isOptional : isColumn(source) ? source.column !== null : source.text.trim() !== '';
  });

/** The recipients of all rows, as a request has them. */
export function recipientsOf(fields: Field[], mapping: Mapping, { rows }: RecipientsTable): Recipient[] {
  const sources = (part: string) =>
    fields.filter(({ key, isOptional }) => key.startsWith(part) && (!isOptional || mapping[key])).map(({ key }) => mapping[key]);
  const [headers, bodies, buttons] = [sources('header_'), sources('body_'), sources('button_')];
  const phone = mapping['phone'];
  return rows.map(({ cells }) => {
    const value = (source: Source | undefined) => (!source ? '' : isColumn(source) ? (cells[source.column ?? -1] ?? '') : source.text);
    return {
      phone: value(phone),
      body_params: bodies.map(value),
      ...(headers.length > 0 && { header_params: headers.map(value) }),
      ...(buttons.length > 0 && { button_params: buttons.map(value) }),
    };
  });
}
