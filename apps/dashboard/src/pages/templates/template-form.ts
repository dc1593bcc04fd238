import type { Schemas } from '../../api/client';
import type { MediaType } from './sample-file';
import { buttonsOf, type Template, type TextComponent } from './template-values';

type TemplateRequest = Schemas['CreateTemplateRequest'];
export type ButtonType = 'url' | 'phone' | 'quick_reply' | 'copy_code';
/** A button with the fields of every type; a request has those of its own. */
export type FormButton = Record<'text' | 'url' | 'phone' | 'example', string> & { type: ButtonType };
export interface TemplateForm {
  name: string;
  language: string;
  category: TemplateRequest['category'];
  header: string;
  /** A file in place of the text: the name and the upload's handle of its sample, both empty until it is chosen. */
  media: { type: MediaType; filename: string; handle: string } | null;
  body: string;
  footer: string;
  buttons: FormButton[];
  /** Examples by part and variable, as `body 1`. */
  examples: Record<string, string>;
}

const TYPES: Record<string, ButtonType> = { URL: 'url', PHONE_NUMBER: 'phone', QUICK_REPLY: 'quick_reply', COPY_CODE: 'copy_code' };
const MEDIA_TYPES: Record<string, MediaType> = { IMAGE: 'image', VIDEO: 'video', DOCUMENT: 'document' };
const PARTS = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'];
const EDITABLE = ['APPROVED', 'REJECTED', 'PAUSED'];

export const EMPTY_BUTTON: Omit<FormButton, 'type'> = { text: '', url: '', phone: '', example: '' };
export const EMPTY_FORM: TemplateForm = {
  ...{ name: '', language: 'en', category: 'UTILITY', header: '', media: null, body: '', footer: '', buttons: [], examples: {} },
};

/** Names of variables in their order, each once. */
export const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name)),
];

/** A text with its examples; a variable without one stays. */
export const withExamples = (part: 'header' | 'body', text: string, examples: TemplateForm['examples']): string =>
  text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => examples[`${part} ${name}`] || whole);

/** Why the editor cannot change a template; null if it can. */
export function editFault(template: Template): string | null {
  const { category, header_type, status, components } = template;
  if (!EDITABLE.includes(status)) return 'WhatsApp must review it first.';
  const isPlain =
    category !== 'AUTHENTICATION' &&
    (header_type === null || header_type === 'TEXT' || header_type in MEDIA_TYPES) &&
    (components as { type?: string }[]).every(({ type = '' }) => PARTS.includes(type)) &&
    buttonsOf(template).every(({ type = '' }) => type in TYPES);
  return isPlain ? null : 'It has parts that only WhatsApp Manager changes.';
}

type StoredButton = ReturnType<typeof buttonsOf>[number] & { phone_number?: string; example?: string | string[] };

/** The kind of file that a template's header is; undefined for a text. */
export const mediaTypeOf = ({ header_type }: Template): MediaType | undefined => MEDIA_TYPES[header_type ?? ''];

/** The form of a template that the editor can change. */
export function formOf(template: Template): TemplateForm {
  const part = (name: string) => (template.components as TextComponent[]).find(({ type }) => type === name);
  const [header, body] = [part('HEADER'), part('BODY')];
  const examples = (name: 'header' | 'body', component: TextComponent | undefined, values: string[] = []) => {
    const named = component?.example?.[`${name}_text_named_params`] ?? [];
    const numbered = variablesOf(component?.text ?? '').map((variable) => [variable, values[Number(variable) - 1] ?? ''] as const);
    const all = named.length > 0 ? named.map(({ param_name, example }) => [param_name, example] as const) : numbered;
    return Object.fromEntries(all.map(([variable, example]) => [`${name} ${variable}`, example]));
  };
  const mediaType = mediaTypeOf(template);
  return {
    name: template.name,
    language: template.language,
    category: template.category as TemplateForm['category'],
    header: header?.text ?? '',
    // WhatsApp shows no handle again, so an edit needs a new sample.
    media: mediaType ? { type: mediaType, filename: '', handle: '' } : null,
    body: body?.text ?? '',
    footer: template.footer_text ?? '',
    buttons: (buttonsOf(template) as StoredButton[]).map(({ type = '', text = '', url = '', phone_number = '', example }) => ({
      ...{ type: TYPES[type] ?? 'quick_reply', text: text || 'Copy code', url, phone: phone_number },
      example: (Array.isArray(example) ? example[0] : example) ?? '',
    })),
    examples: { ...examples('header', header, header?.example?.header_text), ...examples('body', body, body?.example?.body_text?.[0]) },
  };
}

export function requestOf({ name, language, category, header, media, body, footer, buttons, examples }: TemplateForm): TemplateRequest {
  if (category === 'AUTHENTICATION') return { name, language, category };
  const values = (part: 'header' | 'body', text: string) => variablesOf(text).map((variable) => examples[`${part} ${variable}`] ?? '');
  const text = media ? '' : header;
  return {
    ...{ name, language, category, body },
    ...(media && { header: { type: media.type, example: media.handle } }),
    ...(text && { header: { type: 'text' as const, text } }),
    ...(footer && { footer }),
    ...(buttons.length > 0 && {
      buttons: buttons.map(({ type, text, url, phone, example }) => ({
        ...{ type, text },
        ...(type === 'url' && { url }),
        ...(type === 'phone' && { phone }),
        ...(example && type !== 'phone' && type !== 'quick_reply' && { example }),
      })),
    }),
    examples: { ...(variablesOf(text).length > 0 && { header: values('header', text) }), body: values('body', body) },
  };
}
