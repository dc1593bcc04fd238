import { migration } from '@mgw/postgres';

const COLUMN = `
-- Whether a sync of the business has succeeded. Until then nobody knows which templates it had.
ALTER TABLE template.syncs ADD COLUMN succeeded boolean NOT NULL DEFAULT false;
`;

export const FirstSyncs1795824000000 = migration('FirstSyncs1795824000000', COLUMN);
