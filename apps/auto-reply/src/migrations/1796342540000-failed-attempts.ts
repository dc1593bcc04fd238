import { migration } from '@mgw/postgres';

const COLUMNS = `
-- Failed attempts; counted anew once the reply may have been sent. The column attempts also counts claims that ended without an attempt.
ALTER TABLE auto_reply.replies ADD COLUMN failed_attempts smallint NOT NULL DEFAULT 0;
`;

export const FailedAttempts1796342540000 = migration('FailedAttempts1796342540000', COLUMNS);
