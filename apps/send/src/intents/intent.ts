import type { DataOf, MessageNotSent, Sender } from '@mgw/contracts';
import type { SuppressionState } from '../suppression/suppression';

/** calling → accepted | refused | unknown; unknown → accepted (proved by a status callback) | unconfirmed (after 24 hours); see guarantees §1. */
export type IntentState = 'calling' | 'accepted' | 'refused' | 'unknown' | 'unconfirmed';

/** The failure reason of an unclear send: the message log distinguishes it from a failure by this code (decision 23a). */
export const unclearReason = (text: string): string => `OUTCOME_UNKNOWN: ${text}.`;

/** A message before its reservation. */
export interface IntentDraft {
  id: string;
  sender: Sender;
  to: string;
  type: DataOf<typeof MessageNotSent>['type'];
  template: string | null;
  /** The template's language. */
  language: string | null;
  /** True for a MARKETING template. */
  marketing: boolean;
  /** True for text and media (spec §3.2). */
  needsWindow: boolean;
  /** The text that the person reads; `text` of message.sent. */
  text: string;
  /** The content that the thread shows in addition to the text, as JSON (decision 390). */
  details: string | null;
}

/** The recipient at the time of the reservation. */
export interface Recipient {
  /** Null for a person without a conversation. */
  conversationId: number | null;
  lastInboundAt: Date | null;
}

/** An earlier send with the same Idempotency-Key. */
export interface EarlierSend {
  id: string;
  /** Unseals the fingerprint. @throws SealingError if its sealing key was removed */
  fingerprint: () => string;
  state: IntentState;
  messageId: string | null;
  to: string;
}

export type Reservation =
  | { kind: 'reserved'; recipient: Recipient }
  | { kind: 'suppressed'; state: SuppressionState }
  | { kind: 'window_closed'; lastInboundAt: Date | null }
  /** The daily cap is reached. */
  | { kind: 'capped'; used: number; secondsToMidnight: number }
  | { kind: 'earlier'; send: EarlierSend }
  /** The statement failed; it may still have committed. */
  | { kind: 'failed'; error: unknown };

/** The checks that a reservation would make now. */
export interface SendPreview {
  /** The suppression that refuses this message. */
  refusedBy: SuppressionState | null;
  /** The recipient's strictest suppression. */
  suppression: SuppressionState | null;
  windowOpen: boolean;
  lastInboundAt: Date | null;
  used: number;
  /** How many messages the daily cap still allows. */
  remaining: number;
  secondsToMidnight: number;
}

/** The stored facts of an intent, from memory or read back. */
export interface IntentRecord {
  id: string;
  businessId: number;
  apiKeyId: number | null;
  to: string;
  type: DataOf<typeof MessageNotSent>['type'];
  sentBy: DataOf<typeof MessageNotSent>['sent_by'];
  template: string | null;
  text: string;
  /** The template's language and the id of the request; null for an intent that was read back. */
  language: string | null;
  requestId: string | null;
  /** The broadcast that sends it. */
  broadcastId: number | null;
  /** The trace in which the outcome is recorded. */
  traceparent: string | undefined;
}
