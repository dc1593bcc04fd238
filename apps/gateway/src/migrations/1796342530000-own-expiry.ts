import { migration } from '@mgw/postgres';

const TABLES = `
-- The expiry before a rotation shortened it to the end of the grace: infinity for a key that never expired, null without a rotation.
ALTER TABLE access.api_keys ADD COLUMN own_expires_at timestamptz;
`;

export const OwnExpiry1796342530000 = migration('OwnExpiry1796342530000', TABLES);
