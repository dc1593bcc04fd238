import { createHmac } from 'node:crypto';

/**
 * Spec §5.9 and product decision 35: the hexadecimal HMAC over the body, and beside it the scheme of Standard Webhooks, which
 * covers id and time as well.
 * @param timestamp seconds since 1970
 */
export function signatureHeaders(
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): Record<string, string> {
  const standard = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
    'webhook-signature': `v1,${standard}`,
  };
}
