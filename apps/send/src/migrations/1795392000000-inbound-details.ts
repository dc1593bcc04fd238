import { migration } from '@mgw/postgres';

const TABLES = `
-- The members of a customer's message beside its text and file (inbound-details.ts); null if it has none. The type json keeps their order.
ALTER TABLE send.inbound_messages ADD COLUMN details json;

-- Edits and revocations of customers' messages. A change may arrive before its message, because the platform repeats failed callbacks.
CREATE TABLE send.message_changes (
  business_id bigint NOT NULL,
  message_id text NOT NULL,
  -- The text or caption of the newest edit.
  text text,
  edited_at timestamptz,
  deleted_at timestamptz,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (business_id, message_id)
);
CREATE INDEX message_changes_age ON send.message_changes (changed_at);
`;

export const InboundDetails1795392000000 = migration('InboundDetails1795392000000', TABLES);
