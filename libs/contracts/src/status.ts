import { Type, type Static } from '@sinclair/typebox';
import { Billing, Currency, Money, UsageBilling } from './billing';
import { characters, described, Id, IsoTime, MessageId, Nullable, SentBy } from './fields';
import { operation } from './operation';
import { NextCursor, PageRequest, Period, RowCursors } from './paging';

export const DeliveryStatus = Type.Union([Type.Literal('sent'), Type.Literal('delivered'), Type.Literal('read'), Type.Literal('failed')]);
export type DeliveryStatus = Static<typeof DeliveryStatus>;

/** Messages whose status one request may read. */
export const MAX_STATUSES = 100;

/** Spec §2.3 without the envelope, of accepted messages; unknown ones and those of other businesses are left out. */
export const GetMessageStatuses = operation('status', 'get-many', {
  request: Type.Object({ business_id: Id, message_ids: Type.Array(MessageId, { maxItems: MAX_STATUSES }) }),
  response: Type.Object({
    statuses: Type.Array(
      Type.Object({
        message_id: MessageId,
        delivery_status: DeliveryStatus,
        sent_at: IsoTime,
        to: Type.String(),
        failure_reason: Nullable(Type.String()),
        billing: Type.Optional(Billing),
      }),
    ),
  }),
});

/** A line of the message log: what went out, or should have (spec §10). */
export const LoggedMessage = Type.Object({
  /** Decision 23a. */
  message_id: described(MessageId, 'WhatsApp’s, or `gw_…` of a send that was refused or whose outcome is unknown.'),
  to: Type.String({ description: 'The recipient.' }),
  type: Type.String({ description: 'As in the event `message.sent`.' }),
  template: described(Nullable(Type.String()), 'The name of the template; null without one.'),
  text: Type.String({ description: 'As in the event `message.sent`.' }),
  sent_by: Type.String({ description: '`api`, `agent`, `broadcast` or `ai`.' }),
  api_key_id: described(Nullable(Id), 'The key that sent; for a rotated key the first of its rotation.'),
  api_status: Type.Union([Type.Literal('success'), Type.Literal('failed')], { description: 'Whether WhatsApp accepted the message.' }),
  delivery_status: described(DeliveryStatus, 'The highest that WhatsApp reported: sent, delivered, failed, read, in this order.'),
  failure_reason: described(Nullable(Type.String()), 'Why the message failed, and what to do.'),
  sent_at: described(IsoTime, 'When WhatsApp accepted the message, or refused it.'),
  language: Type.Optional(Type.String({ description: 'The template’s language.' })),
  request_id: Type.Optional(Type.String({ description: 'The `X-Request-Id` of the request that sent it, if it is known.' })),
  /** Absent for sends that never became messages. */
  conversation_id: Type.Optional(Id),
  /** Absent until the platform reports it. */
  billing: Type.Optional(Billing),
});
export type LoggedMessage = Static<typeof LoggedMessage>;

/** A code of the platform, or `other` for failures without one. */
const FailureCode = Type.String({ pattern: '^([0-9]{1,10}|OUTCOME_UNKNOWN|other)$' });

/** Filters that the counts of messages have too. */
const CountedFilter = {
  sent_by: Type.Optional(SentBy),
  type: Type.Optional(characters(20)),
  template: Type.Optional(characters(512)),
  /** The key as which the sends count. */
  api_key_id: Type.Optional(Id),
  /** Selects failed messages. */
  failure_code: Type.Optional(FailureCode),
};

/** The newest first. */
export const ListMessages = operation('status', 'list', {
  isRead: true,
  request: Type.Object({
    business_id: Id,
    ...PageRequest,
    status: Nullable(DeliveryStatus),
    phone: Nullable(characters(140)),
    /** Digits that are part of the number. */
    phone_part: Type.Optional(characters(140)),
    /** Part of the text, or a template's name or a message id. */
    search: Nullable(characters(100)),
    ...CountedFilter,
    ...Period,
  }),
  response: Type.Object({ messages: Type.Array(LoggedMessage), next_cursor: NextCursor, cursors: RowCursors }),
});

/** Everything that happened to a message, oldest first; `status` is the platform's word or `accepted`. */
export const GetTimeline = operation('status', 'timeline', {
  isRead: true,
  /** The rate card's days are those of the time zone. */
  request: Type.Object({ business_id: Id, message_id: MessageId, timezone: Type.Optional(Type.String()) }),
  response: Type.Object({
    message: Nullable(LoggedMessage),
    /** Absent without a rate, and for messages that WhatsApp does not charge or that were not delivered. */
    cost: Type.Optional(Type.Object({ amount: Money, currency: Currency })),
    timeline: Type.Array(Type.Object({ status: Type.String(), at: IsoTime, reason: Nullable(Type.String()) })),
  }),
});

/** Messages by how they ended; `delivered` counts those that were read too, `sent` all that the platform accepted. */
const counted = {
  sent: Type.Integer(),
  delivered: Type.Integer(),
  read: Type.Integer(),
  failed: Type.Integer(),
  refused: Type.Integer(),
};
export const MessageCounts = Type.Object(counted);
export type MessageCounts = Static<typeof MessageCounts>;

/** Messages of one day and type. */
export const UsageLine = Type.Object({
  /** `YYYY-MM-DD` in the business's time zone. */
  day: Type.String(),
  kind: Type.String(),
  ...counted,
});

export const GetUsage = operation('status', 'usage', {
  isRead: true,
  request: Type.Object({ business_id: Id, from: Type.String(), to: Type.String(), timezone: Type.String() }),
  response: Type.Object({ usage: Type.Array(UsageLine), billing: Type.Array(UsageBilling), currency: Nullable(Currency) }),
});

/** The messages of one bar, by sender; senders without messages are absent. Null: counted before senders were. */
export const CountedBar = Type.Object({
  at: IsoTime,
  counts: Type.Array(Type.Object({ sent_by: Nullable(Type.String()), ...counted })),
});

/** Failed and refused messages with one code. */
export const CountedFailure = Type.Object({
  failure_code: FailureCode,
  reason: Type.String(),
  hint: Nullable(Type.String()),
  count: Type.Integer(),
});

/** Half-open: `to` is excluded. Messages count for the quarter of an hour in which they were sent. */
const CountedPeriod = Type.Object({ from: IsoTime, to: IsoTime });

export const CountMessages = operation('status', 'count', {
  isRead: true,
  request: Type.Object({
    business_id: Id,
    ...CountedPeriod.properties,
    previous: Nullable(CountedPeriod),
    timezone: Type.String(),
    /** The length of a bar; bars begin at its multiples after midnight. */
    bar_minutes: Type.Integer({ minimum: 15, maximum: 1_440 }),
    ...CountedFilter,
  }),
  response: Type.Object({ bars: Type.Array(CountedBar), previous: MessageCounts, failures: Type.Array(CountedFailure) }),
});

/** Maximum number of templates that a count names, the most sent ones. */
export const MAX_COUNTED_TEMPLATES = 2_000;

/** Messages that WhatsApp accepted by template, in all languages together, of today and the six days before it in the time zone. */
export const CountTemplates = operation('status', 'count-templates', {
  isRead: true,
  request: Type.Object({ business_id: Id, timezone: Type.String() }),
  response: Type.Object({ templates: Type.Array(Type.Object({ name: Type.String(), sent: Type.Integer() })) }),
});
