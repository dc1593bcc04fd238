import { migration } from '@mgw/postgres';

const WITHOUT_CASCADE = `
-- Deleted webhooks whose deliveries remain. A cascade would delete all of them under the lock of the webhook.
CREATE TABLE dispatch.deleted_webhooks (webhook_id bigint PRIMARY KEY);
ALTER TABLE dispatch.deliveries DROP CONSTRAINT deliveries_webhook_id_fkey;
`;

export const DeletedWebhooks1796342470000 = migration('DeletedWebhooks1796342470000', WITHOUT_CASCADE);
