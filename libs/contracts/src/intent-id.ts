import { randomUUID } from 'node:crypto';

/** A UUID of version 7: those made later sort later, so that the index of a large table grows at its end only. */
export function newIntentId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  // Variant and random digits are those of a UUID of version 4, of which Node.js keeps a stock.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

export const INTENT_ID = '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';
const intentId = new RegExp(INTENT_ID);

/** Callback data may be anybody's who uses the same number: only what we could have made is looked up. */
export function isIntentId(text: string): boolean {
  return intentId.test(text);
}

/** The id under which a send without a platform id is known outside (product decision 23a). */
export function gatewayMessageId(intentId: string): string {
  return `gw_${intentId}`;
}

/** @returns null when it is not such an id. */
export function intentIdOf(messageId: string): string | null {
  const id = messageId.startsWith('gw_') ? messageId.slice(3) : '';
  return isIntentId(id) ? id : null;
}
