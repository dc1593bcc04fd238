import { Type, type Static } from '@sinclair/typebox';
import { Id, IsoTime, MessageId, Nullable } from './fields';
import { operation } from './operation';

export const DeliveryStatus = Type.Union([Type.Literal('sent'), Type.Literal('delivered'), Type.Literal('read'), Type.Literal('failed')]);
export type DeliveryStatus = Static<typeof DeliveryStatus>;

/** Spec §2.3 without the envelope; `record` is null for an unknown id and for one that another business sent. */
export const GetMessageStatus = operation('status', 'get', {
  request: Type.Object({ business_id: Id, message_id: MessageId }),
  reply: Type.Object({
    record: Nullable(
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
