import { Type } from '@sinclair/typebox';
import { DeliveryStatus, FeedPage, InteractiveContent, IsoTime, MediaType, MessageId, Restriction, TemplateRecord } from '@mgw/contracts';
import { sendResultWith } from '../sending/sending.responses';

const success = Type.Literal(true);

export const TemplateSendResult = sendResultWith('TemplateSendResult', { template: Type.String() });
export const QuickSendResult = sendResultWith('QuickSendResult', { template: Type.Optional(Type.String()) });
export const MediaSendResult = sendResultWith('MediaSendResult', { media_type: MediaType });
export const InteractiveSendResult = sendResultWith('InteractiveSendResult', { kind: InteractiveContent.properties.kind });
export const OtpSendResult = sendResultWith('OtpSendResult', { otp: Type.String() });

export const Succeeded = Type.Object({ success }, { title: 'Succeeded' });

/** Spec §2.3. */
export const MessageStatusResponse = Type.Object(
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
export const TemplatesResponse = Type.Object({ success, templates: Type.Array(TemplateRecord) }, { title: 'Templates' });

export const EventsResponse = Type.Object({ success, ...FeedPage.properties }, { title: 'Events' });

/** Spec §2.5. */
export const HealthResponse = Type.Object(
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
