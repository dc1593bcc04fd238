import type { TemplateRecord, TemplateShape } from '@mgw/contracts';
import type { GraphTemplateComponent } from '@mgw/platform-api';
import type { StoredTemplate } from './templates.store';

/** Maps the platform's template to the API's record (spec §2.4, platform §3.2). */
export function templateRecord(template: StoredTemplate): TemplateRecord {
  const header = component(template, 'HEADER');
  const { content, variables } = body(template);
  return {
    id: Number(template.id),
    name: template.name,
    display_name: displayName(template.name),
    content,
    category: template.category,
    language: template.language,
    header_type: header?.format ?? null,
    header_text: header?.format === 'TEXT' ? (header.text ?? null) : null,
    footer_text: component(template, 'FOOTER')?.text ?? null,
    variables,
  };
}

export function templateShape(template: StoredTemplate): TemplateShape {
  const { id, name, language, category, content, header_type, header_text, variables } = templateRecord(template);
  return {
    id,
    name,
    language,
    category,
    content,
    body_variables: variables,
    named: template.named,
    header_format: header_type,
    header_text,
    header_variables: namesIn(header_text ?? ''),
    button_parameters: buttonParameters(template),
  };
}

function component({ components }: StoredTemplate, type: string): GraphTemplateComponent | undefined {
  return components.find((candidate) => candidate.type === type);
}

/** Replaces `{{first_name}}` of NAMED templates by `{{1}}`, in order of first appearance. */
function body(template: StoredTemplate): { content: string; variables: string[] } {
  const text = component(template, 'BODY')?.text ?? '';
  const names = namesIn(text);
  if (!template.named) return { content: text, variables: names.sort((a, b) => Number(a) - Number(b)) };
  const content = text.replace(VARIABLE, (_whole, name: string) => `{{${names.indexOf(name) + 1}}}`);
  return { content, variables: names };
}

const VARIABLE = /\{\{\s*(\w+)\s*\}\}/g;

function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map((match) => match[1] as string))];
}

/** Finds buttons that take a value: a URL with a variable, a coupon code, or the code button of an AUTHENTICATION template (type OTP or URL). */
function buttonParameters(template: StoredTemplate): TemplateShape['button_parameters'] {
  const buttons = component(template, 'BUTTONS')?.buttons ?? [];
  return buttons.flatMap((button, index): TemplateShape['button_parameters'] => {
    if (template.category === 'AUTHENTICATION') return button.type === 'OTP' || button.type === 'URL' ? [{ index, takes: 'otp' }] : [];
    if (button.type === 'COPY_CODE') return [{ index, takes: 'coupon' }];
    return button.type === 'URL' && /\{\{\s*\w+\s*\}\}/.test(button.url ?? '') ? [{ index, takes: 'link' }] : [];
  });
}

function displayName(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
