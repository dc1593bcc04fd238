import { GatewayError, type SuppressionStateName } from '@mgw/contracts';

export type SuppressionState = SuppressionStateName;

/** The origin of a suppression. START lifts those of the person and the platform, never those of the business (decision 45). */
export type SuppressionSource = 'person' | 'platform' | 'dashboard' | 'api';

const REASONS: Record<SuppressionState, string> = {
  blocked: 'is blocked',
  opted_out: 'has opted out of messages from this business',
  opted_out_marketing: 'has opted out of marketing messages from this business',
};

/** @param state the suppression that send.reserve found */
export function recipientSuppressed(state: SuppressionState): GatewayError {
  return new GatewayError('RECIPIENT_SUPPRESSED', `The recipient ${REASONS[state]}.`, { suppression_state: state });
}
