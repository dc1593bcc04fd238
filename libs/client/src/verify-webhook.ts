import { createHmac, timingSafeEqual } from 'node:crypto';
import type { components } from './schema';

/** The body of a delivery to a webhook (spec §6): `event` decides the type of `data`. A newer gateway may send more events and fields. */
export type WebhookEvent = components['schemas']['WebhookEvent'];

/** The body was not signed with this secret: respond with 401 and ignore the body. */
export class InvalidSignature extends Error {
  override readonly name = 'InvalidSignature';
}

/**
 * Checks the header `X-Service-Signature` (spec §5.9) in constant time and reads the event.
 * @param body the received bytes, before any parsing
 * @throws InvalidSignature
 */
export function verifyWebhook(delivery: { secret: string; signature: string | string[] | undefined; body: string | Buffer }): WebhookEvent {
  const { secret, signature, body } = delivery;
  const expected = createHmac('sha256', secret).update(body).digest();
  const received = Buffer.from(typeof signature === 'string' && /^[0-9a-f]{64}$/.test(signature) ? signature : '', 'hex');
  if (received.length !== expected.length || !timingSafeEqual(received, expected))
    throw new InvalidSignature('the webhook was not signed with this secret');
  return JSON.parse(body.toString()) as WebhookEvent;
}
