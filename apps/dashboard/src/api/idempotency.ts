/** An Idempotency-Key. `randomUUID` is there on HTTPS and localhost only. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16).padStart(8, '0')).join('');
}
