import type { Schemas } from '../../api/client';
import { bodyFields, buttonFields, headerFields, type Template } from '../templates/template-values';
import type { RecipientsTable } from './recipients-table';

/** The origin of a value: a column of the list, or one text for everybody. */
export type Source = { column: number } | { text: string };
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

/** The values that a template needs from each row. */
export function fieldsOf(template: Template): Field[] {
  return [
    { key: 'phone', label: 'Phone number', example: '919876543210', names: PHONE_NAMES, isOptional: false },
    ...headerFields(template).map(({ label, example, isOptional = false }, i) => ({
      ...{ key: `header_${i + 1}`, label, example, isOptional },
      names: [`header_${i + 1}`, ...(i === 0 ? ['header'] : [])],
    })),
    ...bodyFields(template).map(({ label, example }, i) => ({
      ...{ key: `body_${i + 1}`, label, example, isOptional: false },
      names: [`body_${i + 1}`, (template.variables[i] ?? '').toLowerCase()],
    })),
    ...buttonFields(template).map(({ label }, i) => ({
      ...{ key: `button_${i + 1}`, label, isOptional: false },
      names: [`button_${i + 1}`, ...(i === 0 ? ['button'] : [])],
    })),
  ];
}

/** Fills fields with the columns of their names, and the others with the remaining columns in their order. */
export function mapByNames(fields: Field[], names: string[], kept: Mapping = {}): Mapping {
  const lower = names.map((name) => name.trim().toLowerCase());
  const mapping: Mapping = {};
  const free = new Set(names.keys());
  const take = ({ key }: Field, column: number) => {
    if (!free.delete(column)) return;
    mapping[key] = { column };
  };
  for (const field of fields) {
    const source = kept[field.key];
    if (source && 'text' in source) mapping[field.key] = source;
    else
      take(
        field,
        lower.findIndex((name, i) => free.has(i) && field.names.includes(name)),
      );
  }
  // A list without a heading has its phone numbers in the first column.
  for (const field of fields) if (!mapping[field.key] && !field.isOptional) take(field, [...free][0] ?? -1);
  return mapping;
}

export const isMapped = (fields: Field[], mapping: Mapping): boolean =>
  fields.every(({ key, isOptional }) => {
    const source = mapping[key];
    return source === undefined ? isOptional : 'column' in source || source.text.trim() !== '';
  });

/** The recipients of all rows, as a request has them. */
export function recipientsOf(fields: Field[], mapping: Mapping, { rows }: RecipientsTable): Recipient[] {
  const sources = (part: string) => fields.filter(({ key }) => key.startsWith(part)).flatMap(({ key }) => mapping[key] ?? []);
  const [headers, bodies, buttons] = [sources('header_'), sources('body_'), sources('button_')];
  const phone = mapping['phone'];
  return rows.map(({ cells }) => {
    const value = (source: Source | undefined) =>
      source === undefined ? '' : 'text' in source ? source.text : (cells[source.column] ?? '');
    return {
      phone: value(phone),
      body_params: bodies.map(value),
      ...(headers.length > 0 && { header_params: headers.map(value) }),
      ...(buttons.length > 0 && { button_params: buttons.map(value) }),
    };
  });
}
