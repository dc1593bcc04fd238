import { migration } from '@mgw/postgres';

const COLUMNS = `
-- The most that the replies of a day may cost, in the currency of the rate card; null: no limit.
ALTER TABLE auto_reply.settings ADD COLUMN daily_cost_limit numeric(12, 6);
-- The rate of the reply when it took its place under the limits; null without a rate.
ALTER TABLE auto_reply.replies ADD COLUMN expected_cost numeric(12, 6);
`;

export const CostLimit1796256100000 = migration('CostLimit1796256100000', COLUMNS);
