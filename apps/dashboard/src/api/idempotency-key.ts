/** A new Idempotency-Key. Browsers offer `randomUUID` only on HTTPS and localhost. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16).padStart(8, '0')).join('');
}
