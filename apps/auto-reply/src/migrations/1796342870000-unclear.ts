import { migration } from '@mgw/postgres';

// Replies whose outcome WhatsApp may still report have the id of their send (decision 771).
export const Unclear1796342870000 = migration(
  'Unclear1796342870000',
  `CREATE INDEX replies_unclear ON auto_reply.replies (due_at) WHERE state = 'failed' AND message_id IS NOT NULL AND reply IS NOT NULL;`,
);
