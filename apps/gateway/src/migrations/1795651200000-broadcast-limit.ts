import { migration } from '@mgw/postgres';

const COLUMN = `
-- Recipients of broadcasts in a day; null for the plan's limit.
ALTER TABLE access.businesses ADD COLUMN broadcast_daily_limit integer CHECK (broadcast_daily_limit BETWEEN 0 AND 1000000);
`;

export const BroadcastLimit1795651200000 = migration('BroadcastLimit1795651200000', COLUMN);
