import { migration } from '@mgw/postgres';

const INDEX = `
-- The broadcasts that start on a day, for the daily limit.
CREATE INDEX broadcasts_by_start ON broadcast.broadcasts (business_id, greatest(scheduled_at, created_at));
`;

export const DailyLimit1795651200000 = migration('DailyLimit1795651200000', INDEX);
