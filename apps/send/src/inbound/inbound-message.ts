import type { DataOf, EventEnvelope, MessageReceived, PlatformMessage } from '@mgw/contracts';
import { PermanentFailure } from '@mgw/events';
import { userIdOf, waIdOf } from '@mgw/phone';
import type { IdentityChange, Person } from '../conversations/person';

export interface MessageChange {
  businessId: number;
  /** The message that changed. */
  messageId: string;
  editedAt: string | null;
  deletedAt: string | null;
  /** The new text or caption. */
  text: string | null;
}

export type InboundEvent = EventEnvelope<typeof PlatformMessage>;

/** Notices about the person, and changes of earlier messages. They open no window and publish no event (decision 38). */
const NOTICE_TYPES = new Set(['system', 'edit', 'revoke', 'request_welcome']);

export function isCustomerMessage(event: InboundEvent): boolean {
  return !NOTICE_TYPES.has(event.data.type);
}

/** The edit or revocation of an earlier message (platform §4.4); null for other messages, and if it names no message. */
export function messageChange({ business_id, data }: InboundEvent): MessageChange | null {
  const { type, original_message_id: messageId, sent_at, text, caption } = data;
  if (messageId === undefined || (type !== 'edit' && type !== 'revoke')) return null;
  const at = { businessId: business_id, messageId, editedAt: null, deletedAt: null, text: null };
  return type === 'edit' ? { ...at, editedAt: sent_at, text: text ?? caption } : { ...at, deletedAt: sent_at };
}

/** The new phone or user id from a system message (platform §4.4); null for other messages. */
export function identityChange({ business_id, data }: InboundEvent): IdentityChange | null {
  if (data.type !== 'system') return null;
  const system = (data.raw['system'] ?? {}) as Record<string, unknown>;
  if (system['type'] !== 'user_changed_number' && system['type'] !== 'user_changed_user_id') return null;
  const now = { phone: waIdOf(system['wa_id']) ?? waIdOf(system['new_wa_id']), userId: userIdOf(system['user_id']) };
  // The sender's user id may already be the new one.
  const userId = userIdOf(system['previous_user_id']) ?? (data.from.user_id === now.userId ? null : data.from.user_id);
  return { before: { businessId: business_id, phone: data.from.phone, userId, waId: null }, now };
}

export function senderOf(event: InboundEvent): Person {
  const { phone, user_id } = event.data.from;
  if (!phone && !user_id) throw new PermanentFailure('the message has neither a phone number nor a user id');
  return { businessId: event.business_id, phone, userId: user_id, waId: null };
}

/** The phone, or the user id if the platform withholds the phone (decision 29). */
export function customerPhone(event: InboundEvent): string {
  return event.data.from.phone ?? event.data.from.user_id ?? '';
}

/** `first_message` of conversation.created: text, caption, or a label such as `[image]` (decision 42). */
export function firstMessageText({ data }: InboundEvent): string {
  return data.text ?? data.caption ?? `[${data.type}]`;
}

function mediaMembers({ type, id, mime_type }: NonNullable<InboundEvent['data']['media']>, publicUrl: string) {
  const url = `${publicUrl.replace(/\/+$/, '')}/api/v1/media/${encodeURIComponent(id)}`;
  return { media_type: type, media_id: id, mime_type, media_url: url };
}

/** `data` of message.received (spec §6.2), without members that do not apply. */
export function receivedData(event: InboundEvent, conversationId: number, publicUrl: string): DataOf<typeof MessageReceived> {
  const { data } = event;
  return {
    message_id: data.message_id,
    from: customerPhone(event),
    from_name: data.from.name,
    type: data.type,
    ...(data.text !== null && { text: data.text }),
    ...(data.caption !== null && { caption: data.caption }),
    ...(data.media && mediaMembers(data.media, publicUrl)),
    ...(data.from.user_id !== null && { from_user_id: data.from.user_id }),
    ...data.details,
    conversation_id: conversationId,
    business_id: event.business_id,
  };
}
