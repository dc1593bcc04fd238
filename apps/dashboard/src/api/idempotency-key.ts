/** A new Idempotency-Key. Browsers offer `randomUUID` only on HTTPS and localhost. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16).padStart(8, '0')).join('');
}

/**
 * The Idempotency-Key of one request: an unchanged request is sent once however often it is retried, and a changed one is not refused as
 * another request with the same key.
 * @param seed a new key, which all attempts of one form share
 */
export const keyOfRequest = (seed: string, body: object): string => `${seed}-${hashOf(JSON.stringify(body))}`;

/** FNV-1a, because browsers offer SHA-256 only on HTTPS and localhost. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16);
}
