import { eventTables } from '@mgw/events';
import { migration } from '@mgw/postgres';

const TABLES = `
-- Callbacks as WhatsApp posted them, until their updates are events. Each lane is split in order.
CREATE TABLE ingest.callbacks (
  id bigserial PRIMARY KEY,
  body_hash bytea NOT NULL UNIQUE,
  body bytea NOT NULL,
  -- Businesses whose app secret signed the callback: only updates for their numbers count.
  businesses integer[] NOT NULL,
  -- The business that the updates are for; 0 if no connected business has their number.
  lane bigint NOT NULL DEFAULT 0,
  received_at timestamptz NOT NULL DEFAULT now(),
  split_at timestamptz,
  traceparent text,
  -- Attempts to split it whose process died.
  unfinished_attempts smallint NOT NULL DEFAULT 0
);
CREATE INDEX callbacks_waiting ON ingest.callbacks (lane, id) WHERE split_at IS NULL;
CREATE INDEX callbacks_split_at ON ingest.callbacks (split_at) WHERE split_at IS NOT NULL;
`;

/** A dead letter here is an update of a callback: splitting it again needs the businesses whose app secret signed it. */
const DEAD_LETTERS = `
ALTER TABLE ingest.dead_letters
  ADD COLUMN businesses integer[] NOT NULL DEFAULT '{}',
  ADD COLUMN unfinished_attempts smallint NOT NULL DEFAULT 0;
`;

export const Baseline1795305600000 = migration('Baseline1795305600000', TABLES, eventTables('ingest'), DEAD_LETTERS);
