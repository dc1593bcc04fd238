import { migration } from '@mgw/postgres';

/**
 * A message is found by its id through the primary key. While a month was new, PostgreSQL took this index instead, and read all messages of
 * the business for each one that arrived: without statistics every index that begins with the business costs the same. No condition on
 * `business_id` can use an expression.
 */
const INDEX = `
DROP INDEX send.inbound_messages_newest;
CREATE INDEX inbound_messages_newest ON send.inbound_messages ((-business_id), sent_at DESC, message_id DESC);
`;

export const NewestMessages1796342440000 = migration('NewestMessages1796342440000', INDEX);
