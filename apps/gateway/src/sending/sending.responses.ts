import { Type, type TProperties } from '@sinclair/typebox';
import { MessageId } from '@mgw/contracts';

/** A schema of spec §2.2: the members of every send result, and those of one endpoint. */
export function sendResultWith<P extends TProperties>(title: string, members: P) {
  const shared = {
    success: Type.Literal(true),
    message_id: MessageId,
    phone: Type.String({ description: 'Digits with country code, or the business-scoped user id of the request.' }),
    delivery_status: Type.Literal('queued'),
    note: Type.String(),
  };
  return Type.Object({ ...shared, ...members }, { title });
}

export const SendResult = sendResultWith('SendResult', {});
