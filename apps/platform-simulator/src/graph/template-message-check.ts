import { Type, type Static } from '@sinclair/typebox';
import type { GraphTemplate } from '@mgw/platform-api';
import type { Account } from '../accounts/accounts';
import type { MediaStore } from '../media/media-store';
import { isMediaKind } from '../media/media-types';
import { GraphFailure } from '../graph-error';
import { checkMedia } from './media-check';
import type { MessageBody } from './message-body';
import { checkShape, strict } from './shape';

const MAX_BODY = 1_024;
const MAX_OTP = 15;

const Parameter = Type.Object({
  type: Type.String(),
  text: Type.Optional(Type.String()),
  parameter_name: Type.Optional(Type.String()),
});
const Component = strict({
  type: Type.String({ pattern: '^(header|body|button|HEADER|BODY|BUTTON|carousel|limited_time_offer)$' }),
  sub_type: Type.Optional(Type.String()),
  // Clients send the index as text or as a number.
  index: Type.Optional(Type.Union([Type.String({ pattern: '^\\d$' }), Type.Integer({ minimum: 0, maximum: 9 })])),
  parameters: Type.Optional(Type.Array(Parameter)),
  cards: Type.Optional(Type.Array(Type.Object({}))),
});
const TemplateContent = strict({
  name: Type.String({ minLength: 1, maxLength: 512 }),
  namespace: Type.Optional(Type.String()),
  language: strict({ code: Type.String({ minLength: 1 }), policy: Type.Optional(Type.Literal('deterministic')) }),
  components: Type.Optional(Type.Array(Component)),
});
type Component = Static<typeof Component>;
type Parameter = Static<typeof Parameter>;

/** Checks a message against its template (platform §1.4, §1.5). @throws GraphFailure */
export function checkTemplateMessage(account: Account, { template }: MessageBody, recipient: string, media: MediaStore): void {
  const { name, language, components = [] } = checkShape(TemplateContent, template ?? {}, 'template');
  const found = account.templates.find((candidate) => candidate.name === name && candidate.language === language.code);
  if (!found || !['APPROVED', 'PAUSED', 'DISABLED'].includes(found.status)) {
    throw new GraphFailure(132001, 'Template name does not exist in the translation', {
      status: 404,
      details: `template name (${name}) does not exist in ${language.code}`,
    });
  }
  if (found.status === 'PAUSED') throw new GraphFailure(132015, 'Template is paused');
  if (found.status === 'DISABLED') throw new GraphFailure(132016, 'Template is disabled');
  const isCode = found.category === 'AUTHENTICATION';
  if (isCode && !/^\d+$/.test(recipient)) throw new GraphFailure(131062, 'BSUID recipients are not supported');
  checkPart(found, components, 'BODY');
  checkPart(found, components, 'HEADER');
  checkButtons(found, components);
  for (const { parameters = [] } of components) for (const parameter of parameters) checkParameter(parameter);
  checkHeaderFile(components, account.phone_number_id, media);
  checkLength(found, components);
  if (isCode) checkCode(components);
}

const partOf = (components: Component[], type: string) => components.find((component) => component.type.toLowerCase() === type);

/** Each variable once, in order. */
const variablesOf = (text = '') => [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name))];

function checkPart(template: GraphTemplate, components: Component[], type: 'BODY' | 'HEADER'): void {
  const wanted = template.components.find((component) => component.type === type);
  const isFile = wanted?.format !== undefined && wanted.format !== 'TEXT';
  const variables = variablesOf(wanted?.text);
  const expected = isFile ? 1 : variables.length;
  const part = type.toLowerCase();
  const parameters = partOf(components, part)?.parameters ?? [];
  if (parameters.length !== expected) {
    const details = `${part}: number of localizable_params (${parameters.length}) does not match the expected number of params (${expected})`;
    throw new GraphFailure(132000, 'Number of parameters does not match the expected number of params', { details });
  }
  const format = isFile ? (wanted.format as string).toLowerCase() : 'text';
  const allowed = format === 'text' ? ['text', 'currency', 'date_time'] : [format];
  const odd = parameters.find((parameter) => !allowed.includes(parameter.type));
  if (odd) {
    const details = `${part}: Format mismatch, expected ${format.toUpperCase()}, received ${odd.type.toUpperCase()}`;
    throw new GraphFailure(132012, 'Parameter format does not match format in the created template', { details });
  }
  if (template.parameter_format !== 'NAMED' || isFile) return;
  const unnamed = variables.find((name) => !parameters.some(({ parameter_name }) => parameter_name === name));
  if (unnamed !== undefined)
    throw new GraphFailure(100, 'Invalid parameter', { details: `${part}: Parameter name is missing or empty: ${unnamed}` });
}

