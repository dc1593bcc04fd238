import { connectAs } from './database';
import type { RunningStack } from './stack';

type Servers = Pick<RunningStack, 'processes' | 'passwords'>;

/** Seconds between two messages of a log. */
const EVERY_S = 15;
/** When the message with this number, from 1 for the newest, was sent. */
export const sentAt = (number: number): Date => new Date(Date.now() - number * EVERY_S * 1_000);

/** Fills the business's message log. Message 1 is the newest, and every thousandth failed. */
export async function fillLog(stack: Servers, businessId: number, messages: number): Promise<void> {
  const database = await connectAs('status', stack);
  await database.query(
    `INSERT INTO status.records (business_id, message_id, month, recipient, sent_at, status, rank, failure_reason, type, text, sent_by)
     SELECT $1, 'wamid.large' || n, date_trunc('month', at), (19800000000 + n)::text, at, CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'read' END, 4,
            CASE WHEN n % 1000 = 0 THEN '131026: Message undeliverable' END, 'text', 'Message ' || n, 'api'
     FROM (SELECT n, now() - n * interval '${EVERY_S} seconds' AS at FROM generate_series(1, $2::integer) AS n) made`,
    [businessId, messages],
  );
  await database.query('INSERT INTO status.record_keys SELECT business_id, message_id, month FROM status.records WHERE business_id = $1', [
    businessId,
  ]);
  await database.query('ANALYZE status.records');
  await database.end();
}

/** Fills the business's inbox with conversations of one message each. Person 1 wrote last. */
export async function fillInbox(stack: Servers, businessId: number, conversations: number): Promise<void> {
  const database = await connectAs('send', stack);
  await database.query(
    `WITH made AS (
       INSERT INTO send.conversations (business_id, phone, name, first_inbound_at, last_inbound_at, waiting_since, unread_count, created_at)
       SELECT $1, (19810000000 + n)::text, 'Person ' || n, at, at, at, 1, at
       FROM (SELECT n, now() - n * interval '1 minute' AS at FROM generate_series(1, $2::integer) AS n) made
       RETURNING id, phone, name, created_at
     ), named AS (
       INSERT INTO send.conversation_aliases SELECT $1, phone, id FROM made
     )
     INSERT INTO send.inbound_messages (business_id, message_id, conversation_id, type, text, sent_at)
     SELECT $1, 'wamid.large' || id, id, 'text', 'Hello from ' || name, created_at FROM made`,
    [businessId, conversations],
  );
  await database.query('ANALYZE send.conversations, send.conversation_aliases, send.inbound_messages');
  await database.end();
}
