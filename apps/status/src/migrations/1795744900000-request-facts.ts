import { migration } from '@mgw/postgres';

const COLUMNS = `
-- The template's language, and the X-Request-Id of the request that sent the message. Null if the process that sent it died, and before this
-- migration.
ALTER TABLE status.records ADD COLUMN language text, ADD COLUMN request_id text;
`;

export const RequestFacts1795744900000 = migration('RequestFacts1795744900000', COLUMNS);
