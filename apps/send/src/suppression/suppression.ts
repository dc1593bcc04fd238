import { GatewayError, type SuppressionStateName } from '@mgw/contracts';

export type SuppressionState = SuppressionStateName;

/** The origin of a suppression. START lifts those of the person and the platform, never those of the business (decision 45). */
export type SuppressionSource = 'person' | 'platform' | 'dashboard' | 'api';

/** SQL: the time of the newest lift that a row of `send.suppressions` records. `lifted_at` keeps it after a later opt-out (decision 362). */
export const lastLift = (row: string) => `greatest(${row}.lifted_at, CASE WHEN ${row}.state IS NULL THEN ${row}.at END)`;

/** SQL: the time of the newest statement in a row of `send.suppressions`. `at` is the time in the list, which a repetition keeps (decision 754). */
export const lastStatement = (row: string) => `greatest(${row}.at, ${row}.stated_at)`;

const REASONS: Record<SuppressionState, string> = {
  blocked: 'is blocked',
  opted_out: 'has opted out of messages from this business',
  opted_out_marketing: 'has opted out of marketing messages from this business',
};

/** @param state the suppression that send.reserve found */
export function recipientSuppressed(state: SuppressionState): GatewayError {
  return new GatewayError('RECIPIENT_SUPPRESSED', `The recipient ${REASONS[state]}.`, { suppression_state: state });
}
