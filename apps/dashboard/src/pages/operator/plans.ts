export const PLANS = ['Growth', 'Pro', 'Starter'] as const;

export type Plan = (typeof PLANS)[number];

/** A business that was created and has no owner yet. */
export interface NewBusiness {
  id: number;
  name: string;
  plan: Plan;
}
