import { migration } from '@mgw/postgres';

const TABLES = `
-- An invited person has a random password until they set their own.
ALTER TABLE access.users ADD COLUMN invited boolean NOT NULL DEFAULT false;

-- A person sees their sessions, and ends one by its id.
ALTER TABLE access.sessions
  ADD COLUMN id integer GENERATED ALWAYS AS IDENTITY,
  ADD COLUMN ip text,
  ADD COLUMN user_agent text;
CREATE UNIQUE INDEX sessions_id ON access.sessions (id);
CREATE INDEX sessions_user ON access.sessions (user_id);

-- Links of invitations and resets, by the hash of their token. A new link replaces the user's previous one. A link ends with the removal of
-- the person who made it, because they know it.
CREATE TABLE access.password_links (
  user_id integer PRIMARY KEY REFERENCES access.users (id) ON DELETE CASCADE,
  created_by integer NOT NULL REFERENCES access.users (id) ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX password_links_created_by ON access.password_links (created_by);

-- The person as they were then, because a removed user keeps their entries.
ALTER TABLE access.audit
  ADD COLUMN user_name text,
  ADD COLUMN user_email text,
  ADD COLUMN target text,
  ADD COLUMN ip text,
  ADD COLUMN request_id text;
-- Retention deletes all entries by age.
CREATE INDEX audit_at ON access.audit (at);
`;

export const Accounts1795387200000 = migration('Accounts1795387200000', TABLES);
