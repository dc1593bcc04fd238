import { migration } from '@mgw/postgres';

const KEYS = `
-- The Idempotency-Key of the request that created the webhook and, sealed because the request may have a secret, its fingerprint (decision 785).
ALTER TABLE dispatch.webhooks ADD COLUMN creation_key text, ADD COLUMN creation_fingerprint text;
CREATE UNIQUE INDEX webhooks_creation_key ON dispatch.webhooks (business_id, creation_key) WHERE creation_key IS NOT NULL;
`;

export const WebhookKeys1796342950000 = migration('WebhookKeys1796342950000', KEYS);
