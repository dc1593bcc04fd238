import { Type, type Static } from '@sinclair/typebox';
import { SuppressionStateName } from './conversations';
import type { ErrorCode } from './errors';
import { eventType } from './event';
import { characters, described, Id, Idempotency, IsoTime, MessageId, Nullable, OutboundType, Recipient, SentBy } from './fields';
import { INTENT_ID } from './intent-id';
import { MediaId } from './media';
import { ContactCards, InteractiveContent, LocationContent } from './message-content';
import { operation, type ResponseOf, type RequestOf } from './operation';
import { RequestFacts } from './public-events';
import { MAX_STATUSES } from './status';

/** The sender of a message, with everything that the send service would have to query otherwise. */
export const Sender = Type.Object({
  business_id: Id,
  sent_by: SentBy,
  /**
   * Set by callers that return it when no response arrives (decision 23a); by default the send service creates one. A repeated
   * Idempotency-Key keeps the id of its first send.
   */
  intent_id: Type.Optional(Type.String({ pattern: INTENT_ID })),
  /** The key that is charged; null for sends that no key made. */
  api_key_id: Nullable(Id),
  /** The broadcast that sends, for its costs. */
  broadcast_id: Type.Optional(Id),
  /** The user who sends, if a person does. */
  user_id: Type.Optional(Id),
  plan: Type.String(),
  /** Messages per day for that key; null where no daily cap applies. */
  daily_limit: Nullable(Type.Integer({ minimum: 1 })),
  /** IANA zone whose midnight resets the cap (decision 20). */
  timezone: Type.String(),
  idempotency: Nullable(Idempotency),
});
export type Sender = Static<typeof Sender>;

const accepted = Type.Object({
  message_id: MessageId,
  phone: Recipient,
  /** True when an earlier request with the same Idempotency-Key made the send. */
  replayed: Type.Boolean(),
});

const sendErrors = [
  'BUSINESS_SUSPENDED',
  'NOT_CONNECTED',
  'RECIPIENT_SUPPRESSED',
  // For templates too, if the platform refuses with 131047.
  'WINDOW_CLOSED',
  'DAILY_LIMIT_REACHED',
  'IDEMPOTENCY_IN_FLIGHT',
  'IDEMPOTENCY_MISMATCH',
  'PLATFORM_REFUSED',
  'PLATFORM_THROTTLED',
  'PLATFORM_UNAVAILABLE',
  'OUTCOME_UNKNOWN',
] as const;

/** The message of the same person that a message quotes. */
const reply_to = Type.Optional(MessageId);

/** Values for a template's variables, already text. */
const Params = Type.Array(characters(1024), { maxItems: 50 });

/** Spec §4.4. */
export const SendTemplate = operation('send', 'template', {
  request: Type.Object({
    sender: Sender,
    to: Recipient,
    template_name: characters(512, 1),
    language: characters(20, 1),
    body_params: Params,
    header_params: Params,
    button_params: Params,
  }),
  response: accepted,
  errors: [...sendErrors, 'TEMPLATE_NOT_FOUND', 'TEMPLATE_PARAMS_MISMATCH'],
  deadlineMs: 30_000,
});

/** Spec §4.5. */
export const SendText = operation('send', 'text', {
  request: Type.Object({
    sender: Sender,
    to: Recipient,
    text: Type.String({ minLength: 1 }),
    reply_to,
    /** Whether WhatsApp shows a preview of the first link; by default it does. */
    preview_url: Type.Optional(Type.Boolean()),
  }),
  response: accepted,
  errors: sendErrors,
  deadlineMs: 30_000,
});

export const MediaType = Type.Union([Type.Literal('image'), Type.Literal('document'), Type.Literal('video'), Type.Literal('audio')]);
export type MediaType = Static<typeof MediaType>;

