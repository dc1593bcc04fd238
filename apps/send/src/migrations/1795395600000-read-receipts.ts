import { migration } from '@mgw/postgres';

const COLUMNS = `
ALTER TABLE send.settings ADD COLUMN mark_read_on_open boolean NOT NULL DEFAULT false;
-- The customer's newest message that was marked as read when a person opened the conversation.
ALTER TABLE send.conversations ADD COLUMN marked_read text;
`;

export const ReadReceipts1795395600000 = migration('ReadReceipts1795395600000', COLUMNS);
