import { migration } from '@mgw/postgres';

const COLUMN = `
-- The newest lift that a later opt-out of the same source replaced. An import applies no row that is older than a lift (decision 362).
ALTER TABLE send.suppressions ADD COLUMN lifted_at timestamptz;
`;

export const NewestLifts1796342721000 = migration('NewestLifts1796342721000', COLUMN);
