import { migration } from '@mgw/postgres';

const TABLE = `
-- When WhatsApp last reached this gateway for each business: proof from outside for the dashboard.
CREATE TABLE ingest.callback_times (
  business_id bigint PRIMARY KEY,
  callback_at timestamptz,
  handshake_at timestamptz
);
`;

export const CallbackTimes1795996800000 = migration('CallbackTimes1795996800000', TABLE);
