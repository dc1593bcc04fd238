import { migration } from '@mgw/postgres';

const KEYS = `
-- The Idempotency-Key and the fingerprint of the request that created the row (decision 785).
ALTER TABLE access.api_keys ADD COLUMN creation_key text, ADD COLUMN creation_fingerprint text;
CREATE UNIQUE INDEX api_keys_creation_key ON access.api_keys (business_id, creation_key) WHERE creation_key IS NOT NULL;
ALTER TABLE access.businesses ADD COLUMN creation_key text, ADD COLUMN creation_fingerprint text;
CREATE UNIQUE INDEX businesses_creation_key ON access.businesses (creation_key) WHERE creation_key IS NOT NULL;
`;

export const CreationKeys1796342950000 = migration('CreationKeys1796342950000', KEYS);
