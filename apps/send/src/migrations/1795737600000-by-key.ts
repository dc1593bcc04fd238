import { migration } from '@mgw/postgres';

const CHANGES = `
-- API keys set suppressions too.
ALTER TABLE send.suppressions DROP CONSTRAINT suppressions_source_check,
  ADD CONSTRAINT suppressions_source_check CHECK (source IN ('person', 'platform', 'dashboard', 'api')) NOT VALID;
-- The message log by key lists the messages of a business.
CREATE INDEX inbound_messages_newest ON send.inbound_messages (business_id, sent_at DESC, message_id DESC);
`;

export const ByKey1795737600000 = migration('ByKey1795737600000', CHANGES);
