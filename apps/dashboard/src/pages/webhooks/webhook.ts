import { type Schemas } from '../../api/client';
export const EVENTS = ['message.received', 'message.sent', 'conversation.created', 'broadcast.completed', 'ai.replied'] as const;

export type EventName = (typeof EVENTS)[number];

export type Delivery = Schemas['Deliveries']['deliveries'][number];

export type Webhook = Schemas['Webhooks']['webhooks'][number];
