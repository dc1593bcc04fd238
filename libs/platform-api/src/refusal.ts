import { GatewayError, type ErrorCode, type ErrorExtras } from '@mgw/contracts';

/**
 * A refusal's effect on the gateway's own state (platform §2, last column).
 * - `connection-problem`: credentials, number or account do not work: the business is disconnected until probed again
 * - `billing-problem`, `quality-problem`: the channel works but the business must act; to be shown and alerted
 * - `window-closed`: our record of the window was too generous
 * - `marketing-opt-out`: the person refuses marketing from this business
 * - `templates-stale`: our copy of the templates differs from the platform's
 */
export type SideEffect =
  | 'connection-problem'
  | 'billing-problem'
  | 'quality-problem'
  | 'window-closed'
  | 'marketing-opt-out'
  | 'templates-stale';

/** A certain refusal by the platform, in terms of our own errors. */
export interface Refusal {
  readonly errorCode: ErrorCode;
  /** HTTP status our caller gets. */
  readonly status: number;
  /** `inline`: may be retried at once, within the budget of one request; `later`: by the caller, after a while; `never`. */
  readonly retry: 'inline' | 'later' | 'never';
  /** `error.code`; null when the response had no Graph error body. */
  readonly platformCode: number | null;
  /** A sentence for our caller; holds the platform's details, never a token. */
  readonly message: string;
  /** Advice for the caller, or null. */
  readonly hint: string | null;
  readonly sideEffect: SideEffect | null;
  /** Wait that the platform requested, or our estimate, in seconds; null if waiting does not help. */
  readonly retryAfterSeconds: number | null;
  /** Meta's trace id, for support. */
  readonly traceId: string | null;
}

/** The members that every error for a refusal has. */
export function refusalExtras({ platformCode, hint, retryAfterSeconds }: Refusal): ErrorExtras {
  return {
    ...(platformCode !== null && { platform_code: platformCode }),
    ...(hint !== null && { hint }),
    ...(retryAfterSeconds !== null && { retry_after_seconds: retryAfterSeconds }),
  };
}

/** The error for a refused call that sends no message. */
export function refusedByPlatform(refusal: Refusal): GatewayError {
  return new GatewayError(refusal.errorCode, refusal.message, refusalExtras(refusal), refusal.status);
}
