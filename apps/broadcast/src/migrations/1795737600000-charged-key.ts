import { migration } from '@mgw/postgres';

const COLUMNS = `
-- The API key that its messages are charged to, and the key's messages per day; null for a broadcast that a person created.
ALTER TABLE broadcast.broadcasts ADD COLUMN api_key_id bigint, ADD COLUMN daily_limit integer;
`;

export const ChargedKey1795737600000 = migration('ChargedKey1795737600000', COLUMNS);
