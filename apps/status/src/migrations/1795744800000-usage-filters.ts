import { migration } from '@mgw/postgres';

const COLUMNS = `
-- The filters of the message log, so that its histogram and the home page count without reading messages. Null in counts from before this
-- migration.
ALTER TABLE status.usage
  ADD COLUMN sent_by text,
  ADD COLUMN template text,
  ADD COLUMN api_key_id bigint,
  -- The platform's code of failed and refused messages, or \`other\` (usage/count-usage.sql).
  ADD COLUMN failure_code text;
`;

export const UsageFilters1795744800000 = migration('UsageFilters1795744800000', COLUMNS);
