import { Type, type TSchema } from '@sinclair/typebox';
import type { DataOf, EventType } from './event';
import { IsoTime } from './fields';
import {
  AiReplied,
  BroadcastCompleted,
  ConversationCreated,
  MessageReceived,
  MessageSent,
  MessageStatusChanged,
  PUBLIC_EVENTS,
  SuppressionChanged,
  TemplateStatusChanged,
  WebhookFailing,
  type PublicEventName,
} from './public-events';

/** The entry of a public event in the reference, without its fields: sentences for docs/webhooks.md and the API's document. */
interface EventReference {
  readonly event: EventType;
  /** Why it is sent. */
  readonly cause: string;
  /** Its place among other events. */
  readonly order: string;
  /** `webhook-id`, with placeholders in angle brackets. */
  readonly id: string;
  /** The time in `timestamp`; completes "ISO 8601, UTC: …". */
  readonly timestamp: string;
  /** A real body. */
  readonly example: { readonly event: string; readonly timestamp: string; readonly data: object };
}

function reference<E extends EventType>(
  event: E,
  about: Omit<EventReference, 'event' | 'example'>,
  example: { timestamp: string; data: DataOf<E> & object },
): EventReference {
  return { event, ...about, example: { event: event.type, ...example } };
}

const IN_CONVERSATION = 'Arrives in order with the other events of its conversation.';

