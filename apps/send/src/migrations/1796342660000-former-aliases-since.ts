import { migration } from '@mgw/postgres';

const TABLE = `
-- One row: send.former_aliases lacks names that passed on before this time. Replicas create its trigger a moment after the migrations, and an
-- installation may have had it for long: its first row shows since when at the latest.
CREATE TABLE send.former_aliases_since (at timestamptz NOT NULL);
INSERT INTO send.former_aliases_since SELECT least(now() + interval '1 hour', min(until)) FROM send.former_aliases;
`;

export const FormerAliasesSince1796342660000 = migration('FormerAliasesSince1796342660000', TABLE);
