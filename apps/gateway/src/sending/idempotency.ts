import { createHash } from 'node:crypto';
import { GatewayError, type Sender } from '@mgw/contracts';

/** @param key the header or query parameter, unchecked */
export function idempotencyKeyOf(key: string | string[] | undefined): string | null {
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = 'must be 1 to 255 visible ASCII characters';
  throw new GatewayError('VALIDATION_FAILED', `Idempotency-Key ${detail}.`, { details: [{ field: 'Idempotency-Key', message: detail }] });
}

/** The key and a fingerprint of endpoint and validated body: a repeated key must come with the same request (decision 24). */
export function idempotencyOf(unchecked: string | string[] | undefined, endpoint: string, message: object): Sender['idempotency'] {
  const key = idempotencyKeyOf(unchecked);
  if (key === null) return null;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([endpoint, message]))
    .digest('hex');
  return { key, fingerprint };
}
