import { randomUUID } from 'node:crypto';

/** Creates a UUID of version 7. Later ones sort later, so the index of a large table grows at its end only. */
export function newIntentId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  // Variant and random digits come from a UUID of version 4, which Node.js creates in advance.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** @returns when the intent was created */
export function createdAt(intentId: string): Date {
  return new Date(parseInt(intentId.replace('-', '').slice(0, 12), 16));
}

export const INTENT_ID = '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';
const intentId = new RegExp(INTENT_ID);

/** Other software may send through the same number, so its callback data is looked up only if it has the form of an intent id. */
export function isIntentId(text: string): boolean {
  return intentId.test(text);
}

/** The public id of a send without a platform id (decision 23a). */
export function gatewayMessageId(intentId: string): string {
  return `gw_${intentId}`;
}

/** @returns null when it is not such an id. */
export function intentIdOf(messageId: string): string | null {
  const id = messageId.startsWith('gw_') ? messageId.slice(3) : '';
  return isIntentId(id) ? id : null;
}
