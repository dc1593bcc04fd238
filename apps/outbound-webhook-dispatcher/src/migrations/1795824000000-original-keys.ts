import { migration } from '@mgw/postgres';

const COLUMN = `
-- The ordering key of a delivery before its first recovery, which gave it the key of a lane; null without one.
ALTER TABLE dispatch.deliveries ADD COLUMN original_key text;
`;

export const OriginalKeys1795824000000 = migration('OriginalKeys1795824000000', COLUMN);
