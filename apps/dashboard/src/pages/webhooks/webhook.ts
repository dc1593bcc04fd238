import { type Schemas } from '../../api/client';
/** Events that a new webhook wants unless its owner chooses others. */
export const DEFAULT_EVENTS = ['message.received', 'message.sent', 'conversation.created', 'broadcast.completed', 'ai.replied'] as const;
export const EVENTS = [...DEFAULT_EVENTS, 'message.status', 'template.status', 'suppression.changed', 'webhook.failing'] as const;

export type EventName = (typeof EVENTS)[number];

export type Delivery = Schemas['Deliveries']['deliveries'][number];

export type Webhook = Schemas['Webhooks']['webhooks'][number];
