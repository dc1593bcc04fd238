import { migration } from '@mgw/postgres';

const TABLES = `
-- Whether the OIDC provider opened the session. It is responsible for the second step then.
ALTER TABLE access.sessions ADD COLUMN oidc boolean NOT NULL DEFAULT false;
`;

export const Oidc1795651700000 = migration('Oidc1795651700000', TABLES);
