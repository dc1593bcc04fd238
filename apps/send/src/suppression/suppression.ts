import { GatewayError, type SuppressionStateName } from '@mgw/contracts';

export type SuppressionState = SuppressionStateName;

/** Who said so; START lifts what the person or the platform set, never what the dashboard set (product decision 45). */
export type SuppressionSource = 'person' | 'platform' | 'dashboard';

const REASONS: Record<SuppressionState, string> = {
  blocked: 'is blocked',
  opted_out: 'has opted out of messages from this business',
  opted_out_marketing: 'has opted out of marketing messages from this business',
};

/** What decides whether a suppressed person gets this very message. */
export interface SuppressedSend {
  /** Null: no template. */
  templateCategory: string | null;
  /** A code, and the business lets codes through to people who have opted out. */
  passesOptOut: boolean;
}

/** `opted_out_marketing` keeps back MARKETING templates only; the other states keep back everything. @throws GatewayError RECIPIENT_SUPPRESSED */
export function refuseSuppressed(state: SuppressionState | null, { templateCategory, passesOptOut }: SuppressedSend): void {
  if (state === null) return;
  if (state === 'opted_out_marketing' && templateCategory !== 'MARKETING') return;
  if (state === 'opted_out' && passesOptOut) return;
  throw new GatewayError('RECIPIENT_SUPPRESSED', `The recipient ${REASONS[state]}.`, { suppression_state: state });
}
