import type { GraphTemplate, TemplateComponentRequest } from '@mgw/platform-api';
import type { Account } from '../accounts/accounts';
import { GraphFailure, badParameter } from './graph-error';

/** What an integration may put into `POST /{phone_number_id}/messages`; nothing of it is trusted. */
export interface MessageBody {
  messaging_product?: unknown;
  to?: unknown;
  recipient?: unknown;
  type?: unknown;
  text?: { body?: unknown };
  template?: { name?: unknown; language?: { code?: unknown }; components?: TemplateComponentRequest[] };
  biz_opaque_callback_data?: unknown;
  [member: string]: unknown;
}

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'];

/** As strict as the platform (platform §1). @throws GraphFailure */
export function checkMessage(account: Account, message: MessageBody, recipient: string): void {
  if (message.messaging_product !== 'whatsapp') throw badParameter('messaging_product must be "whatsapp"');
  if (account.status !== 'CONNECTED') throw new GraphFailure(133010, 'Account not registered');
  if (recipient === account.display_phone_number) throw new GraphFailure(131021, 'Recipient cannot be the sender');
  if (message.type === 'text') checkText(message);
  else if (message.type === 'template') checkTemplate(account, message, recipient);
  else if (MEDIA.includes(String(message.type))) checkMedia(message);
  else throw new GraphFailure(131051, 'Unsupported message type');
}

function checkText({ text }: MessageBody): void {
  const length = typeof text?.body === 'string' ? [...text.body].length : 0;
  if (length < 1 || length > 4096) throw badParameter('text.body must be 1 to 4096 characters');
}

function checkMedia(message: MessageBody): void {
  const media = message[String(message.type)] as { id?: unknown; link?: unknown; caption?: unknown } | undefined;
  if ((media?.id === undefined) === (media?.link === undefined)) throw badParameter('exactly one of id and link is needed');
  if (message.type === 'audio' && media?.caption !== undefined) throw badParameter('Unexpected key "caption" on param "audio"');
}

function checkTemplate(account: Account, { template }: MessageBody, recipient: string): void {
  const name = String(template?.name);
  const language = String(template?.language?.code);
  const found = account.templates.find((candidate) => candidate.name === name && candidate.language === language);
  if (!found || ['PENDING', 'REJECTED'].includes(found.status)) {
    throw new GraphFailure(132001, 'Template name does not exist in the translation', {
      status: 404,
      details: `template name (${name}) does not exist in ${language}`,
    });
  }
  if (found.status === 'PAUSED') throw new GraphFailure(132015, 'Template is paused');
  if (found.status !== 'APPROVED') throw new GraphFailure(132016, 'Template is disabled');
  if (found.category === 'AUTHENTICATION' && !/^\d+$/.test(recipient)) throw new GraphFailure(131062, 'BSUID recipients are not supported');
  const components = template?.components ?? [];
  checkCount(found, components, 'BODY');
  checkCount(found, components, 'HEADER');
  checkButtons(found, components);
  for (const { parameters } of components) for (const parameter of parameters ?? []) checkContent(parameter);
}

function checkCount(template: GraphTemplate, components: TemplateComponentRequest[], type: 'BODY' | 'HEADER'): void {
  const wanted = template.components.find((component) => component.type === type);
  const isMedia = wanted?.format !== undefined && wanted.format !== 'TEXT';
  const expected = isMedia ? 1 : new Set(wanted?.text?.match(/\{\{\s*\w+\s*\}\}/g)).size;
  const given = components.find((component) => component.type === type.toLowerCase())?.parameters?.length ?? 0;
  if (given === expected) return;
  const details = `${type.toLowerCase()}: number of localizable_params (${given}) does not match the expected number of params (${expected})`;
  throw new GraphFailure(132000, 'Number of parameters does not match the expected number of params', { details });
}

function checkButtons(template: GraphTemplate, components: TemplateComponentRequest[]): void {
  const buttons = template.components.find(({ type }) => type === 'BUTTONS')?.buttons ?? [];
  buttons.forEach((button, index) => {
    if (button.type !== 'URL' || !button.url?.includes('{{')) return;
    // Clients send the index as text and as a number.
    const given = components.find((component) => component.type === 'button' && String(component.index) === String(index));
    if (given?.parameters?.length) return;
    const details = `buttons: Button at index ${index} of type Url requires a parameter`;
    throw new GraphFailure(131008, 'Required parameter is missing', { details });
  });
}

function checkContent(parameter: { type?: string; text?: unknown }): void {
  if (parameter.type !== 'text') return;
  if (typeof parameter.text !== 'string' || parameter.text === '') throw new GraphFailure(131008, 'Required parameter is missing');
  if (/[\n\t]| {5,}/.test(parameter.text)) {
    const details = 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces';
    throw new GraphFailure(132018, 'Invalid parameter in template', { details });
  }
}
