import { migration } from '@mgw/postgres';

// An erasure finds its next replies without reading those that it has erased (decision 730).
export const Unerased1796342700000 = migration(
  'Unerased1796342700000',
  `CREATE INDEX replies_unerased ON auto_reply.replies (conversation_id, id) WHERE customer <> 'erased';`,
);
