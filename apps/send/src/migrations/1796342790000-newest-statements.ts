import { migration } from '@mgw/postgres';

const COLUMN = `
-- The newest repetition of the suppression, which left \`at\` unchanged (decision 754).
ALTER TABLE send.suppressions ADD COLUMN stated_at timestamptz;
`;

export const NewestStatements1796342790000 = migration('NewestStatements1796342790000', COLUMN);
