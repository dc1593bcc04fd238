import type { ErrorCode } from '@mgw/contracts';

/**
 * What a refusal tells us about our own state (platform §2, last column).
 * - `connection-problem`: credentials, number or account do not work: the business is disconnected until probed again
 * - `billing-problem`, `quality-problem`: the channel works but the business must act; to be shown and alerted
 * - `window-closed`: our record of the window was too generous
 * - `marketing-opt-out`: the person refuses marketing from this business
 * - `templates-stale`: our copy of the templates differs from the platform's
 */
export type SideEffect =
  'connection-problem' | 'billing-problem' | 'quality-problem' | 'window-closed' | 'marketing-opt-out' | 'templates-stale';

/** A definite no of the platform, already in the words of our own errors. */
export interface Refusal {
  readonly errorCode: ErrorCode;
  /** HTTP status our caller gets. */
  readonly status: number;
  /** `inline`: may be tried again at once, within the budget of one request; `later`: only by the caller, after a while; `never`. */
  readonly retry: 'inline' | 'later' | 'never';
  /** `error.code`; null when the answer had no Graph error body. */
  readonly platformCode: number | null;
  /** A sentence for our caller; holds the platform's details, never a token. */
  readonly message: string;
  /** What to do about it, or null. */
  readonly hint: string | null;
  readonly sideEffect: SideEffect | null;
  /** What the platform asked us to wait, else our own estimate; null where waiting does not help. */
  readonly retryAfterSeconds: number | null;
  /** Meta's trace id, for support. */
  readonly traceId: string | null;
}
