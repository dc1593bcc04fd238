import { migration } from '@mgw/postgres';

const COLUMNS = `
ALTER TABLE broadcast.recipients
  -- How far the platform says that a sent message got; null before its delivery.
  ADD COLUMN delivery text CHECK (delivery IN ('delivered', 'read')),
  -- The first message of the person within a day after theirs.
  ADD COLUMN replied_at timestamptz,
  -- Whether another broadcast has taken this failed recipient.
  ADD COLUMN retried boolean NOT NULL DEFAULT false;
-- The broadcast whose failed recipients this one retries.
ALTER TABLE broadcast.broadcasts ADD COLUMN retry_of bigint;
-- The rank of the reported status (decision 26). Rows of the previous version have none: theirs is failed with a reason, else read.
ALTER TABLE broadcast.reports ADD COLUMN rank smallint;
`;

export const Funnel1795824000000 = migration('Funnel1795824000000', COLUMNS);
