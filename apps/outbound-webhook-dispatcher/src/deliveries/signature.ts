import { createHmac } from 'node:crypto';

/**
 * Signs a delivery (spec §5.9, decision 35): a hexadecimal HMAC of the body, and the scheme of Standard Webhooks, which also covers id and
 * time.
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
