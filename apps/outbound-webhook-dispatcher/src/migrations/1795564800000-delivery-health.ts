import { migration } from '@mgw/postgres';

const TABLES = `
-- The beginning of the response's body, of the last attempt, if it failed or a person requested it.
ALTER TABLE dispatch.deliveries ADD COLUMN response_body text;
-- Ends of the deliveries that nobody requested, by the hour of their end, so that the list of webhooks counts no deliveries.
CREATE TABLE dispatch.webhook_hours (
  webhook_id bigint NOT NULL REFERENCES dispatch.webhooks (id) ON DELETE CASCADE,
  hour timestamptz NOT NULL,
  succeeded integer NOT NULL,
  failed integer NOT NULL,
  PRIMARY KEY (webhook_id, hour)
) WITH (fillfactor = 50);
`;

export const DeliveryHealth1795564800000 = migration('DeliveryHealth1795564800000', TABLES);
