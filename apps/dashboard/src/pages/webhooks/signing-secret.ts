const BYTES = 32;

/** A random secret as hexadecimal text. The text itself is the key of the signatures. */
export function newSecret(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The secret in the form that Standard Webhooks libraries take. */
export function standardSecret(secret: string): string {
  return `whsec_${btoa(String.fromCharCode(...new TextEncoder().encode(secret)))}`;
}
