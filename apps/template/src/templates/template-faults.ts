import type { TemplateContent } from '@mgw/contracts';

export interface Fault {
  field: string;
  message: string;
}

type Button = NonNullable<TemplateContent['buttons']>[number];

const VARIABLE = /\{\{\s*(\w*)\s*\}\}/g;
/** Buttons of a kind that a template may have. */
const MAX_BUTTONS: Partial<Record<Button['type'], number>> = { url: 2, phone: 1, copy_code: 1 };

/** Finds what WhatsApp refuses or rejects, before it sees the template (platform §3.1). */
export function templateFaults(content: TemplateContent): Fault[] {
  const faults: Fault[] = [];
  const check = (isWrong: boolean, field: string, message: string) => isWrong && faults.push({ field, message });
  const { category, header, body, footer, buttons = [], examples = {} } = content;
  if (category === 'AUTHENTICATION') {
    for (const part of ['header', 'body', 'footer', 'examples'] as const)
      check(content[part] !== undefined, part, 'does not go with AUTHENTICATION: WhatsApp writes the text of a code');
    check(buttons.length > 1 || buttons.some(({ type }) => type !== 'copy_code'), 'buttons', 'may have one copy_code button only');
    return faults;
  }
  if (body === undefined || body.trim() === '') faults.push({ field: 'body', message: 'is required' });
  else bodyFaults(body, examples.body ?? [], check);
  if (header) headerFaults(header, examples.header ?? [], check);
  if (footer !== undefined) {
    check(footer.trim() === '', 'footer', 'must not be blank; leave it out instead');
    check(variablesIn(footer).length > 0, 'footer', 'must not have variables');
    check(footer.includes('\n'), 'footer', 'must be one line');
  }
  buttonFaults(buttons, check);
  return faults;
}

type Check = (isWrong: boolean, field: string, message: string) => void;

/** Names of variables in the order in which they appear, each once. */
export const variablesIn = (text: string): string[] => [...new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name))];

/** Whether the variables have names instead of numbers. */
export const isNamed = ({ body = '', header }: TemplateContent): boolean =>
  [...variablesIn(body), ...variablesIn(header?.text ?? '')].some((name) => !/^\d+$/.test(name));

/** Counts words, even of languages that put no spaces between them. */
function wordsIn(text: string): number {
  const segments = new Intl.Segmenter('en', { granularity: 'word' }).segment(text.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' '));
  return [...segments].filter(({ isWordLike }) => isWordLike).length;
}

function bodyFaults(body: string, examples: string[], check: Check): void {
  const names = variablesIn(body);
  const numbers = names.filter((name) => /^\d+$/.test(name));
  check(names.includes(''), 'body', 'has a variable without a name: write {{1}} or {{first_name}}');
  check(/\{\{\s*[^{}]*[^\w\s{}][^{}]*\}\}/.test(body), 'body', 'has a variable with other characters than letters, digits and _');
  check(numbers.length > 0 && numbers.length < names.length, 'body', 'must have either numbered or named variables');
  check(
    names.some((name) => name !== name.toLowerCase()),
    'body',
    'must have names of variables in lower case',
  );
  const isCounted = [...numbers].sort((a, b) => Number(a) - Number(b)).every((name, i) => Number(name) === i + 1);
  check(numbers.length === names.length && !isCounted, 'body', 'must number its variables {{1}}, {{2}} and so on, without a gap');
  const text = body.trim();
  check(
    /^\{\{[^}]*\}\}/.test(text) || /\{\{[^}]*\}\}[\s.!?]*$/.test(text),
    'body',
    'must not begin or end with a variable: add words around it',
  );
  check(/\}\}\s*\{\{/.test(body), 'body', 'must have words between two variables');
  check(
    names.length > 0 && wordsIn(body.replace(VARIABLE, ' ')) < 2 * names.length + 1,
    'body',
    'has too many variables for its length: add words',
  );
  check(/\n{3,}/.test(body), 'body', 'must not have more than two line breaks in a row');
  check(/\t| {5}/.test(body), 'body', 'must not have a tab or five spaces in a row');
  exampleFaults('examples.body', names, examples, check);
}

function headerFaults(header: NonNullable<TemplateContent['header']>, examples: string[], check: Check): void {
  const { type, text, example } = header;
  if (type !== 'text') {
    check(text !== undefined, 'header.text', `does not go with ${type}`);
    check(!example, 'header.example', 'is required: the handle of a sample that you have uploaded');
    return;
  }
  check(!text?.trim(), 'header.text', 'is required');
  const names = variablesIn(text ?? '');
  check(names.length > 1, 'header.text', 'may have one variable');
  check(
    /[\n*_~`]|\p{Extended_Pictographic}/u.test((text ?? '').replace(VARIABLE, '')),
    'header.text',
    'must have no line break, formatting or emoji',
  );
  exampleFaults('examples.header', names, examples, check);
}

function exampleFaults(field: string, names: string[], examples: string[], check: Check): void {
  const isComplete = examples.length === names.length && examples.every((example) => example.trim() !== '');
  check(
    !isComplete,
    field,
    names.length === 0 ? 'must be empty: there are no variables' : `must have an example for each of ${names.length} variables`,
  );
}

function buttonFaults(buttons: Button[], check: Check): void {
  for (const [type, most] of Object.entries(MAX_BUTTONS))
    check(buttons.filter((button) => button.type === type).length > most, 'buttons', `may have ${most} of type ${type}`);
  const kinds = buttons.map(({ type }) => type === 'quick_reply');
  check(
    kinds.filter((kind, i) => kind !== kinds[i - 1]).length > 2,
    'buttons',
    'must have quick replies together, before or after the others',
  );
  buttons.forEach(({ type, text, url, phone, example }, i) => {
    const field = (name: string) => `buttons.${i}.${name}`;
    check(text.trim() === '', field('text'), 'must not be blank');
    check(variablesIn(text).length > 0, field('text'), 'must not have variables');
    if (type === 'url') urlFaults(url, example, field, check);
    if (type === 'phone') check(!/^\+?[\d ]{7,20}$/.test(phone ?? ''), field('phone'), 'must be a phone number with its country code');
    if (type === 'copy_code') check(!example?.trim() || example.length > 15, field('example'), 'must be a code of at most 15 characters');
  });
}

function urlFaults(url: string | undefined, example: string | undefined, field: (name: string) => string, check: Check): void {
  const names = variablesIn(url ?? '');
  check(
    !URL.canParse((url ?? '').replace(VARIABLE, 'x')) || !/^https?:/.test(url ?? ''),
    field('url'),
    'must be an address that begins with https://',
  );
  check(
    names.length > 1 || (names.length === 1 && !/\{\{\s*1\s*\}\}$/.test(url ?? '')),
    field('url'),
    'may have one variable, {{1}}, at its end',
  );
  check(names.length > 0 && !example?.trim(), field('example'), 'is required: the whole address with a sample value');
}
