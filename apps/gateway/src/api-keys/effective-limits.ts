import type { Plan } from '@mgw/contracts';

/** Default requests per minute of a key (spec §8). */
const PER_MINUTE = 60;
/** Default messages per day of a key, by plan (spec §8). Starter keys send nothing (spec §1). */
const PER_DAY: Record<Plan, number> = { Growth: 150, Pro: 5000, Starter: 0 };

export interface SetLimits {
  /** Set by an operator (spec §2.7); null for the default. */
  per_minute_limit: number | null;
  daily_limit: number | null;
}

/** The limits in force. An operator's limits override the defaults, except that a Starter key never sends (decision 21). */
export function effectiveLimits(plan: Plan, set: SetLimits): { per_minute_limit: number; daily_limit: number } {
  return {
    per_minute_limit: set.per_minute_limit ?? PER_MINUTE,
    daily_limit: plan === 'Starter' ? PER_DAY.Starter : (set.daily_limit ?? PER_DAY[plan]),
  };
}
