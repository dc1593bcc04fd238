import { createHash } from 'node:crypto';
import { GatewayError, type Sender } from '@mgw/contracts';

/**
 * The key and a fingerprint of endpoint and validated body: a repeated key must come with the same request (decision 24).
 * @param key the header or query parameter, unchecked
 */
export function idempotencyOf(key: string | string[] | undefined, endpoint: string, message: object): Sender['idempotency'] {
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    const detail = 'must be 1 to 255 visible ASCII characters';
    throw new GatewayError('VALIDATION_FAILED', `Idempotency-Key ${detail}.`, { details: [{ field: 'Idempotency-Key', message: detail }] });
  }
  return {
    key,
    fingerprint: createHash('sha256')
      .update(JSON.stringify([endpoint, message]))
      .digest('hex'),
  };
}