function checkButtons(template: GraphTemplate, components: Component[]): void {
  const buttons = template.components.find(({ type }) => type === 'BUTTONS')?.buttons ?? [];
  const sent = components.filter(({ type }) => type.toLowerCase() === 'button');
  buttons.forEach((button, index) => {
    const needs = (button.type === 'URL' && button.url?.includes('{{')) || button.type === 'COPY_CODE';
    if (!needs || sent.some((one) => String(one.index) === String(index) && one.parameters?.length)) return;
    const type = button.type === 'URL' ? 'Url' : 'CopyCode';
    throw new GraphFailure(131008, 'Required parameter is missing', {
      details: `buttons: Button at index ${index} of type ${type} requires a parameter`,
    });
  });
  const beyond = sent.find(({ index }) => Number(index ?? 0) >= buttons.length);
  if (beyond)
    throw new GraphFailure(132018, 'Invalid parameter in template', {
      details: `buttons: Button at index ${beyond.index ?? 0} does not exist in the template`,
    });
}

function checkParameter({ type, text }: Parameter): void {
  if (type !== 'text') return;
  if (text === undefined || text === '') throw new GraphFailure(131008, 'Required parameter is missing');
  if (/[\n\t]| {5,}/.test(text)) {
    const details = 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces';
    throw new GraphFailure(132018, 'Invalid parameter in template', { details });
  }
}

function checkHeaderFile(components: Component[], phoneNumberId: string, media: MediaStore): void {
  const file = headerFile(components);
  if (file) checkMedia(file.kind, file.content, `template['components'][0]['parameters'][0]['${file.kind}']`, phoneNumberId, media);
}

/** The file in the header of a message, if any. */
export function headerFile(
  components: unknown,
): { kind: 'image' | 'video' | 'document'; content: { id?: unknown; link?: unknown } } | null {
  const header = partOf((components ?? []) as Component[], 'header')?.parameters?.[0] as Record<string, unknown> | undefined;
  const kind = String(header?.['type']);
  if (!header || !isMediaKind(kind) || kind === 'audio' || kind === 'sticker') return null;
  return { kind, content: (header[kind] ?? {}) as { id?: unknown; link?: unknown } };
}

/** The text of the body with its values. */
export function hydrated(template: GraphTemplate | undefined, components: unknown): string {
  const values = partOf((components ?? []) as Component[], 'body')?.parameters ?? [];
  const body = template?.components.find(({ type }) => type === 'BODY')?.text ?? '';
  return body.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, variable: string) => {
    const named = values.find(({ parameter_name }) => parameter_name === variable);
    return (named ?? values[Number(variable) - 1])?.text ?? whole;
  });
}

function checkLength(template: GraphTemplate, components: Component[]): void {
  if ([...hydrated(template, components)].length > MAX_BODY)
    throw new GraphFailure(132005, 'Template hydrated text too long', { details: `body: the translated text is longer than ${MAX_BODY}` });
}

/** The code of an AUTHENTICATION message. */
export function codeOf(components: unknown): string {
  return partOf((components ?? []) as Component[], 'body')?.parameters?.[0]?.text ?? '';
}

function checkCode(components: Component[]): void {
  if (codeOf(components).length > MAX_OTP)
    throw new GraphFailure(132018, 'Invalid parameter in template', { details: `the code must have at most ${MAX_OTP} characters` });
}
