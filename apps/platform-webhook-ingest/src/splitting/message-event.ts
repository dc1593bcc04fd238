import { PlatformMessage, type EventEnvelope } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import type { WebhookMessage } from '@mgw/platform-api';
import type { Contacts } from './contacts';
import { platformTime } from './platform-time';

const MEDIA = new Set(['image', 'video', 'audio', 'document', 'sticker']);

/** The event of an inbound message (platform §4.4). @throws Error if the message is bad */
export function messageEvent(
  businessId: number,
  phoneNumberId: string,
  message: WebhookMessage,
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
      ...contentOf(message),
      raw: message as Record<string, unknown>,
    },
  });
}

function contentOf(message: WebhookMessage) {
  const { button, interactive } = message;
  const reply = interactive?.button_reply ?? interactive?.list_reply;
  const object = MEDIA.has(message.type)
    ? (message[message.type] as { id?: string; mime_type?: string; caption?: string } | undefined)
    : undefined;
  return {
    text: message.text?.body ?? button?.text ?? reply?.title ?? interactive?.nfm_reply?.body ?? null,
    caption: object?.caption ?? null,
    media: object?.id ? { type: message.type, id: object.id, mime_type: object.mime_type ?? '' } : null,
  };
}
