import { Type, type TProperties } from '@sinclair/typebox';
import { DeliveryStatus, IsoTime, MediaType, MessageId, Restriction, TemplateRecord } from '@mgw/contracts';

const success = Type.Literal(true);

/** Spec §2.2. */
const sendResult = {
  success,
  message_id: MessageId,
  phone: Type.String({ description: 'Digits with country code, or the business-scoped user id that was given.' }),
  delivery_status: Type.Literal('queued'),
  note: Type.String(),
};
const sent = <P extends TProperties>(title: string, more: P) => Type.Object({ ...sendResult, ...more }, { title });

export const SendResult = sent('SendResult', {});
export const TemplateSendResult = sent('TemplateSendResult', { template: Type.String() });
export const QuickSendResult = sent('QuickSendResult', { template: Type.Optional(Type.String()) });
export const MediaSendResult = sent('MediaSendResult', { media_type: MediaType });
export const OtpSendResult = sent('OtpSendResult', { otp: Type.String() });

/** Spec §2.3. */
export const MessageStatusReply = Type.Object(
  {
    success,
    message_id: MessageId,
    api_status: Type.Union([Type.Literal('success'), Type.Literal('failed')]),
    delivery_status: DeliveryStatus,
    sent_at: IsoTime,
    to: Type.String(),
    failure_reason: Type.Optional(Type.String({ description: 'Only when delivery_status is failed.' })),
  },
  { title: 'MessageStatus' },
);

/** Spec §2.4. */
export const TemplatesReply = Type.Object({ success, templates: Type.Array(TemplateRecord) }, { title: 'Templates' });

/** Spec §2.5. */
export const HealthReply = Type.Object(
  {
    success,
    business: Type.String(),
    whatsapp_connected: Type.Boolean(),
    api_key_name: Type.String(),
    timestamp: IsoTime,
    restriction: Type.Optional(Restriction),
  },
  { title: 'Health' },
);
