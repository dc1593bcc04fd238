export const PLANS = ['Growth', 'Pro', 'Starter'] as const;

export type Plan = (typeof PLANS)[number];

/** The effect of a plan, for the question before a change. */
export const PLAN_EFFECTS: Record<Plan, string> = {
  Starter: 'API keys stop sending at once. By default, broadcasts may have no recipients.',
  Growth: 'By default, each API key may send 150 messages a day, and broadcasts may have 1,000 recipients a day.',
  Pro: 'By default, each API key may send 5,000 messages a day, and broadcasts may have 20,000 recipients a day.',
};

/** A business that was created and has no owner yet. */
export interface NewBusiness {
  id: number;
  name: string;
  plan: Plan;
}
