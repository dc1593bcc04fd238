import type { TemplateContent } from '@mgw/contracts';
import { isNamed, variablesIn } from './template-faults';

type Json = Record<string, unknown>;
/** Minutes for which the code of an AUTHENTICATION template is valid. */
const CODE_MINUTES = 10;

/** The components of a valid template, as WhatsApp's API takes them (platform §3.1). */
export function componentsOf(content: TemplateContent): Json[] {
  const { category, header, body = '', footer, buttons = [], examples = {} } = content;
  if (category === 'AUTHENTICATION')
    return [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: CODE_MINUTES },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: buttons[0]?.text ?? 'Copy code' }] },
    ];
  const named = isNamed(content);
  const exampleOf = (part: 'header' | 'body', text: string, values: string[] = []) => {
    const names = variablesIn(text);
    if (names.length === 0) return {};
    if (named) return { example: { [`${part}_text_named_params`]: names.map((name, i) => ({ param_name: name, example: values[i] })) } };
    const inOrder = names.map((name, i) => ({ nth: Number(name), value: values[i] })).sort((a, b) => a.nth - b.nth);
    const list = inOrder.map(({ value }) => value);
    return { example: { [`${part}_text`]: part === 'body' ? [list] : list } };
  };
  return [
    ...(header ? [headerOf(header, exampleOf('header', header.text ?? '', examples.header))] : []),
    { type: 'BODY', text: body, ...exampleOf('body', body, examples.body) },
    ...(footer === undefined ? [] : [{ type: 'FOOTER', text: footer }]),
    ...(buttons.length === 0 ? [] : [{ type: 'BUTTONS', buttons: buttons.map(buttonOf) }]),
  ];
}

function headerOf({ type, text, example }: NonNullable<TemplateContent['header']>, examples: Json): Json {
  if (type === 'text') return { type: 'HEADER', format: 'TEXT', text, ...examples };
  return { type: 'HEADER', format: type.toUpperCase(), example: { header_handle: [example] } };
}

function buttonOf({ type, text, url, phone, example }: NonNullable<TemplateContent['buttons']>[number]): Json {
  switch (type) {
    case 'url':
      return { type: 'URL', text, url, ...(example && { example: [example] }) };
    case 'phone':
      return { type: 'PHONE_NUMBER', text, phone_number: phone?.replaceAll(' ', '') };
    case 'copy_code':
      return { type: 'COPY_CODE', example };
    case 'quick_reply':
      return { type: 'QUICK_REPLY', text };
  }
}
