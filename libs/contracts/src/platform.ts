import { Type } from '@sinclair/typebox';
import { Billing } from './billing';
import { eventType } from './event';
import { IsoTime, MessageId, Nullable } from './fields';
import { InboundDetails } from './inbound-details';
import { operation } from './operation';

/**
 * A callback of the platform, byte for byte. The response is the HTTP status for the platform (guarantees §2): 200 stored, 401 wrong
 * signature, 400 not JSON. An error of this operation becomes a 5xx, and the platform retries.
 */
export const ReceivePlatformWebhook = operation('platform-webhook-ingest', 'receive', {
  request: Type.Object({ body_base64: Type.String(), signature: Nullable(Type.String()) }),
  response: Type.Object({ status: Type.Union([Type.Literal(200), Type.Literal(400), Type.Literal(401)]) }),
});

/** The subscription handshake (platform §4.1). */
export const VerifyPlatformHandshake = operation('platform-webhook-ingest', 'verify-handshake', {
  request: Type.Object({ mode: Type.String(), verify_token: Type.String() }),
  response: Type.Object({ accepted: Type.Boolean() }),
});

/** A person as the platform names them: a phone, a business-scoped user id, or both (platform §4.7). */
export const Person = Type.Object({
  /** Digits; null when the platform withholds it. */
  phone: Nullable(Type.String()),
  user_id: Nullable(Type.String()),
  /** Profile name, "" when unknown. */
  name: Type.String(),
});

/** A customer's message, or a notice about the customer (`type: "system"`), in the platform's own words. */
export const PlatformMessage = eventType(
  'PLATFORM',
  'message',
  Type.Object({
    message_id: MessageId,
    phone_number_id: Type.String(),
    from: Person,
    type: Type.String(),
    /** When the customer sent it, by the platform's clock. */
    sent_at: IsoTime,
    text: Nullable(Type.String()),
    caption: Nullable(Type.String()),
    media: Nullable(Type.Object({ type: Type.String(), id: Type.String(), mime_type: Type.String() })),
    /** Absent if the message has none. */
    details: Type.Optional(InboundDetails),
    /** The message that an `edit` or `revoke` changes; the text and caption of an edit are the new ones. */
    original_message_id: Type.Optional(MessageId),
    /** The update as the platform wrote it, for later features. */
    raw: Type.Record(Type.String(), Type.Unknown()),
  }),
);

/** A delivery status of one of our messages (platform §4.5). */
export const PlatformStatus = eventType(
  'PLATFORM',
  'status',
  Type.Object({
    message_id: MessageId,
    phone_number_id: Type.String(),
    /** The platform's word: sent, delivered, read, failed, played, or one we do not know yet. */
    status: Type.String(),
    occurred_at: IsoTime,
    /** The recipient: digits or a business-scoped user id; null when absent. */
    recipient: Nullable(Type.String()),
    /** Our intent id from `biz_opaque_callback_data`; resolves sends whose response was lost. */
    callback_data: Nullable(Type.String()),
    error: Nullable(Type.Object({ code: Nullable(Type.Integer()), text: Type.String() })),
    /** Absent in statuses without a price. */
    pricing: Type.Optional(Billing),
  }),
);

/** A person's choice on the platform about messages of a business (platform §4.6). */
export const PlatformPreference = eventType(
  'PLATFORM',
  'preference',
  Type.Object({
    phone_number_id: Type.String(),
    from: Person,
    /** For example `marketing_messages`. */
    category: Type.String(),
    /** `stop`, `resume`, `signup`, or one we do not know yet. */
    value: Type.String(),
    said_at: IsoTime,
  }),
);

/** A template changed on the platform: the template service syncs again. */
export const PlatformTemplateUpdate = eventType(
  'PLATFORM',
  'template',
  Type.Object({ business_account_id: Type.String(), field: Type.String(), raw: Type.Record(Type.String(), Type.Unknown()) }),
);

/** The platform changed an account as a whole (platform §4.6). */
export const PlatformAccountUpdate = eventType(
  'PLATFORM',
  'account',
  Type.Object({ business_account_id: Type.String(), event: Type.String(), raw: Type.Record(Type.String(), Type.Unknown()) }),
);