/** Complete by type: an event without an entry does not compile. */
export const EVENT_REFERENCE: { readonly [Name in PublicEventName]: EventReference } = {
  'message.received': reference(
    MessageReceived,
    {
      cause: 'A customer wrote a message, chose a button or reacted. Edits, deletions and notices of WhatsApp cause no event.',
      order: `${IN_CONVERSATION} The first message of a person follows \`conversation.created\`.`,
      id: 'message.received:<business_id>:<message_id>',
      timestamp: 'when the customer sent the message, by WhatsApp’s clock',
    },
    {
      timestamp: '2026-11-22T09:14:05.000Z',
      data: {
        message_id: 'wamid.HBgLMTIwMTU1NTAxMDAVAgASGBQzQTJBNjI0RjM2OTdEMDY4RkI0NQA=',
        from: '12015550100',
        from_name: 'Asha',
        type: 'text',
        text: 'Is my order ready?',
        conversation_id: 12,
        business_id: 1,
      },
    },
  ),
  'message.sent': reference(
    MessageSent,
    {
      cause:
        'WhatsApp accepted a message of the API, an agent, a broadcast or auto-reply. After a send with an unknown outcome it comes when a status of WhatsApp proves the message, up to 24 hours later. Acceptance is not delivery.',
      order: `${IN_CONVERSATION} The response to the send and this event may arrive in either order.`,
      id: 'message.sent:<message_id>',
      timestamp: 'when WhatsApp accepted the message',
    },
    {
      timestamp: '2026-11-22T09:15:31.482Z',
      data: {
        message_id: 'wamid.HBgLMTIwMTU1NTAxMDAVAgARGBI0QTlGMkMwRTdCNUQxMzY4MEEA',
        to: '12015550100',
        type: 'template',
        text: 'Hi Asha, your order 1007 is ready.',
        sent_by: 'api',
        conversation_id: 12,
        business_id: 1,
      },
    },
  ),
  'conversation.created': reference(
    ConversationCreated,
    {
      cause: 'A customer wrote to the business for the first time, even if the business wrote first.',
      order: `${IN_CONVERSATION} It comes before the \`message.received\` of the same message.`,
      id: 'conversation.created:<conversation_id>',
      timestamp: 'when the customer sent the message, by WhatsApp’s clock',
    },
    {
      timestamp: '2026-11-22T09:14:05.000Z',
      data: {
        conversation_id: 12,
        customer_phone: '12015550100',
        customer_name: 'Asha',
        first_message: 'Is my order ready?',
        business_id: 1,
      },
    },
  ),
  'broadcast.completed': reference(
    BroadcastCompleted,
    {
      cause: 'A broadcast has sent all its messages. A cancelled broadcast causes no event.',
      order: 'Arrives in no order with the `message.sent` of its messages.',
      id: 'broadcast.completed:<broadcast_id>',
      timestamp: 'when the broadcast ended',
    },
    {
      timestamp: '2026-11-22T10:02:44.913Z',
      data: { broadcast_id: 3, template_name: 'order_update', total_recipients: 250, sent: 248, failed: 2, business_id: 1 },
    },
  ),
  'ai.replied': reference(
    AiReplied,
    {
      cause: 'Auto-reply replied to a customer. The same reply also causes `message.sent`, with `sent_by` `ai`.',
      order: 'Arrives one at a time with the other events of its conversation, in no order with the `message.sent` of the same reply.',
      id: 'ai.replied:<message_id>',
      timestamp: 'when the reply was recorded',
    },
    {
      timestamp: '2026-11-22T09:14:09.377Z',
      data: {
        message_id: 'wamid.HBgLMTIwMTU1NTAxMDAVAgARGBI5QzREMTBBOEU3RjI2MDNCNTEA',
        to: '12015550100',
        ai_response: 'Your order is ready. You can pick it up until 6 pm.',
        conversation_id: 12,
        business_id: 1,
      },
    },
  ),
  'message.status': reference(
    MessageStatusChanged,
    {
      cause:
        'WhatsApp reported that a message was delivered, read or failed. Once for each status that ranks above the one before (sent, delivered, failed, read): a read message that WhatsApp never reported as delivered causes one event.',
      order: `${IN_CONVERSATION} It comes after the \`message.sent\` of its message, except after the gateway has lost its event store: keep the status of the highest rank.`,
      id: 'message.status:<message_id>:<status>',
      timestamp: 'when it happened, by WhatsApp’s clock',
    },
    {
      timestamp: '2026-11-22T09:15:33.000Z',
      data: {
        message_id: 'wamid.HBgLMTIwMTU1NTAxMDAVAgARGBI0QTlGMkMwRTdCNUQxMzY4MEEA',
        to: '12015550100',
        type: 'template',
        sent_by: 'api',
        status: 'delivered',
        previous_status: 'sent',
        billing: { billable: true, category: 'utility', type: 'regular' },
        occurred_at: '2026-11-22T09:15:33.000Z',
        conversation_id: 12,
        business_id: 1,
      },
    },
  ),
  'template.status': reference(
    TemplateStatusChanged,
    {
      cause:
        'WhatsApp approved, rejected, paused or otherwise changed a template, as WhatsApp reported or as a sync found. Once for each change. The first sync of a business causes no event.',
      order: 'The events of one template arrive in order.',
      id: 'template.status:<unique>',
      timestamp: 'when the gateway recorded the change',
    },
    {
      timestamp: '2026-11-22T11:20:07.150Z',
      data: {
        template_name: 'order_update',
        language: 'en_US',
        status: 'APPROVED',
        previous_status: 'PENDING',
        reason: null,
        quality: 'UNKNOWN',
        business_id: 1,
      },
    },
  ),
  'suppression.changed': reference(
    SuppressionChanged,
    {
      cause:
        'A person may no longer be written to, or may again: by STOP and START, by their choice in WhatsApp, on the dashboard or by an API key. Once for each change of the strictest suppression.',
      order: `${IN_CONVERSATION} It comes after the \`message.received\` of a STOP or START.`,
      id: 'suppression.changed:<unique>',
      timestamp: 'when it happened',
    },
    {
      timestamp: '2026-11-22T09:20:41.000Z',
      data: {
        phone: '12015550100',
        state: 'opted_out',
        previous_state: null,
        source: 'person',
        at: '2026-11-22T09:20:41.000Z',
        business_id: 1,
      },
    },
  ),
  'webhook.failing': reference(
    WebhookFailing,
    {
      cause:
        'A webhook reached 10, 50, 100, 500, 1,000 and so on consecutive failed deliveries. The other webhooks of the business get it. After a success the count begins again.',
      order: 'The events about one webhook arrive in order.',
      id: 'webhook.failing:<unique>',
      timestamp: 'when the last delivery ended',
    },
    {
      timestamp: '2026-11-22T12:04:19.026Z',
      data: {
        webhook_id: 2,
        name: 'CRM',
        fail_count: 10,
        last_response_code: 500,
        reason: 'responded 500 instead of 200',
        business_id: 1,
      },
    },
  ),
};

/** Schema of the body of each event's delivery (spec §6.1). */
export function publicBodySchemas(): Record<PublicEventName, TSchema> {
  const entries = PUBLIC_EVENTS.map((name) => {
    const { event, timestamp, example } = EVENT_REFERENCE[name];
    const body = Type.Object(
      {
        event: Type.Literal(name, { description: 'The name of the event.' }),
        timestamp: { ...IsoTime, description: `ISO 8601, UTC: ${timestamp}.` },
        data: event.data,
      },
      { title: `${pascal(name)}Event`, examples: [example] },
    );
    return [name, body];
  });
  return Object.fromEntries(entries) as Record<PublicEventName, TSchema>;
}

/** `message.received` → `MessageReceived`. */
const pascal = (name: string) => name.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());
