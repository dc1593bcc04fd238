import { createHash } from 'node:crypto';
import { GatewayError, type Idempotency } from '@mgw/contracts';
import type { FastifyReply } from 'fastify';

/** @param key the header or query parameter, unchecked */
export function idempotencyKeyOf(key: string | string[] | undefined): string | null {
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = 'must be 1 to 255 visible ASCII characters';
  throw new GatewayError('VALIDATION_FAILED', `Idempotency-Key ${detail}.`, { details: [{ field: 'Idempotency-Key', message: detail }] });
}

/** The key and a fingerprint of endpoint and validated body: a repeated key must come with the same request (decision 24). */
export function idempotencyOf(unchecked: string | string[] | undefined, endpoint: string, message: object): Idempotency | null {
  const key = idempotencyKeyOf(unchecked);
  if (key === null) return null;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([endpoint, message]))
    .digest('hex');
  return { key, fingerprint };
}

/**
 * Keeps the Idempotency-Keys of one caller apart from those of the others of the business (decision 40). The stored key is a hash, because a
 * client may derive its key from a secret of the request.
 * @param caller `user:<id>`, or `api-key:<id>` of the first key of its rotations
 */
export function scopedTo(caller: string, idempotency: Idempotency | null): Idempotency | null {
  return idempotency && { ...idempotency, key: `${caller}:${createHash('sha256').update(idempotency.key).digest('hex')}` };
}

/** Tells the caller that an earlier request with the same Idempotency-Key had the effect. */
export function markReplayed(reply: FastifyReply, replayed: boolean | undefined): void {
  if (replayed) void reply.header('idempotency-replayed', 'true');
}
