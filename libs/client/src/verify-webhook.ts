import { createHmac, timingSafeEqual } from 'node:crypto';
import type { components } from './schema';

/** The body of a delivery to a webhook (spec §6): `event` decides the type of `data`. A newer gateway may send more events and fields. */
export type WebhookEvent = components['schemas']['WebhookEvent'];

/** The body was not signed with this secret, or is a recorded copy: respond with 401 and ignore the body. */
export class InvalidSignature extends Error {
  override readonly name = 'InvalidSignature';
}

/** Headers of Node.js or of `Request`. */
export type WebhookHeaders = Record<string, string | string[] | undefined> | { get(name: string): string | null };

export interface WebhookDelivery {
  /** Never empty: anyone can sign with an empty secret. */
  secret: string;
  /** The received bytes, before any parsing. */
  body: string | Uint8Array;
  /** The headers of the delivery, whose `webhook-signature` covers its id and its time. */
  headers?: WebhookHeaders;
  /** Only `X-Service-Signature`, which does not cover the time: a recorded copy passes. */
  signature?: string | string[] | undefined;
  /** The age at which a delivery counts as a recorded copy; five minutes by default. */
  toleranceSeconds?: number;
}

const TOLERANCE_SECONDS = 300;

/**
 * Checks a delivery in constant time and reads its event. With `headers` it refuses old deliveries too; remember `webhook-id` to handle
 * each event once.
 * @throws InvalidSignature, or TypeError for a missing or empty secret
 */
export function verifyWebhook(delivery: WebhookDelivery): WebhookEvent {
  const { secret, headers, body } = delivery;
  if (!secret) throw new TypeError('verifyWebhook needs the secret of the webhook, and it is empty');
  const bytes = Buffer.from(body);
  if (headers ? !isRecent(delivery, headers) || !isSigned(delivery, headers, bytes) : !isBodySigned(delivery, bytes))
    throw new InvalidSignature('the webhook was not signed with this secret, or is too old');
  return JSON.parse(bytes.toString()) as WebhookEvent;
}

function isRecent({ toleranceSeconds = TOLERANCE_SECONDS }: WebhookDelivery, headers: WebhookHeaders): boolean {
  const time = headerOf(headers, 'webhook-timestamp');
  return /^\d{1,12}$/.test(time) && Math.abs(Date.now() / 1_000 - Number(time)) <= toleranceSeconds;
}

/** One signature of several is enough: while a secret changes there is one for each. */
function isSigned({ secret }: WebhookDelivery, headers: WebhookHeaders, body: Buffer): boolean {
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headerOf(headers, name));
  const expected = createHmac('sha256', secret).update(`${id}.${time}.`).update(body).digest();
  return (signatures ?? '').split(' ').some((one) => one.startsWith('v1,') && isEqual(expected, Buffer.from(one.slice(3), 'base64')));
}

function isBodySigned({ secret, signature }: WebhookDelivery, body: Buffer): boolean {
  const hex = typeof signature === 'string' && /^[0-9a-f]{64}$/.test(signature) ? signature : '';
  return isEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(hex, 'hex'));
}

const isEqual = (expected: Buffer, received: Buffer) => received.length === expected.length && timingSafeEqual(received, expected);

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, string | string[] | undefined>)[name];
  return typeof value === 'string' ? value : '';
}
