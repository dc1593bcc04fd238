import { randomUUID } from 'node:crypto';
import type { DataOf, MessageNotSent, Sender } from '@mgw/contracts';
import type { SuppressionState } from '../suppression/suppression';

/** calling → accepted | refused | unknown; unknown → accepted (by a status webhook) or → unconfirmed, after 24 h (guarantees §1). */
export type IntentState = 'calling' | 'accepted' | 'refused' | 'unknown' | 'unconfirmed';

/** A message that is about to be sent. */
export interface IntentDraft {
  id: string;
  sender: Sender;
  to: string;
  type: DataOf<typeof MessageNotSent>['type'];
  template: string | null;
  /** A MARKETING template. */
  marketing: boolean;
  /** Free-form messages need an open window (spec §3.2). */
  needsWindow: boolean;
  /** What the person will read: `text` of message.sent. */
  text: string;
}

/** Whom a message goes to, as it stood when it was reserved. */
export interface Recipient {
  /** Null when nobody by that name is known yet. */
  conversationId: number | null;
  lastInboundAt: Date | null;
}

/** An earlier send with the same Idempotency-Key. */
export interface EarlierIntent {
  id: string;
  fingerprint: string;
  state: IntentState;
  messageId: string | null;
  to: string;
}

export type Reservation =
  | { kind: 'reserved'; recipient: Recipient }
  | { kind: 'suppressed'; state: SuppressionState }
  | { kind: 'window_closed'; lastInboundAt: Date | null }
  /** The daily cap is used up. */
  | { kind: 'capped'; used: number; secondsToMidnight: number }
  | { kind: 'earlier'; intent: EarlierIntent };

/** A UUID of version 7: those made later sort later, so that the index of a large table grows at its end only. */
export function newIntentId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  // Variant and random digits are those of a UUID of version 4, of which Node.js keeps a stock.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

const INTENT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Callback data may be anybody's who uses the same number: only what we could have made is looked up. */
export function isIntentId(text: string): boolean {
  return INTENT_ID.test(text);
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
