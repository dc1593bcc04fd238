import { migration } from '@mgw/postgres';

const COLUMN = `
-- Whether the platform has reported the message as delivered or read, also if it reported a failure before or after.
ALTER TABLE broadcast.reports ADD COLUMN delivered boolean NOT NULL DEFAULT false;
`;

export const DeliveredFailures1795996800000 = migration('DeliveredFailures1795996800000', COLUMN);
