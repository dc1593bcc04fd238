import { Type, type Static } from '@sinclair/typebox';
import { characters, Id, IsoTime, MessageId, Nullable } from './fields';
import { operation } from './operation';
import { NextCursor, PageRequest, Period, RowCursors } from './paging';

export const DeliveryStatus = Type.Union([Type.Literal('sent'), Type.Literal('delivered'), Type.Literal('read'), Type.Literal('failed')]);
export type DeliveryStatus = Static<typeof DeliveryStatus>;

/** Messages whose status one request may read. */
export const MAX_STATUSES = 100;

/** Spec §2.3 without the envelope, of accepted messages; unknown ones and those of other businesses are left out. */
export const GetMessageStatuses = operation('status', 'get-many', {
  request: Type.Object({ business_id: Id, message_ids: Type.Array(MessageId, { maxItems: MAX_STATUSES }) }),
  reply: Type.Object({
    statuses: Type.Array(
      Type.Object({
        message_id: MessageId,
        delivery_status: DeliveryStatus,
        sent_at: IsoTime,
        to: Type.String(),
        failure_reason: Nullable(Type.String()),
      }),
    ),
  }),
});

/** A line of the message log: what went out, or should have (spec §10). */
export const LoggedMessage = Type.Object({
  /** The platform's, or `gw_…` of a send that was refused or whose outcome is unknown (decision 23a). */
  message_id: MessageId,
  to: Type.String(),
  type: Type.String(),
  template: Nullable(Type.String()),
  text: Type.String(),
  sent_by: Type.String(),
  api_key_id: Nullable(Id),
  api_status: Type.Union([Type.Literal('success'), Type.Literal('failed')]),
  delivery_status: DeliveryStatus,
  failure_reason: Nullable(Type.String()),
  sent_at: IsoTime,
});
export type LoggedMessage = Static<typeof LoggedMessage>;

/** The newest first. */
export const ListMessages = operation('status', 'list', {
  isRead: true,
  request: Type.Object({
    business_id: Id,
    ...PageRequest,
    status: Nullable(DeliveryStatus),
    phone: Nullable(characters(140)),
    /** Part of the text, or a template's name or a message id. */
    search: Nullable(characters(100)),
    template: Type.Optional(characters(512)),
    /** The key as which the sends count. */
    api_key_id: Type.Optional(Id),
    ...Period,
  }),
  reply: Type.Object({ messages: Type.Array(LoggedMessage), next_cursor: NextCursor, cursors: RowCursors }),
});

/** Everything that happened to a message, oldest first; `status` is the platform's word or `accepted`. */
export const GetTimeline = operation('status', 'timeline', {
  isRead: true,
  request: Type.Object({ business_id: Id, message_id: MessageId }),
  reply: Type.Object({
    message: Nullable(LoggedMessage),
    timeline: Type.Array(Type.Object({ status: Type.String(), at: IsoTime, reason: Nullable(Type.String()) })),
  }),
});

/** Messages of one day and type by how they ended; `delivered` counts those that were read too. */
export const UsageLine = Type.Object({
  /** `YYYY-MM-DD` in the business's time zone. */
  day: Type.String(),
  kind: Type.String(),
  sent: Type.Integer(),
  delivered: Type.Integer(),
  read: Type.Integer(),
  failed: Type.Integer(),
  refused: Type.Integer(),
});

export const GetUsage = operation('status', 'usage', {
  isRead: true,
  request: Type.Object({ business_id: Id, from: Type.String(), to: Type.String(), timezone: Type.String() }),
  reply: Type.Object({ usage: Type.Array(UsageLine) }),
});
