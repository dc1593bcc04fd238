import { Type, type Static } from '@sinclair/typebox';
import { eventType } from './event';
import { Id, MessageId, Nullable } from './fields';

/** The events of spec §6.2, as services publish them and customers' servers receive them. */
export const MessageReceived = eventType(
  'PUBLIC',
  'message.received',
  Type.Object({
    message_id: MessageId,
    from: Type.String(),
    from_name: Type.String(),
    type: Type.String(),
    text: Type.Optional(Type.String()),
    caption: Type.Optional(Type.String()),
    media_type: Type.Optional(Type.String()),
    media_id: Type.Optional(Type.String()),
    mime_type: Type.Optional(Type.String()),
    from_user_id: Type.Optional(Type.String()),
    conversation_id: Id,
    business_id: Id,
  }),
);

/** Fields of a sent message for the status service, which customers never see. */
export const MessageSentFacts = Type.Object({
  intent_id: Type.String(),
  api_key_id: Nullable(Id),
  template: Nullable(Type.String()),
  /** True if the message may have been published as not sent before, because its outcome was unknown. */
  repaired: Type.Boolean(),
});
export type MessageSentFacts = Static<typeof MessageSentFacts>;

export const MessageSent = eventType(
  'PUBLIC',
  'message.sent',
  Type.Object({
    message_id: MessageId,
    to: Type.String(),
    type: Type.String(),
    text: Type.String(),
    sent_by: Type.String(),
    conversation_id: Id,
    business_id: Id,
  }),
  MessageSentFacts,
);

export const ConversationCreated = eventType(
  'PUBLIC',
  'conversation.created',
  Type.Object({
    conversation_id: Id,
    customer_phone: Type.String(),
    customer_name: Type.String(),
    first_message: Type.String(),
    business_id: Id,
  }),
);

export const BroadcastCompleted = eventType(
  'PUBLIC',
  'broadcast.completed',
  Type.Object({
    broadcast_id: Id,
    template_name: Type.String(),
    total_recipients: Type.Integer({ minimum: 0 }),
    sent: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
    business_id: Id,
  }),
);

export const AiReplied = eventType(
  'PUBLIC',
  'ai.replied',
  Type.Object({ message_id: MessageId, to: Type.String(), ai_response: Type.String(), conversation_id: Id, business_id: Id }),
);

/** The five names a webhook may subscribe to (spec §6.1). */
export const PUBLIC_EVENTS = ['message.received', 'message.sent', 'conversation.created', 'broadcast.completed', 'ai.replied'] as const;
export type PublicEventName = (typeof PUBLIC_EVENTS)[number];
