import { migration } from '@mgw/postgres';

const TABLE = `
-- The last recovery of each webhook. It runs while its lane has deliveries.
CREATE TABLE dispatch.recoveries (
  webhook_id bigint PRIMARY KEY REFERENCES dispatch.webhooks (id) ON DELETE CASCADE,
  since timestamptz NOT NULL,
  until timestamptz,
  queued integer NOT NULL,
  cancelled integer NOT NULL DEFAULT 0,
  started_at timestamptz NOT NULL DEFAULT now()
);
`;

export const Recoveries1795737600000 = migration('Recoveries1795737600000', TABLE);
