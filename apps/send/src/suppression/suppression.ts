import { GatewayError } from '@mgw/contracts';

/** Product decision 18, the strictest first. */
export type SuppressionState = 'blocked' | 'opted_out' | 'opted_out_marketing';

/** Who said so; START lifts what the person or the platform set, never what the dashboard set (product decision 45). */
export type SuppressionSource = 'person' | 'platform' | 'dashboard';

const REASONS: Record<SuppressionState, string> = {
  blocked: 'is blocked',
  opted_out: 'has opted out of messages from this business',
  opted_out_marketing: 'has opted out of marketing messages from this business',
};

/** `opted_out_marketing` keeps back MARKETING templates only; the other states keep back everything. @throws GatewayError RECIPIENT_SUPPRESSED */
export function refuseSuppressed(state: SuppressionState | null, templateCategory: string | null): void {
  if (state === null) return;
  if (state === 'opted_out_marketing' && templateCategory !== 'MARKETING') return;
  throw new GatewayError('RECIPIENT_SUPPRESSED', `The recipient ${REASONS[state]}.`, { suppression_state: state });
}
