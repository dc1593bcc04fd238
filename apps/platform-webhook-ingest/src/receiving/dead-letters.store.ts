import type { DeadLettersOptions } from '@mgw/service';
import type { Tx } from '@mgw/postgres';
import type { BadUpdate, Delivery } from './deliveries.store';

/** For the operator's command: the businesses stand in the letter, not in the callback. */
export const INGEST_LETTERS: DeadLettersOptions = { schema: 'ingest', business: `nullif(array_to_string(businesses, ','), '')` };

/** One letter for a whole callback. PostgreSQL's text cannot hold NUL, and no JSON has it. */
export function asOneLetter({ body, businesses }: Pick<Delivery, 'body' | 'businesses'>, { message }: Error): BadUpdate {
  return { field: '(all)', body: body.toString('utf8').replaceAll('\0', ''), businesses, reason: message };
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

/** The oldest letter that an operator replays: a callback like any other. */
export async function letterToReplay(tx: Tx): Promise<(Delivery & { begun: number }) | undefined> {
  const [letter] = await tx.query<{ id: string; body: string; businesses: number[]; begun: number }>(
    `SELECT id, body, businesses, begun FROM ingest.dead_letters WHERE replay_asked_at IS NOT NULL AND consumer = 'splitter' ORDER BY id LIMIT 1`,
  );
  return letter && { ...letter, body: Buffer.from(letter.body), traceparent: null };
}

/** Ends the replay of a letter that stays. */
export async function keepLetter(tx: Tx, id: string, reason: string): Promise<void> {
  await tx.query(
    'UPDATE ingest.dead_letters SET reason = $2, deliveries = deliveries + 1, replay_asked_at = NULL, begun = 0 WHERE id = $1',
    [id, reason],
  );
}

/** Ends the replay of a letter. The letter stays with what is still bad in it, and the new reason. */
export async function settleLetter(tx: Tx, id: string, [bad, ...others]: BadUpdate[]): Promise<void> {
  if (bad === undefined) {
    await tx.query('DELETE FROM ingest.dead_letters WHERE id = $1', [id]);
    return;
  }
  await tx.query('UPDATE ingest.dead_letters SET subject = $2, body = $3 WHERE id = $1', [id, bad.field, bad.body]);
  await keepLetter(tx, id, bad.reason);
  await addDeadLetters(tx, others);
}
