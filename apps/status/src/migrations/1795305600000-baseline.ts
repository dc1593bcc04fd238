import { eventTables } from '@mgw/events';
import { firstMonths, migration } from '@mgw/postgres';

const TABLES = `
-- The month of each record. A partitioned table is unique within a month only; this key makes a message unique in all of them.
CREATE TABLE status.record_keys (
  business_id bigint NOT NULL,
  message_id text NOT NULL,
  -- The month's first day.
  month date NOT NULL,
  PRIMARY KEY (business_id, message_id)
);
CREATE INDEX record_keys_month ON status.record_keys (month);

-- One record per message, by the month in which it was first seen.
CREATE TABLE status.records (
  business_id bigint NOT NULL,
  message_id text NOT NULL,
  month date NOT NULL,
  -- Null until the acceptance arrives; a status may arrive first.
  sent_at timestamptz,
  recipient text,
  status text NOT NULL CHECK (status IN ('sent', 'delivered', 'failed', 'read')),
  rank smallint NOT NULL,
  failure_reason text CHECK ((failure_reason IS NOT NULL) = (status = 'failed')),
  type text,
  template text,
  text text NOT NULL DEFAULT '',
  sent_by text,
  api_key_id bigint,
  -- False: the platform refused it or the outcome is unknown. The message id is then gw_<intent>.
  accepted boolean NOT NULL DEFAULT true,
  PRIMARY KEY (business_id, message_id, month)
) PARTITION BY RANGE (month);
CREATE TABLE status.records_rest PARTITION OF status.records DEFAULT;
CREATE INDEX records_by_time ON status.records (business_id, sent_at DESC, message_id DESC) WHERE sent_at IS NOT NULL;
-- Not partial, so that a search for a number cannot use records_by_time and read everything.
CREATE INDEX records_by_recipient ON status.records (business_id, recipient, sent_at DESC, message_id DESC);

-- Every status that the platform reported, by month, also words that this version does not know.
CREATE TABLE status.history (
  business_id bigint NOT NULL,
  message_id text NOT NULL,
  status text NOT NULL,
  occurred_at timestamptz NOT NULL,
  error_code integer,
  error_text text,
  PRIMARY KEY (business_id, message_id, status, occurred_at)
) PARTITION BY RANGE (occurred_at);
CREATE TABLE status.history_rest PARTITION OF status.history DEFAULT;

-- Counts of messages per quarter of an hour and kind: days of every time zone consist of quarter hours (usage/count-usage.sql).
CREATE TABLE status.usage (
  business_id bigint NOT NULL,
  -- The start of the quarter hour.
  bucket timestamptz NOT NULL,
  kind text NOT NULL,
  sent bigint NOT NULL,
  delivered bigint NOT NULL,
  read bigint NOT NULL,
  failed bigint NOT NULL,
  refused bigint NOT NULL,
  -- At most one row of a bucket and kind is folded; the others are changes to it.
  folded boolean NOT NULL DEFAULT false
);
CREATE INDEX usage_of ON status.usage (business_id, bucket, kind);
CREATE INDEX usage_changes ON status.usage (bucket) WHERE NOT folded;
CREATE INDEX usage_age ON status.usage (bucket) WHERE folded;
`;

export const Baseline1795305600000 = migration(
  'Baseline1795305600000',
  TABLES,
  eventTables('status'),
  firstMonths({ table: 'status.records', column: 'month', fillfactor: 80 }, { table: 'status.history', column: 'occurred_at' }),
);
