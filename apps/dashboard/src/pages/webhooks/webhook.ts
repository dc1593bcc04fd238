import { type Schemas } from '../../api/client';
/** Events that a new webhook wants unless its owner chooses others. */
export const DEFAULT_EVENTS = [
  'message.received',
  'message.sent',
  'message.status',
  'conversation.created',
  'broadcast.completed',
  'ai.replied',
] as const;
export const EVENTS = [...DEFAULT_EVENTS, 'template.status', 'suppression.changed', 'webhook.failing'] as const;

export type EventName = (typeof EVENTS)[number];

/** The cause of each event. */
export const EVENT_CAUSES: Record<EventName, string> = {
  'message.received': 'A customer wrote to you, chose a button or reacted.',
  'message.sent': 'WhatsApp accepted a message of yours.',
  'message.status': 'A message of yours was delivered, read or failed.',
  'conversation.created': 'A customer wrote to you for the first time.',
  'broadcast.completed': 'A broadcast has sent all its messages.',
  'ai.replied': 'Auto-reply replied to a customer.',
  'template.status': 'WhatsApp approved, rejected or paused a template.',
  'suppression.changed': 'A person opted out or in.',
  'webhook.failing': 'Deliveries to one of your webhooks keep failing.',
};

export type Delivery = Schemas['Deliveries']['deliveries'][number];

export type Webhook = Schemas['Webhooks']['webhooks'][number];
