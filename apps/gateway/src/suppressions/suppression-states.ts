export const STATES = ['opted_out', 'blocked', 'opted_out_marketing'] as const;
