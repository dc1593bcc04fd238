import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { Billing } from './billing';
import { eventType } from './event';
import { Id, MessageId, Nullable } from './fields';
import { inboundDetails } from './inbound-details';

/** A field as the reference of the events describes it. */
const described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description });
const text = (description: string) => Type.String({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const CONVERSATION_ID = described(Id, 'The conversation of the business with this person.');
const BUSINESS_ID = described(Id, 'The business.');
const PERSON = 'Phone number in digits with country code, or the business-scoped user id if WhatsApp withholds the number.';

/** The events of spec §6.2, as services publish them and customers' servers receive them. Their reference is in event-reference.ts. */
export const MessageReceived = eventType(
  'PUBLIC',
  'message.received',
  Type.Object({
    message_id: described(MessageId, 'WhatsApp’s id of the message.'),
    from: text(`The sender. ${PERSON}`),
    from_name: text('The sender’s profile name; `""` if it is unknown.'),
    type: text(
      '`text`, `image`, `document`, `video`, `audio`, `sticker`, `location`, `contacts`, `button`, `interactive`, `reaction`, `order` or `unsupported`; WhatsApp may add more.',
    ),
    text: Type.Optional(text('The text of a message, or the title of the chosen button or list row.')),
    caption: Type.Optional(text('The caption of a media message.')),
    media_type: Type.Optional(text('`image`, `document`, `video`, `audio` or `sticker`, of a media message.')),
    media_id: Type.Optional(text('WhatsApp’s id of the file, of a media message.')),
    mime_type: Type.Optional(text('The file’s content type, of a media message.')),
    media_url: Type.Optional(text('The address of the file at the gateway, of a media message; a key with `read_messages` downloads it.')),
    from_user_id: Type.Optional(text('The sender’s business-scoped user id, if WhatsApp sent it.')),
    ...inboundDetails,
    conversation_id: CONVERSATION_ID,
    business_id: BUSINESS_ID,
  }),
);

/** Facts of a send for the message log; absent if another process, or a status callback, recorded its outcome. */
export const RequestFacts = {
  /** The language of the template. */
  language: Type.Optional(Type.String()),
  /** The `X-Request-Id` of the request. */
  request_id: Type.Optional(Type.String()),
};

/** Fields of a sent message for the status service, which customers never see. */
export const MessageSentFacts = Type.Object({
  intent_id: Type.String(),
  api_key_id: Nullable(Id),
  template: Nullable(Type.String()),
  /** True if the message may have been published as not sent before, because its outcome was unknown. */
  repaired: Type.Boolean(),
  /** The broadcast that sent it. */
  broadcast_id: Type.Optional(Id),
  ...RequestFacts,
});
export type MessageSentFacts = Static<typeof MessageSentFacts>;

export const MessageSent = eventType(
  'PUBLIC',
  'message.sent',
  Type.Object({
    message_id: described(MessageId, 'The id that the send returned.'),
    to: text(`The recipient. ${PERSON}`),
    type: text('`text`, `template`, `image`, `document`, `video`, `audio`, `otp`, `interactive`, `location`, `contacts` or `reaction`.'),
    text: text(
      'The text, the template with its values, the body of an interactive message, or the caption; `""` without one. The code of an OTP is masked.',
    ),
    sent_by: text('`api`, `agent`, `broadcast` or `ai`.'),
    conversation_id: CONVERSATION_ID,
    business_id: BUSINESS_ID,
  }),
  MessageSentFacts,
);

export const ConversationCreated = eventType(
  'PUBLIC',
  'conversation.created',
  Type.Object({
    conversation_id: CONVERSATION_ID,
    customer_phone: text(`The customer. ${PERSON}`),
    customer_name: text('The customer’s profile name; `""` if it is unknown.'),
    first_message: text('The text or caption of the first message, or a label such as `[image]`.'),
    business_id: BUSINESS_ID,
  }),
);

export const BroadcastCompleted = eventType(
  'PUBLIC',
  'broadcast.completed',
  Type.Object({
    broadcast_id: described(Id, 'The broadcast.'),
    template_name: text('The template that was sent.'),
    total_recipients: count('Recipients of the broadcast.'),
    sent: count('Messages that WhatsApp accepted.'),
    failed: count('Messages that were refused. Messages with an unknown outcome are in neither count.'),
    business_id: BUSINESS_ID,
  }),
);

export const AiReplied = eventType(
  'PUBLIC',
  'ai.replied',
  Type.Object({
    message_id: described(MessageId, 'The id of the reply; its `message.sent` has the same one.'),
    to: text(`The customer. ${PERSON}`),
    ai_response: text('The text that the model wrote.'),
    conversation_id: CONVERSATION_ID,
    business_id: BUSINESS_ID,
  }),
);

/** A rise of a message's status (decision 286). Published only while a webhook of the business wants it. */
export const MessageStatusChanged = eventType(
  'PUBLIC',
  'message.status',
  Type.Object({
    message_id: described(MessageId, 'The id that the send returned.'),
    to: text(`The recipient. ${PERSON}`),
    type: text('`type` of the `message.sent` of this message.'),
    sent_by: text('`api`, `agent`, `broadcast` or `ai`.'),
    status: text('`delivered`, `read` or `failed`.'),
    previous_status: text('The status before: `sent`, `delivered` or `failed`.'),
    failure_reason: Type.Optional(text('Why it failed and what helps, if `status` is `failed`.')),
    error_code: Type.Optional(Type.Integer({ description: 'WhatsApp’s code of the failure, if it named one.' })),
    billing: Type.Optional(described(Billing, 'How WhatsApp prices the message, if it has reported it.')),
    occurred_at: text('ISO 8601, UTC: when it happened, by WhatsApp’s clock.'),
    conversation_id: CONVERSATION_ID,
    business_id: BUSINESS_ID,
  }),
);

const OR_NULL = (description: string) => ({ ...Nullable(Type.String()), description });

/** A template's status changed (decision 366). Published only for businesses that want it. */
export const TemplateStatusChanged = eventType(
  'PUBLIC',
  'template.status',
  Type.Object({
    template_name: text('The template.'),
    language: text('Its language, such as `en_US`.'),
    status: text('WhatsApp’s word: `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`, `DELETED` and others.'),
    previous_status: OR_NULL('The status before; null for a new template.'),
    reason: OR_NULL('WhatsApp’s reason, such as `ABUSIVE_CONTENT`; null without one.'),
    quality: OR_NULL('WhatsApp’s rating when the templates were synced last: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null before.'),
    business_id: BUSINESS_ID,
  }),
);

/** The strictest suppression of a person changed (decision 365). Published only for businesses that want it. */
export const SuppressionChanged = eventType(
  'PUBLIC',
  'suppression.changed',
  Type.Object({
    phone: text(`The person. ${PERSON}`),
    state: OR_NULL('The strictest suppression now: `blocked`, `opted_out` or `opted_out_marketing`; null if there is none.'),
    previous_state: OR_NULL('The strictest suppression before; null if there was none.'),
    source: text('The origin of the change: `person`, `platform`, `dashboard` or `api`.'),
    reason: Type.Optional(text('The reason that the business gave.')),
    at: text('ISO 8601, UTC: when it happened.'),
    business_id: BUSINESS_ID,
  }),
);

/** A webhook keeps failing (decision 367). Published only for businesses that want it, and not to the webhook itself. */
export const WebhookFailing = eventType(
  'PUBLIC',
  'webhook.failing',
  Type.Object({
    webhook_id: described(Id, 'The webhook that fails.'),
    name: text('Its name.'),
    fail_count: count('Consecutive failed deliveries: 10, 50, 100, 500, 1,000 and so on.'),
    last_response_code: { ...Nullable(Type.Integer()), description: 'The status of the last response; null without one.' },
    reason: text('Why the last delivery failed.'),
    business_id: BUSINESS_ID,
  }),
);

/** The five events of spec §6.1. */
const SPECIFIED_EVENTS = ['message.received', 'message.sent', 'conversation.created', 'broadcast.completed', 'ai.replied'] as const;
/** Events that are published only for businesses that want them. */
export const OPT_IN_EVENTS = ['message.status', 'template.status', 'suppression.changed', 'webhook.failing'] as const;
export const PUBLIC_EVENTS = [...SPECIFIED_EVENTS, ...OPT_IN_EVENTS] as const;
export type PublicEventName = (typeof PUBLIC_EVENTS)[number];