/** Spec §4.6. The gateway never fetches the address: the platform does. */
export const SendMedia = operation('send', 'media', {
  request: Type.Object({
    sender: Sender,
    to: Recipient,
    media_type: MediaType,
    /** Exactly one of the two. */
    media_url: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
    media_id: Type.Optional(MediaId),
    caption: Nullable(characters(1024)),
    filename: Nullable(characters(255)),
    reply_to,
    /** True for a voice note. */
    voice: Type.Optional(Type.Boolean()),
  }),
  response: accepted,
  errors: sendErrors,
  deadlineMs: 30_000,
});

export const SendInteractive = operation('send', 'interactive', {
  request: Type.Object({ sender: Sender, to: Recipient, content: InteractiveContent, reply_to }),
  response: accepted,
  errors: sendErrors,
  deadlineMs: 30_000,
});

export const SendLocation = operation('send', 'location', {
  request: Type.Object({ sender: Sender, to: Recipient, location: LocationContent, reply_to }),
  response: accepted,
  errors: sendErrors,
  deadlineMs: 30_000,
});

export const SendContacts = operation('send', 'contacts', {
  request: Type.Object({ sender: Sender, to: Recipient, contacts: ContactCards, reply_to }),
  response: accepted,
  errors: sendErrors,
  deadlineMs: 30_000,
});

/** A reaction to a message of the same person; null removes it. */
export const SendReaction = operation('send', 'reaction', {
  request: Type.Object({
    sender: Sender,
    to: Recipient,
    message_id: MessageId,
    emoji: Nullable(Type.String({ minLength: 1, maxLength: 32 })),
  }),
  response: accepted,
  errors: sendErrors,
  deadlineMs: 30_000,
});

/** Spec §4.7. Only the response contains the code; a replay returns the same one. */
export const SendOtp = operation('send', 'otp', {
  request: Type.Object({
    sender: Sender,
    to: Recipient,
    template_name: characters(512, 1),
    language: characters(20, 1),
    /** The caller's own code; null: the send service generates six digits. */
    otp: Nullable(Type.String({ pattern: '^[0-9A-Za-z-]{1,15}$' })),
  }),
  response: Type.Composite([accepted, Type.Object({ otp: Type.String() })]),
  errors: [...sendErrors, 'TEMPLATE_NOT_FOUND', 'TEMPLATE_PARAMS_MISMATCH'],
  deadlineMs: 30_000,
});

const SENDS = {
  template: SendTemplate,
  text: SendText,
  media: SendMedia,
  interactive: SendInteractive,
  location: SendLocation,
  contacts: SendContacts,
  reaction: SendReaction,
  otp: SendOtp,
} as const;
type SendKind = keyof typeof SENDS;
/** A message without sender and recipient; null if it is invalid. */
export type SendContent = {
  [K in SendKind]: { kind: K; message: Omit<RequestOf<(typeof SENDS)[K]>, 'sender' | 'to'> | null };
}[SendKind];
const SendContent = Type.Unsafe<SendContent>(
  Type.Union(
    Object.entries(SENDS).map(([kind, { request }]) =>
      Type.Object({ kind: Type.Literal(kind), message: Nullable(Type.Omit(request, ['sender', 'to'])) }),
    ),
  ),
);

/** Makes all checks of a send (decision 332), and neither stores nor sends anything. */
export const CheckSend = operation('send', 'check', {
  /** `to` is null if the phone is invalid. */
  request: Type.Object({ sender: Sender, to: Nullable(Recipient), content: SendContent }),
  response: Type.Object({
    problems: Type.Array(
      Type.Object({
        error_code: Type.Unsafe<ErrorCode>(Type.String()),
        message: Type.String(),
        details: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))),
      }),
    ),
    text: Type.String({ description: 'The text that the person would read; `""` if it is not known.' }),
    session_window: described(
      Nullable(Type.Object({ open: Type.Boolean(), last_inbound_at: Nullable(IsoTime) })),
      'Whether the person wrote within 24 hours, and when they last did. Null if the phone is invalid.',
    ),
    suppression_state: described(Nullable(SuppressionStateName), 'The strictest suppression, even if it lets this message pass.'),
    daily_remaining: described(
      Nullable(Type.Integer({ minimum: 0 })),
      'The messages that the key may still send today; null without a cap.',
    ),
  }),
});

