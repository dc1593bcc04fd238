import { migration } from '@mgw/postgres';

const COLUMN = `
-- When the last message that needs a reply arrived here. A reply that began earlier does not answer it.
ALTER TABLE send.conversations ADD COLUMN last_received_at timestamptz;
`;

export const Received1795830000000 = migration('Received1795830000000', COLUMN);
