import { migration } from '@mgw/postgres';

const BACKLOG = `
-- Events of businesses that have more deliveries to make than one statement may (decision 804), in the order in which they came.
CREATE TABLE dispatch.backlog (
  business_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  event_id text NOT NULL,
  event text NOT NULL,
  ordering_key text NOT NULL,
  -- The bytes that webhooks get.
  body text NOT NULL,
  traceparent text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (business_id, id)
);
`;

export const Backlog1796343200000 = migration('Backlog1796343200000', BACKLOG);