const receiptErrors = ['NOT_FOUND', 'NOT_CONNECTED', 'PLATFORM_REFUSED', 'PLATFORM_THROTTLED', 'PLATFORM_UNAVAILABLE'] as const;

/** Marks a customer's message and those before it as read. A repeated call has no further effect. */
export const MarkRead = operation('send', 'mark-read', {
  request: Type.Object({
    business_id: Id,
    message_id: MessageId,
    /** Whether the customer also sees that the business is typing, for 25 seconds or until its next message. */
    typing: Type.Boolean(),
  }),
  response: Type.Object({}),
  errors: receiptErrors,
  deadlineMs: 10_000,
});

/** Marks the customer's messages of a conversation as read, if the business's setting `mark_read_on_open` is on. */
export const MarkConversationRead = operation('send', 'mark-conversation-read', {
  request: Type.Object({ business_id: Id, conversation_id: Id }),
  response: Type.Object({}),
  errors: receiptErrors,
  deadlineMs: 10_000,
});

/**
 * The send service's records of messages, in the order of the request. They are authoritative until the status service has consumed the
 * event. For a send that was refused or has an unknown outcome it is the only record (`gw_<intent>`, decision 23a).
 */
export const FindSends = operation('send', 'find', {
  request: Type.Object({ business_id: Id, message_ids: Type.Array(MessageId, { maxItems: MAX_STATUSES }) }),
  response: Type.Object({
    sends: Type.Array(
      Nullable(
        Type.Object({
          /** The platform's id once accepted (even for a request by `gw_<intent>`), else the `gw_` id. */
          message_id: MessageId,
          state: Type.Union([
            Type.Literal('calling'),
            Type.Literal('accepted'),
            Type.Literal('refused'),
            Type.Literal('unknown'),
            Type.Literal('unconfirmed'),
          ]),
          to: Recipient,
          /** When the platform accepted, or when the attempt was made. */
          at: IsoTime,
          failure_reason: Nullable(Type.String()),
        }),
      ),
    ),
  }),
});
export type FoundSend = ResponseOf<typeof FindSends>['sends'][number];

/** How many sends of a key count against today's cap. */
export const GetDailyUsage = operation('send', 'daily-usage', {
  request: Type.Object({ api_keys: Type.Array(Type.Object({ api_key_id: Id, timezone: Type.String() }), { maxItems: 1000 }) }),
  response: Type.Object({ used: Type.Array(Type.Object({ api_key_id: Id, used: Type.Integer({ minimum: 0 }) })) }),
});

/** Refuses more messages than the key may still send on the day of `at`; it reserves none of them. */
export const CheckDailyCap = operation('send', 'check-daily-cap', {
  request: Type.Object({
    messages: Type.Integer({ minimum: 1 }),
    /** When the messages leave; null for now. */
    at: Nullable(IsoTime),
    sender: Type.Object({ api_key_id: Id, daily_limit: Type.Integer({ minimum: 1 }), plan: Type.String(), timezone: Type.String() }),
  }),
  response: Type.Object({}),
  errors: ['DAILY_LIMIT_REACHED'],
});

/** The platform refused a send, or its outcome is unknown: the message log shows it under `gw_<intent>`. */
export const MessageNotSent = eventType(
  'SENDING',
  'message.not-sent',
  Type.Object({
    intent_id: Type.String(),
    to: Recipient,
    type: OutboundType,
    sent_by: SentBy,
    api_key_id: Nullable(Id),
    template: Nullable(Type.String()),
    text: Type.String(),
    reason: Type.String(),
    ...RequestFacts,
  }),
);

/** Responds once every event that it had committed before is published. Services whose events follow its own ask after a loss (decision 763). */
export const PublishWaitingEvents = operation('send', 'publish-events', {
  request: Type.Object({}),
  response: Type.Object({}),
  deadlineMs: 2_000,
});
