import { migration } from '@mgw/postgres';

const COLUMNS = `
-- Null for messages from before this migration: they cause no message.status, which names the conversation.
ALTER TABLE status.records ADD COLUMN conversation_id bigint;
-- The rank before the statement that raised it, which returns it.
ALTER TABLE status.records ADD COLUMN previous_rank smallint;
`;

export const StatusRises1795392000000 = migration('StatusRises1795392000000', COLUMNS);
