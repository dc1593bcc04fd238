import { migration } from '@mgw/postgres';

const TABLE = `
-- Replaced secrets that still sign beside the new one. Retention deletes expired rows, so that no old sealing key is needed for them.
CREATE TABLE dispatch.old_secrets (
  webhook_id bigint PRIMARY KEY REFERENCES dispatch.webhooks (id) ON DELETE CASCADE,
  secret_sealed text NOT NULL,
  valid_until timestamptz NOT NULL
);
`;

export const OldSecrets1795392000000 = migration('OldSecrets1795392000000', TABLE);
