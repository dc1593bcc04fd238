import { migration } from '@mgw/postgres';

const COLUMNS = `
ALTER TABLE broadcast.broadcasts
  -- The error that paused it: error_code, message and hint; null if a person did.
  ADD COLUMN pause_cause jsonb,
  -- The last time that a person resumed it; older failures do not pause it again.
  ADD COLUMN resumed_at timestamptz;
`;

export const PauseCause1796342420000 = migration('PauseCause1796342420000', COLUMNS);
