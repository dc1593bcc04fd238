import { Type, type Static } from '@sinclair/typebox';
import type { TemplateComponentRequest } from '@mgw/platform-api';
import { GraphFailure } from '../graph-error';
import { personName, USER_ID } from '../people/person-name';
import { checkShape, strict } from './shape';

/** `POST /{phone_number_id}/messages` without its content; each type has its own check (platform §1.1). */
const Frame = strict({
  messaging_product: Type.Literal('whatsapp'),
  recipient_type: Type.Optional(Type.Union([Type.Literal('individual'), Type.Literal('group')])),
  to: Type.Optional(Type.String({ maxLength: 128 })),
  recipient: Type.Optional(Type.String({ maxLength: 160 })),
  type: Type.Optional(Type.String()),
  context: Type.Optional(strict({ message_id: Type.String({ minLength: 1 }) })),
  biz_opaque_callback_data: Type.Optional(Type.String({ maxLength: 512 })),
  messaging_account_id: Type.Optional(Type.String({ pattern: '^\\d+$' })),
});

export type MessageBody = Omit<Static<typeof Frame>, 'type'> & {
  type: string;
  template?: { name?: unknown; language?: { code?: unknown }; components?: TemplateComponentRequest[] };
  [member: string]: unknown;
};

/** Reads the message; the default type is text. @throws GraphFailure 100 with the parameter */
export function messageOf(body: unknown): MessageBody {
  const whole = (body ?? {}) as Record<string, unknown>;
  const type = whole['type'] === undefined ? 'text' : String(whole['type']);
  const frame = Object.entries(whole).filter(([name]) => name !== type);
  checkShape(Frame, Object.fromEntries(frame), '');
  return { ...whole, type, [type]: contentOf(whole[type]) } as MessageBody;
}

/** Like any parameter of the Graph API, it may be JSON in a string; clients do that with contacts. */
function contentOf(content: unknown): unknown {
  if (typeof content !== 'string') return content;
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return content;
  }
}

/** Digits or a business-scoped user id. `to` wins; an empty value counts as absent. @throws GraphFailure 100 if both are absent */
export function recipientOf({ to = '', recipient = '' }: MessageBody): string {
  if (to === '' && recipient === '') throw new GraphFailure(100, 'The parameter to is required.');
  const person = to === '' ? recipient : personName(to);
  if (person === null || (to === '' && !USER_ID.test(recipient)))
    throw new GraphFailure(131009, 'Parameter value is not valid', { details: 'the recipient is neither a phone number nor a user id' });
  return person;
}
