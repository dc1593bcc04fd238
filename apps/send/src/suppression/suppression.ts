import { GatewayError, type SuppressionStateName } from '@mgw/contracts';

export type SuppressionState = SuppressionStateName;

/** Who said so; START lifts what the person or the platform set, never what the dashboard set (product decision 45). */
export type SuppressionSource = 'person' | 'platform' | 'dashboard';

const REASONS: Record<SuppressionState, string> = {
  blocked: 'is blocked',
  opted_out: 'has opted out of messages from this business',
  opted_out_marketing: 'has opted out of marketing messages from this business',
};

/** @param state the one that keeps the message back (see send.reserve) */
export function recipientSuppressed(state: SuppressionState): GatewayError {
  return new GatewayError('RECIPIENT_SUPPRESSED', `The recipient ${REASONS[state]}.`, { suppression_state: state });
}
