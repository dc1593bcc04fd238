import { migration } from '@mgw/postgres';

const COLUMN = `
-- The last of model_calls, or null if a newer question took them over. Unlike reserved_at it also stays if the question ends without a reply.
ALTER TABLE auto_reply.replies ADD COLUMN called_at timestamptz;
CREATE INDEX replies_called ON auto_reply.replies (conversation_id, called_at) WHERE called_at IS NOT NULL;
`;

export const CalledAt1796342650000 = migration('CalledAt1796342650000', COLUMN);
