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

/** @param file bytes, a Blob or a stream @returns the `media_id` for send-media */
export function uploadMedia(
  gateway: Client<paths>,
  file: NonNullable<RequestInit['body']>,
  { type, filename }: { type: string; filename?: string },
) {
  return gateway.POST('/api/v1/media', {
    params: { query: filename === undefined ? {} : { filename } },
    body: file,
    bodySerializer: (body) => body as NonNullable<RequestInit['body']>,
    headers: { 'content-type': type },
    // Node.js sends a stream only so.
    ...(file instanceof ReadableStream && { duplex: 'half' }),
  });
}

/** @returns the file as a stream, whole or from `range`, such as `bytes=0-1023` */
export function downloadMedia(gateway: Client<paths>, media_id: string, range?: string) {
  return gateway.GET('/api/v1/media/{media_id}', {
    params: { path: { media_id } },
    parseAs: 'stream',
    headers: range === undefined ? {} : { range },
  });
}

/**
 * The REST API, typed from its document. Results are `{data}` or `{error}`; only network failures throw. `events` reads the events of the
 * business by number.
 */
export function gatewayClient({ url, apiKey }: GatewayOptions): Client<paths> & { events: Events } {
  const client = createClient<paths>({ baseUrl: url, headers: { 'x-api-key': apiKey } });
  return Object.assign(client, { events: new Events(client) });
}
