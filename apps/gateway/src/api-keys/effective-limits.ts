import type { Plan } from '@mgw/contracts';

/** Requests per minute of a key for which nothing else was set (spec §8). */
const PER_MINUTE = 60;
/** Messages per day of a key by plan (spec §8). Starter keys send nothing (spec §1). */
const PER_DAY: Record<Plan, number> = { Growth: 150, Pro: 5000, Starter: 0 };

export interface SetLimits {
  /** What an administrator set (spec §2.7); null where nothing was. */
  per_minute_limit: number | null;
  daily_limit: number | null;
}

/** The limits in force: an administrator's go before the plan's, except that no limit lets a Starter key send (product decision 21). */
export function effectiveLimits(plan: Plan, set: SetLimits): { per_minute_limit: number; daily_limit: number } {
  return {
    per_minute_limit: set.per_minute_limit ?? PER_MINUTE,
    daily_limit: plan === 'Starter' ? PER_DAY.Starter : (set.daily_limit ?? PER_DAY[plan]),
  };
}
