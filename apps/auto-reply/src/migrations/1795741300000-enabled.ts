import { migration } from '@mgw/postgres';

// The consumer checks once a second whether any business has automatic replies on (decision 460).
export const Enabled1795741300000 = migration(
  'Enabled1795741300000',
  'CREATE INDEX settings_enabled ON auto_reply.settings (business_id) WHERE enabled;',
);
