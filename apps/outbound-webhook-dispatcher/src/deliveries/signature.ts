import { createHmac } from 'node:crypto';

/**
 * Signs a delivery (spec §5.9, decision 35): a hexadecimal HMAC of the body, and the scheme of Standard Webhooks, which also covers id and
 * time. While a replaced secret is kept, `webhook-signature` has a signature of each secret.
 * @param secrets the current one first
 * @param timestamp seconds since 1970
 */
export function signatureHeaders(
  secrets: readonly [string, ...string[]],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): Record<string, string> {
  const standard = (secret: string) => createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'x-service-signature': createHmac('sha256', secrets[0]).update(body).digest('hex'),
    'webhook-signature': secrets.map((secret) => `v1,${standard(secret)}`).join(' '),
  };
}
