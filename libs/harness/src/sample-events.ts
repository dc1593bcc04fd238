import { MessageSent, PlatformMessage, PlatformStatus, type DataOf, type EventEnvelope } from '@mgw/contracts';
import { newEvent } from '@mgw/events';

const AT = '2026-01-02T03:04:05.000Z';
const NUMBER = '700100200300401';

/** A customer's text. */
export function inboundEvent(data: Partial<DataOf<typeof PlatformMessage>> = {}, business_id = 1): EventEnvelope<typeof PlatformMessage> {
  const message_id = data.message_id ?? 'wamid.in1';
  return newEvent(PlatformMessage, {
    id: `platform.message:${business_id}:${message_id}`,
    at: data.sent_at ?? AT,
    business_id,
    key: 'person:1',
    data: {
      message_id,
      phone_number_id: NUMBER,
      from: { phone: '919876543210', user_id: null, name: 'Asha' },
      type: 'text',
      sent_at: AT,
      text: 'Hi',
      caption: null,
      media: null,
      raw: {},
      ...data,
    },
  });
}

export function statusEvent(
  message_id: string,
  status: string,
  data: Partial<DataOf<typeof PlatformStatus>> = {},
  business_id = 1,
): EventEnvelope<typeof PlatformStatus> {
  const occurred_at = data.occurred_at ?? AT;
  return newEvent(PlatformStatus, {
    id: `platform.status:${business_id}:${message_id}:${status}:${occurred_at}`,
    at: occurred_at,
    business_id,
    key: `message:${message_id}`,
    data: { message_id, phone_number_id: NUMBER, status, occurred_at, recipient: null, callback_data: null, error: null, ...data },
  });
}

export function acceptedEvent(message_id: string, business_id = 1): EventEnvelope<typeof MessageSent> {
  return newEvent(MessageSent, {
    id: `message.sent:${message_id}`,
    at: AT,
    business_id,
    key: 'conversation:1',
    data: { message_id, to: '919876543210', type: 'text', text: 'Hi', sent_by: 'api', conversation_id: 1, business_id },
    facts: { intent_id: 'i', api_key_id: 1, template: null, repaired: false, language: 'en', request_id: 'r1' },
  });
}
