import { migration } from '@mgw/postgres';

const TABLES = `
ALTER TABLE access.businesses ADD COLUMN require_totp boolean NOT NULL DEFAULT false;

-- Whether the person logs in with a code too. It is in this row so that a login locks and checks it together with the password.
ALTER TABLE access.users ADD COLUMN totp boolean NOT NULL DEFAULT false;

-- Secrets of authenticator apps, also of people who have not confirmed theirs yet. last_step is the period of the newest code used, because
-- no code works twice. recovery_codes has the hashes of those that are left.
CREATE TABLE access.totp (
  user_id integer PRIMARY KEY REFERENCES access.users (id) ON DELETE CASCADE,
  secret_sealed text NOT NULL,
  last_step integer NOT NULL DEFAULT 0,
  recovery_codes bytea[] NOT NULL DEFAULT '{}'
);
`;

export const Totp1795651600000 = migration('Totp1795397000000', TABLES);
