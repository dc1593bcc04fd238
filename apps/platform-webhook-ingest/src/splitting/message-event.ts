import { matches, MessageId, PlatformMessage, type EventEnvelope } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import type { CallbackMessage } from '@mgw/platform-api';
import { membersOf, shortText } from './changes';
import type { Contacts } from './contacts';
import { messageDetails } from './message-details';
import { platformTime } from './platform-time';

const MEDIA = new Set(['image', 'video', 'audio', 'document', 'sticker']);

/** The event of an inbound message (platform §4.4). @throws Error if the message is invalid */
export function messageEvent(
  businessId: number,
  phoneNumberId: string,
  message: CallbackMessage,
  contacts: Contacts,
): EventEnvelope<typeof PlatformMessage> {
  const at = platformTime(message.timestamp);
  const from = contacts.senderOf(message);
  // A system message may carry only the person's previous user id (platform §4.4).
  if (from.phone === null && from.user_id === null && message.type !== 'system') throw new Error('the message names no person');
  return newEvent(PlatformMessage, {
    id: `platform.message:${businessId}:${message.id}`,
    at,
    business_id: businessId,
    key: `person:${businessId}:${from.phone ?? from.user_id}`,
    data: {
      message_id: message.id,
      phone_number_id: phoneNumberId,
      from,
      type: message.type,
      sent_at: at,
      ...contentOf(message, contacts),
      raw: message as Record<string, unknown>,
    },
  });
}

type Members = Record<string, unknown>;

/** A member of the wrong type counts as absent. */
function contentOf(message: CallbackMessage, contacts: Contacts) {
  if (message.type === 'edit' || message.type === 'revoke') return changeOf(message[message.type]);
  const file = fileOf(message);
  const details = messageDetails(message, file, contacts.usernameOf(message));
  return { text: textOf(message), caption: stringOf(file?.['caption']), media: mediaOf(message.type, file), ...(details && { details }) };
}

/** An edit has the new message; a revocation has none. */
function changeOf(change: CallbackMessage['edit']) {
  const { original_message_id, message } = membersOf(change);
  const edited = membersOf(message) as unknown as CallbackMessage;
  return {
    text: textOf(edited),
    caption: stringOf(fileOf(edited)?.['caption']),
    media: null,
    ...(matches(MessageId, original_message_id) && { original_message_id }),
  };
}

function textOf({ text, button, interactive }: CallbackMessage): string | null {
  const { button_reply, list_reply, nfm_reply } = membersOf(interactive);
  const texts = [
    membersOf(text)['body'],
    membersOf(button)['text'],
    membersOf(button_reply ?? list_reply)['title'],
    membersOf(nfm_reply)['body'],
  ];
  return texts.find((one) => typeof one === 'string') ?? null;
}

function fileOf(message: CallbackMessage): Members | undefined {
  return MEDIA.has(message.type) && Object.hasOwn(message, message.type) ? membersOf(message[message.type]) : undefined;
}

function mediaOf(type: string, file: Members | undefined) {
  const id = shortText(file?.['id']);
  return id === '' ? null : { type, id, mime_type: shortText(file?.['mime_type']) };
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
