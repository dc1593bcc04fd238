import { migration } from '@mgw/postgres';

const TABLES = `
-- Finds the message that brought a file.
CREATE INDEX inbound_messages_media ON send.inbound_messages (business_id, media_id) WHERE media_id IS NOT NULL;
`;

export const Media1795478400000 = migration('Media1795478400000', TABLES);
