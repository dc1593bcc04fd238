import type { Schemas } from '../../api/client';

export type Template = Schemas['TemplateList']['templates'][number];

/** One language of a template in a question, or in the name of a control. */
export const templateShown = ({ name, language }: Template): string => `${name} in ${language}`;

/** A value for a template's header or button. */
export interface ValueField {
  label: string;
  /** The variable, such as `first_name` or `1`. */
  variable?: string;
  /** A value as the template's author wrote it, or the variable's name. */
  example?: string;
  isOptional?: boolean;
}
/** The variables of a text, and their examples. */
export interface TextComponent {
  type?: string;
  text?: string;
  example?: {
    body_text?: string[][];
    header_text?: string[];
    body_text_named_params?: { param_name: string; example: string }[];
    header_text_named_params?: { param_name: string; example: string }[];
  };
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

/** Examples of the variables of a part: of named ones by name, because they may have any order. */
function examplesOf({ components }: Template, part: 'header' | 'body', variables: string[]): (string | undefined)[] {
  const { example } = (components as TextComponent[]).find(({ type }) => type === part.toUpperCase()) ?? {};
  const named = example?.[`${part}_text_named_params`];
  if (named) return variables.map((variable) => named.find(({ param_name }) => param_name === variable)?.example);
  return (part === 'body' ? example?.body_text?.[0] : example?.header_text) ?? [];
}

const withExample = (label: string, example: string | undefined): ValueField =>
  example ? { label: `${label}, such as ${example}`, example } : { label };

/** `body_params` in their order, each with its example: a number alone has no meaning for the person who fills it in. */
export function bodyFields(template: Template): ValueField[] {
  const examples = examplesOf(template, 'body', template.variables);
  return template.variables.map((variable, i) => {
    const name = variable === String(i + 1) ? undefined : variable;
    const field = withExample(name ? `{{${i + 1}}} ${name}` : `{{${i + 1}}}`, examples[i]);
    return { ...field, variable, ...(!field.example && name && { example: name }) };
  });
}

/** `header_params` in their order (decision 15). */
export function headerFields(template: Template): ValueField[] {
  const variables = variablesOf(template);
  const names = variables.map((variable) => variable.replaceAll(/\W/g, ''));
  const examples = examplesOf(template, 'header', names);
  return (
    MEDIA_FIELDS[template.header_type ?? ''] ??
    names.map((variable, i) => ({ ...withExample(`Header: ${variables[i]}`, examples[i]), variable }))
  );
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
