import { migration } from '@mgw/postgres';

const TABLES = `
-- The number of the newest event of each business, counted without gaps since its first event beside a webhook.
CREATE TABLE dispatch.feeds (
  business_id bigint PRIMARY KEY,
  last_seq bigint NOT NULL
) WITH (fillfactor = 50);
-- The number of the newest event that a webhook wanted. It has a row of its own, because the ends of attempts lock the webhook's.
CREATE TABLE dispatch.feed_positions (
  webhook_id bigint PRIMARY KEY REFERENCES dispatch.webhooks (id) ON DELETE CASCADE,
  seq bigint NOT NULL,
  -- The number before the statement that set \`seq\`, which returns it.
  previous_seq bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
-- Null for test events, and for deliveries from before this migration.
ALTER TABLE dispatch.deliveries ADD COLUMN seq bigint, ADD COLUMN previous_seq bigint;
`;

export const EventNumbers1795478400000 = migration('EventNumbers1795478400000', TABLES);
