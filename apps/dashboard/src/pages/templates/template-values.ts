import type { Schemas } from '../../api/client';

export type Template = Schemas['TemplateList']['templates'][number];

/** A value for a template's header or button. */
export interface ValueField {
  label: string;
  isOptional?: boolean;
}
interface Button {
  type?: string;
  text?: string;
  url?: string;
}

const VARIABLE = /\{\{\s*(\w+)\s*\}\}/g;
const MEDIA_FIELDS: Record<string, ValueField[]> = {
  IMAGE: [{ label: 'Header: image URL' }],
  VIDEO: [{ label: 'Header: video URL' }],
  DOCUMENT: [{ label: 'Header: document URL' }, { label: 'Header: file name', isOptional: true }],
  LOCATION: ['latitude', 'longitude', 'name of the place', 'address'].map((what) => ({ label: `Header: ${what}` })),
};

const variablesOf = ({ header_text }: Template) => [...new Set(header_text?.match(VARIABLE))];

/** `header_params` in their order (decision 15). */
export function headerFields(template: Template): ValueField[] {
  return MEDIA_FIELDS[template.header_type ?? ''] ?? variablesOf(template).map((variable) => ({ label: `Header: ${variable}` }));
}

export function filledHeader(template: Template, values: string[]): string | null {
  const variables = variablesOf(template);
  return template.header_text?.replace(VARIABLE, (variable) => values[variables.indexOf(variable)] || variable) ?? null;
}

/** The body with its values; a variable without a value stays. */
export const filledBody = ({ content }: Template, values: string[]): string =>
  content.replace(/\{\{\s*(\d+)\s*\}\}/g, (whole, nth: string) => values[Number(nth) - 1] || whole);

/** `button_params` in their order. An AUTHENTICATION template carries its code in the body.  */
export function buttonFields(template: Template): ValueField[] {
  if (template.category === 'AUTHENTICATION') return [];
  return buttonsOf(template).flatMap(({ type, text, url }) => {
    if (type === 'COPY_CODE') return [{ label: 'Button: coupon code' }];
    return type === 'URL' && url?.match(VARIABLE) ? [{ label: `Button “${text ?? ''}”: end of its address` }] : [];
  });
}

export function buttonsOf({ components }: Template): Button[] {
  return (components as { type?: string; buttons?: Button[] }[]).find(({ type }) => type === 'BUTTONS')?.buttons ?? [];
}

/** The texts of a template's buttons. */
export const labelsOf = (template: Template) => buttonsOf(template).map(({ text }) => text ?? '');
