import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './schema';

export { InvalidSignature, verifyWebhook, type WebhookEvent } from './verify-webhook';
export type { components, paths } from './schema';

export interface GatewayOptions {
  /** The gateway's address without a path: `https://gateway.example.com`. */
  url: string;
  apiKey: string;
}

/** The REST API, typed from its document. Results are `{data}` or `{error}`; only network failures throw. */
export function gatewayClient({ url, apiKey }: GatewayOptions): Client<paths> {
  return createClient<paths>({ baseUrl: url, headers: { 'x-api-key': apiKey } });
}
