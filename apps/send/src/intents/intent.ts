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
export interface EarlierSend {
  id: string;
  /** @throws SealingError when the key that it was sealed with is gone */
  fingerprint: () => string;
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
  | { kind: 'earlier'; intent: EarlierSend }
  /** Whether it is reserved may not be known. */
  | { kind: 'failed'; error: unknown };

/** What an intent says of its message, whether it is still in memory or was read back after a crash. */
export interface IntentRecord {
  id: string;
  businessId: number;
  apiKeyId: number | null;
  to: string;
  type: DataOf<typeof MessageNotSent>['type'];
  sentBy: DataOf<typeof MessageNotSent>['sent_by'];
  template: string | null;
  text: string;
  /** The trace in which it ends. */
  traceparent: string | undefined;
}
