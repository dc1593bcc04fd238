import { PlatformMessage, type EventEnvelope } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { isBusinessScopedId, isWaId } from '@mgw/phone';
import type { WebhookContact, WebhookMessage } from '@mgw/platform-api';
import { platformTime } from './platform-time';

const MEDIA = new Set(['image', 'video', 'audio', 'document', 'sticker']);

/** An inbound message (platform §4.4) in the contract's words. @throws Error when it cannot be told */
export function messageEvent(
  businessId: number,
  phoneNumberId: string,
  message: WebhookMessage,
  contacts: WebhookContact[],
): EventEnvelope<typeof PlatformMessage> {
  const at = platformTime(message.timestamp);
  const from = personOf(message, contacts);
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

/** The keys are absent rather than empty, but both occur; a user id may stand where a phone belongs (platform §4.7). */
function personOf(message: WebhookMessage, contacts: WebhookContact[]) {
  const own = given(message.from, message.from_user_id);
  const contact = own.length > 0 ? contacts.find((one) => namesOf(one).some((name) => own.includes(name))) : onlySender(message, contacts);
  const names = [...own, ...namesOf(contact)];
  return {
    phone: names.find(isWaId) ?? null,
    user_id: names.find(isBusinessScopedId) ?? null,
    name: contact?.profile?.name ?? '',
  };
}

/** Who wrote a message that names nobody. A system message has no contact (platform §4.4): one beside it is of another message. */
function onlySender({ type }: WebhookMessage, contacts: WebhookContact[]): WebhookContact | undefined {
  return type !== 'system' && contacts.length === 1 ? contacts[0] : undefined;
}

function namesOf(contact: WebhookContact | undefined): string[] {
  return given(contact?.wa_id, contact?.user_id);
}

function given(...names: unknown[]): string[] {
  return names.filter((name): name is string => typeof name === 'string' && name !== '');
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
