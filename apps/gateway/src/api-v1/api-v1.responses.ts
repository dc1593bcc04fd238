import { Type, type Static, type TObject, type TProperties } from '@sinclair/typebox';
import {
  Billing,
  ConversationRecord,
  DeliveryStatus,
  described,
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

export const TemplateSendResult = sendResultWith('TemplateSendResult', {
  template: Type.String({ description: 'The template of the request.' }),
});
export const QuickSendResult = sendResultWith('QuickSendResult', {
  template: Type.Optional(Type.String({ description: 'The template of the request; absent after a text.' })),
});
export const MediaSendResult = sendResultWith('MediaSendResult', { media_type: described(MediaType, 'That of the request.') });
export const InteractiveSendResult = sendResultWith('InteractiveSendResult', {
  kind: described(InteractiveContent.properties.kind, 'That of the request.'),
});
export const OtpSendResult = sendResultWith('OtpSendResult', {
  otp: Type.String({ description: 'The code that was sent: compare what the person types with it.' }),
});

export const Succeeded = Type.Object({ success }, { title: 'Succeeded' });

const messageStatus = Type.Object({
  message_id: described(MessageId, 'The id of the request. An id `gw_…` of an unclear send becomes WhatsApp’s id once it is known.'),
  api_status: Type.Union([Type.Literal('success'), Type.Literal('failed')], {
    description: 'Whether WhatsApp accepted the message.',
  }),
  delivery_status: described(DeliveryStatus, 'The highest that WhatsApp reported: sent, delivered, failed, read, in this order.'),
  sent_at: described(IsoTime, 'When WhatsApp accepted the message, or refused it.'),
  to: Type.String({ description: 'The recipient: digits with country code, or the business-scoped user id.' }),
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
    session_window: described(
      ConversationRecord.properties.session_window,
      'Whether free text may be sent, when the person last wrote, and when the window closes.',
    ),
    suppression_state: described(ConversationRecord.properties.suppression_state, 'The strictest suppression; null without one.'),
    last_message_at: described(Nullable(IsoTime), 'When the newest message was exchanged, in either direction.'),
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
    business: Type.String({ description: 'The name of the business.' }),
    whatsapp_connected: Type.Boolean({ description: 'Whether the number is connected, as the gateway last found.' }),
    api_key_name: Type.String({ description: 'The name of the key.' }),
    timestamp: described(IsoTime, 'The time of the response.'),
    restriction: Type.Optional(described(Restriction, 'What WhatsApp has restricted, and until when. Absent without a restriction.')),
  },
  { title: 'Health' },
);
