import { Type, type Static, type TObject, type TProperties } from '@sinclair/typebox';
import {
  Billing,
  ConversationRecord,
  DeliveryStatus,
  FeedPage,
  InboundMessage,
  InteractiveContent,
  IsoTime,
  LoggedMessage,
  MediaType,
  MessageId,
  NextCursor,
  Nullable,
  Restriction,
  TemplateRecord,
} from '@mgw/contracts';
import { CheckResponse } from '../broadcasts/broadcasts.responses';
import { sendResultWith } from '../sending/sending.responses';

const success = Type.Literal(true);

export const TemplateSendResult = sendResultWith('TemplateSendResult', { template: Type.String() });
export const QuickSendResult = sendResultWith('QuickSendResult', { template: Type.Optional(Type.String()) });
export const MediaSendResult = sendResultWith('MediaSendResult', { media_type: MediaType });
export const InteractiveSendResult = sendResultWith('InteractiveSendResult', { kind: InteractiveContent.properties.kind });
export const OtpSendResult = sendResultWith('OtpSendResult', { otp: Type.String() });

export const Succeeded = Type.Object({ success }, { title: 'Succeeded' });

const messageStatus = Type.Object({
  message_id: MessageId,
  api_status: Type.Union([Type.Literal('success'), Type.Literal('failed')]),
  delivery_status: DeliveryStatus,
  sent_at: IsoTime,
  to: Type.String(),
  failure_reason: Type.Optional(
    Type.String({ description: 'Only when delivery_status is failed. It begins with OUTCOME_UNKNOWN if the message may have been sent.' }),
  ),
  billing: Type.Optional({ ...Billing, description: 'How WhatsApp prices the message, once it has reported it.' } as typeof Billing),
});
export type MessageStatus = Static<typeof messageStatus>;
/** Spec §2.3. */
export const MessageStatusResponse = Type.Object({ success, ...messageStatus.properties }, { title: 'MessageStatus' });
export const MessageStatusesResponse = Type.Object(
  {
    success,
    statuses: Type.Array(messageStatus, { description: 'In the order of the request, without unknown ids.' }),
    unknown: Type.Array(Type.String(), { description: 'The ids without a status: no message has them, or it was sent a few seconds ago.' }),
  },
  { title: 'MessageStatuses' },
);

/** The response of the dashboard's API, with `success` as all responses of the REST API have it. */
export function byKey<P extends TProperties>(response: TObject<P>, title = `${response.title}ByKey`) {
  return Type.Object({ success, ...response.properties }, { title });
}

/** The response to a broadcast with `dry_run`. */
export const BroadcastDryRun = Type.Object(
  { success, dry_run: Type.Literal(true), ...CheckResponse.properties },
  { title: 'BroadcastDryRun' },
);

const direction = (value: 'in' | 'out') => Type.Literal(value, { description: '`out` for a sent message, `in` for one of a person.' });
export const MessagesByKeyResponse = Type.Object(
  {
    success,
    messages: Type.Array(
      Type.Union([
        Type.Object({ direction: direction('out'), ...LoggedMessage.properties }),
        Type.Object({ direction: direction('in'), ...InboundMessage.properties }),
      ]),
      { description: 'The newest first. A page may be short or empty and still have a `next_cursor`.' },
    ),
    next_cursor: NextCursor,
  },
  { title: 'MessagesByKey' },
);

export const ConversationResponse = Type.Object(
  {
    success,
    session_window: ConversationRecord.properties.session_window,
    suppression_state: ConversationRecord.properties.suppression_state,
    last_message_at: Nullable(IsoTime),
  },
  { title: 'ConversationByKey', description: 'A person without a conversation has a closed window and nulls.' },
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
