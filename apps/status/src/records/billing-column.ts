/** The price of the record `r` as `Billing`; null until the platform has reported it. */
export const BILLING = `CASE WHEN r.category IS NOT NULL
  THEN json_build_object('billable', r.billable, 'category', r.category, 'type', r.price_type) END AS billing`;
