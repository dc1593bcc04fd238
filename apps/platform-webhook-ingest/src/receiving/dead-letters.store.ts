import type { DeadLettersOptions } from '@mgw/service';
import type { Tx } from '@mgw/postgres';
import type { BadUpdate, Delivery } from './deliveries.store';

/** For the operator's command: a callback does not say whose it is, its letter does. */
export const INGEST_LETTERS: DeadLettersOptions = { schema: 'ingest', business: `nullif(array_to_string(businesses, ','), '')` };

/** Of a delivery that as a whole could not be split, or stored. */
export function asOneLetter({ body, businesses }: Delivery, { message }: Error): BadUpdate {
  return { field: '(all)', body: body.toString('utf8'), businesses, reason: message };
}

export async function addDeadLetters(tx: Tx, bad: BadUpdate[]): Promise<void> {
  if (bad.length === 0) return;
  await tx.query(
    `INSERT INTO ingest.dead_letters (consumer, subject, body, reason, deliveries, businesses)
     SELECT 'splitter', field, body, reason, 1, string_to_array(businesses, ',')::integer[]
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS b (field, body, reason, businesses)`,
    [bad.map((b) => b.field), bad.map((b) => b.body), bad.map((b) => b.reason), bad.map((b) => b.businesses.join(','))],
  );
}

/** The oldest that somebody has asked to be replayed, each a callback; other replicas pass over them meanwhile. */
export async function askedLetters(tx: Tx, atMost: number): Promise<Delivery[]> {
  const letters = await tx.query<{ id: string; body: string; businesses: number[] }>(
    `SELECT id, body, businesses FROM ingest.dead_letters WHERE replay_asked_at IS NOT NULL ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED`,
    [atMost],
  );
  return letters.map(({ id, body, businesses }) => ({ id, body: Buffer.from(body), businesses, traceparent: null }));
}

/** Ends the replay of a letter, which stays with what of it is still bad, and the new reason. */
export async function settleLetter(tx: Tx, id: string, [bad, ...others]: BadUpdate[]): Promise<void> {
  if (bad === undefined) {
    await tx.query('DELETE FROM ingest.dead_letters WHERE id = $1', [id]);
    return;
  }
  await tx.query(
    `UPDATE ingest.dead_letters SET subject = $2, body = $3, reason = $4, deliveries = deliveries + 1, replay_asked_at = NULL WHERE id = $1`,
    [id, bad.field, bad.body, bad.reason],
  );
  await addDeadLetters(tx, others);
}
