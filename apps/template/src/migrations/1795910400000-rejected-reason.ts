import { migration } from '@mgw/postgres';

const COLUMNS = `
-- The platform's word for a rejection at the last sync; null without one.
ALTER TABLE template.templates ADD COLUMN rejected_reason text;
`;

export const RejectedReason1795910400000 = migration('RejectedReason1795910400000', COLUMNS);
