import { effectiveLimits } from './effective-limits';

const unset = { per_minute_limit: null, daily_limit: null };

describe('limits of a key (spec §8, decision 21)', () => {
  it.each([
    ['Growth', 150],
    ['Pro', 5000],
    ['Starter', 0],
  ] as const)('%s: %d a day and 60 a minute', (plan, daily_limit) => {
    expect(effectiveLimits(plan, unset)).toEqual({ per_minute_limit: 60, daily_limit });
  });

  it('an operator’s limits override the plan’s', () => {
    expect(effectiveLimits('Growth', { per_minute_limit: 7, daily_limit: 9 })).toEqual({ per_minute_limit: 7, daily_limit: 9 });
  });

  it('a Starter key never sends, whatever its limits', () => {
    expect(effectiveLimits('Starter', { per_minute_limit: null, daily_limit: 9 }).daily_limit).toBe(0);
  });
});
