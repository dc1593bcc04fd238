import { migration } from '@mgw/postgres';

const COLUMN = `
-- The broadcast that sends it, for its costs: a status callback may record the acceptance before the process that sends does. Null for other
-- sends, and before this migration.
ALTER TABLE send.intents ADD COLUMN broadcast_id bigint;
`;

export const BroadcastOfIntent1796342600000 = migration('BroadcastOfIntent1796342600000', COLUMN);
