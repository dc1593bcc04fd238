import { migration } from '@mgw/postgres';

const TABLES = `
-- sends_as is the key as which other services count the sends: the first one of its rotations. Null for a key that replaced none.
-- last_ip is the address of the last use, also of one that allowed_ips refused. Without allowed_ips a key works from every address.
ALTER TABLE access.api_keys
  ADD COLUMN sends_as integer REFERENCES access.api_keys (id),
  ADD COLUMN allowed_ips text[] NOT NULL DEFAULT '{}' CHECK (cardinality(allowed_ips) <= 20),
  ADD COLUMN last_ip text;
CREATE INDEX api_keys_sends_as ON access.api_keys (sends_as);
`;

export const KeyRotation1795389000000 = migration('KeyRotation1795389000000', TABLES);
