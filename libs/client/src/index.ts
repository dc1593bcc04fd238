export { EventsLost, type Events, type FeedEvent, type FeedPage, type FollowOptions, type ListOptions } from './events';
export { Gateway, GatewayRefusal, type BroadcastDryRun, type CallOptions, type DryRunResult, type GatewayOptions } from './gateway';
export { InvalidSignature, verifyWebhook, type WebhookDelivery, type WebhookEvent, type WebhookHeaders } from './verify-webhook';
export type { components, paths } from './schema';
