import { migration } from '@mgw/postgres';

const COLUMN = `
-- The end of the first failed delivery since the last success. Null if none failed, or if it failed before this column existed.
ALTER TABLE dispatch.webhooks ADD COLUMN failing_since timestamptz;
`;

export const FailingSince1796342430000 = migration('FailingSince1796342430000', COLUMN);
