import { migration } from '@mgw/postgres';

const TABLES = `
-- How the platform priced a message, by its first status that says so; null before. market: the calling code of the recipient, '' if unknown.
ALTER TABLE status.records
  ADD COLUMN billable boolean,
  ADD COLUMN category text,
  ADD COLUMN price_type text,
  ADD COLUMN market text,
  -- The broadcast that sent it.
  ADD COLUMN broadcast_id bigint;

-- Counts of delivered messages that have a price, as status.usage counts messages.
CREATE TABLE status.billing (
  business_id bigint NOT NULL,
  -- The start of the quarter hour.
  bucket timestamptz NOT NULL,
  category text NOT NULL,
  price_type text NOT NULL,
  billable boolean NOT NULL,
  market text NOT NULL,
  sent_by text,
  broadcast_id bigint,
  count bigint NOT NULL,
  -- At most one row of the same columns is folded; the others are changes to it.
  folded boolean NOT NULL DEFAULT false
);
CREATE INDEX billing_of ON status.billing (business_id, bucket);
CREATE INDEX billing_of_broadcast ON status.billing (business_id, broadcast_id) WHERE broadcast_id IS NOT NULL;
CREATE INDEX billing_changes ON status.billing (bucket) WHERE NOT folded;
CREATE INDEX billing_age ON status.billing (bucket) WHERE folded;

-- The operator's rate card. A rate holds from its day until a later one of the same prefix and category.
CREATE TABLE status.rates (
  -- A calling code, or * for all others.
  prefix text NOT NULL,
  category text NOT NULL,
  valid_from date NOT NULL,
  price numeric(12, 6) NOT NULL,
  currency text NOT NULL,
  market text NOT NULL,
  PRIMARY KEY (prefix, category, valid_from)
);
`;

export const Billing1796256000000 = migration('Billing1796256000000', TABLES);
