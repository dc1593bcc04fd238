import type { Tx } from '@mgw/postgres';
import type { InvalidUpdate, StoredCallback } from './stored-callback';

export async function addDeadLetters(tx: Tx, invalid: InvalidUpdate[]): Promise<void> {
  if (invalid.length === 0) return;
  await tx.query(
    `INSERT INTO ingest.dead_letters (consumer, subject, body, reason, attempts, businesses)
     SELECT 'splitter', field, body, reason, 1, string_to_array(businesses, ',')::integer[]
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS b (field, body, reason, businesses)`,
    [
      invalid.map((update) => update.field),
      invalid.map((update) => update.body),
      invalid.map((update) => update.reason),
      invalid.map((update) => update.businesses.join(',')),
    ],
  );
}

/** The oldest dead letter with a higher id that an operator replays; its body is a callback like any other. */
export async function deadLetterToReplay(tx: Tx, afterId: string): Promise<(StoredCallback & { unfinished_attempts: number }) | undefined> {
  const [next] = await tx.query<{ id: string; body: string; businesses: number[]; unfinished_attempts: number }>(
    `SELECT id, body, businesses, unfinished_attempts FROM ingest.dead_letters
     WHERE replay_requested_at IS NOT NULL AND consumer = 'splitter' AND id > $1 ORDER BY id LIMIT 1`,
    [afterId],
  );
  return next && { ...next, body: Buffer.from(next.body), traceparent: null };
}

/** Ends a replay that failed: the dead letter stays, with the new reason. */
export async function failReplay(tx: Tx, id: string, reason: string): Promise<void> {
  await tx.query(
    'UPDATE ingest.dead_letters SET reason = $2, attempts = attempts + 1, replay_requested_at = NULL, unfinished_attempts = 0 WHERE id = $1',
    [id, reason],
  );
}

/** Ends a replay: without invalid updates the dead letter is deleted; otherwise it keeps the first one, and each other becomes a dead letter. */
export async function endReplay(tx: Tx, id: string, [first, ...others]: InvalidUpdate[]): Promise<void> {
  if (first === undefined) {
    await tx.query('DELETE FROM ingest.dead_letters WHERE id = $1', [id]);
    return;
  }
  await tx.query('UPDATE ingest.dead_letters SET subject = $2, body = $3 WHERE id = $1', [id, first.field, first.body]);
  await failReplay(tx, id, first.reason);
  await addDeadLetters(tx, others);
}
