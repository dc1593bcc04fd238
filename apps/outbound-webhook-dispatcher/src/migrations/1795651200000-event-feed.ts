import { migration } from '@mgw/postgres';

const TABLES = `
-- The events of each business that has a feed, for RETENTION_EVENTS_DAYS. A row is inserted while the row of its feed is locked, so the
-- times rise with the numbers.
CREATE TABLE dispatch.feed_events (
  business_id bigint NOT NULL,
  seq bigint NOT NULL,
  event_id text NOT NULL,
  event text NOT NULL,
  -- The bytes that webhooks get.
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (business_id, seq)
);
CREATE INDEX feed_events_created ON dispatch.feed_events (created_at);
-- Opt-in events that a reader of the feed named, or that a webhook no longer wants.
CREATE TABLE dispatch.feed_types (
  business_id bigint NOT NULL,
  event text NOT NULL,
  wanted_until timestamptz NOT NULL,
  PRIMARY KEY (business_id, event)
);
`;

export const EventFeed1795651200000 = migration('EventFeed1795651200000', TABLES);
