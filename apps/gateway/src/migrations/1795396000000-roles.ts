import { migration } from '@mgw/postgres';

const TABLES = `
-- 'member' is the name of an agent in the previous version, which runs on during an update. Reads translate it.
ALTER TABLE access.users
  DROP CONSTRAINT users_role_check,
  ADD CONSTRAINT users_role_check CHECK (role IN ('owner', 'manager', 'agent', 'member', 'operator'));
`;

export const Roles1795396000000 = migration('Roles1795396000000', TABLES);
