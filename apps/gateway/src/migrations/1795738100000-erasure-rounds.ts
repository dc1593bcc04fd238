import { migration } from '@mgw/postgres';

const COLUMN = `
-- The beginning of the last round; null before the first. Businesses take turns by it.
ALTER TABLE access.erasures ADD COLUMN round_at timestamptz;
CREATE INDEX erasures_rounds ON access.erasures (business_id, round_at) WHERE round_at IS NOT NULL;
`;

export const ErasureRounds1795738100000 = migration('ErasureRounds1795738100000', COLUMN);
