import type { Schemas } from '../../api/client';
import { phoneDialled } from '../../components/phone-shown';
import { quoted } from '../../components/shell-quote';

type Message = Schemas['MessageDetail']['message'];
type Template = Pick<Schemas['TemplateList']['templates'][number], 'name' | 'language' | 'content'>;

const VARIABLE = /\{\{\s*\w+\s*\}\}/;

/** The values that made a template's text; null if the text does not fit the template, or does not show which words belong to which value value. */
export function valuesOf(content: string, text: string): string[] | null {
  const [head = '', ...parts] = content.split(VARIABLE);
  if (!text.startsWith(head)) return null;
  const values: string[] = [];
  let at = head.length;
  for (const [i, part] of parts.entries()) {
    const isLast = i === parts.length - 1;
    if (!isLast && part.trim() === '') return null;
    const end = !isLast ? text.indexOf(part, at) : text.endsWith(part) ? text.length - part.length : -1;
    if (end < at) return null;
    values.push(text.slice(at, end));
    at = end + part.length;
  }
  return at === text.length ? values : null;
}

/**
 * The request that sends the message again. Files, codes and buttons are not in the log, so other messages have the request of their
 * status.
 * @param templates those of the business, in all languages
 */
export function requestCurl(message: Message, templates: Template[], site: string): { label: string; text: string } {
  const { message_id, to, type, text } = message;
  const phone = phoneDialled(to);
  const send = (path: string, body: object) => ({
    label: 'Send it again with your API key',
    text: `curl ${site}/api/v1/${path} \\\n  -H 'X-API-Key: YOUR_KEY' -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(body))}`,
  });
  if (type === 'text') return send('send-text', { phone, message: text });
  if (type === 'template' && message.template !== null) {
    const template = templates.find(
      ({ name, language }) => name === message.template && (!message.language || language === message.language),
    );
    const body_params = template && valuesOf(template.content, text);
    if (body_params) return send('send-template', { phone, template_name: message.template, language: template.language, body_params });
  }
  return {
    label: 'Its status with your API key',
    text: `curl ${site}/api/v1/message-status/${encodeURIComponent(message_id)} \\\n  -H 'X-API-Key: YOUR_KEY'`,
  };
}
