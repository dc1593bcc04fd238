import { Type } from '@sinclair/typebox';
import type { MediaStore } from '../media/media-store';
import { isMediaKind } from '../media/media-types';
import { GraphFailure } from '../graph-error';
import { checkInteractive } from './interactive-check';
import { checkMedia } from './media-check';
import type { MessageBody } from './message-body';
import { checkShape, strict, text } from './shape';
import type { Account } from '../accounts/accounts';
import { checkTemplateMessage } from './template-message-check';

/** Checks a message like the platform (platform §1). @throws GraphFailure */
export function checkMessage(account: Account, message: MessageBody, recipient: string, media: MediaStore): void {
  if (account.status !== 'CONNECTED') throw new GraphFailure(133010, 'Account not registered');
  if (recipient === account.display_phone_number) throw new GraphFailure(131021, 'Recipient cannot be the sender');
  if (message.type === 'template') checkTemplateMessage(account, message, recipient, media);
  else checkFreeMessage(message, account.phone_number_id, media);
  if (message.type === 'reaction' && message.context) throw new GraphFailure(100, 'Unexpected key "context" on param "message".');
}

const optional = Type.Optional;
const Coordinate = (most: number) =>
  Type.Union([Type.Number({ minimum: -most, maximum: most }), Type.String({ pattern: '^-?\\d{1,3}(\\.\\d+)?$' })]);

const Location = strict({
  latitude: Coordinate(90),
  longitude: Coordinate(180),
  name: optional(text(1_000)),
  address: optional(text(1_000)),
});

const word = optional(Type.String());
const Contact = strict({
  name: strict({ formatted_name: text(1_000), first_name: word, last_name: word, middle_name: word, suffix: word, prefix: word }),
  addresses: optional(
    Type.Array(strict({ street: word, city: word, state: word, zip: word, country: word, country_code: word, type: word })),
  ),
  birthday: optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
  emails: optional(Type.Array(strict({ email: word, type: word }))),
  org: optional(strict({ company: word, department: word, title: word })),
  phones: optional(Type.Array(strict({ phone: word, type: word, wa_id: word }))),
  urls: optional(Type.Array(strict({ url: word, type: word }))),
});
const Contacts = Type.Array(Contact, { minItems: 1, maxItems: 257 });

const Reaction = strict({ message_id: text(512), emoji: Type.String({ maxLength: 32 }) });
const Text = strict({ body: Type.String({ minLength: 1 }), preview_url: optional(Type.Boolean()) });

/** Checks the content of all types but templates (platform §1.2, §1.3). @throws GraphFailure */
function checkFreeMessage(message: MessageBody, phoneNumberId: string, media: MediaStore): void {
  const type = String(message.type ?? 'text');
  const content = message[type];
  if (isMediaKind(type)) checkMedia(type, content, type, phoneNumberId, media);
  else if (type === 'text') checkText(content);
  else if (type === 'location') checkLocation(content);
  else if (type === 'contacts') checkContacts(content);
  else if (type === 'reaction') checkShape(Reaction, content ?? {}, type);
  else if (type === 'interactive') checkInteractive(content, phoneNumberId, media);
  else throw new GraphFailure(131051, 'Unsupported message type');
}

function checkText(content: unknown): void {
  const { body } = checkShape(Text, content ?? {}, 'text');
  if ([...body].length > 4_096) throw new GraphFailure(100, "Param text['body'] must be at most 4096 characters long.");
}

function checkLocation(content: unknown): void {
  const { latitude, longitude } = checkShape(Location, content ?? {}, 'location');
  if (Math.abs(Number(latitude)) > 90 || Math.abs(Number(longitude)) > 180)
    throw new GraphFailure(131009, 'Parameter value is not valid', { details: 'latitude or longitude is out of range' });
}

function checkContacts(content: unknown): void {
  for (const { name } of checkShape(Contacts, content ?? [], 'contacts')) {
    if (Object.keys(name).length === 1)
      throw new GraphFailure(131009, 'Parameter value is not valid', {
        details: 'name needs one of first_name, last_name, middle_name, suffix and prefix in addition to formatted_name',
      });
  }
}
