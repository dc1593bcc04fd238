import { migration } from '@mgw/postgres';

const COLUMNS = `
-- The newest failure since the last success. Null if none failed, or if it failed before these columns existed.
ALTER TABLE dispatch.webhooks ADD COLUMN last_failure_code integer, ADD COLUMN last_failure_reason text;
`;

export const LastFailure1796342710000 = migration('LastFailure1796342710000', COLUMNS);
