import createClient, { type Client } from 'openapi-fetch';
import { Events } from './events';
import type { paths } from './schema';

export { Events, EventsUnavailable, type FeedEvent, type FeedPage, type FollowOptions, type ListOptions } from './events';
export { InvalidSignature, verifyWebhook, type WebhookEvent } from './verify-webhook';
export type { components, paths } from './schema';

export interface GatewayOptions {
  /** The gateway's address without a path: `https://gateway.example.com`. */
  url: string;
  apiKey: string;
}

/**
 * The REST API, typed from its document. Results are `{data}` or `{error}`; only network failures throw. `events` reads the events of the
 * business by number.
 */
export function gatewayClient({ url, apiKey }: GatewayOptions): Client<paths> & { events: Events } {
  const client = createClient<paths>({ baseUrl: url, headers: { 'x-api-key': apiKey } });
  return Object.assign(client, { events: new Events(client) });
}
