import { createHash } from 'node:crypto';
import type { Database, Tx } from '@mgw/postgres';
import type { BadUpdate, Delivery } from './deliveries.store';

export interface DeadLetter {
  id: string;
  at: Date;
  field: string;
  reason: string;
  /** A callback with the bad update only, or a whole one. */
  body: string;
}

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

/** The oldest first. */
export function listDeadLetters(db: Database, atMost: number): Promise<DeadLetter[]> {
  return db.query<DeadLetter>(
    `SELECT id, at, subject AS field, reason, body FROM ingest.dead_letters WHERE consumer = 'splitter' ORDER BY id LIMIT $1`,
    [atMost],
  );
}

/**
 * Makes deliveries of these letters, or of all: the splitter takes them up like any other, and what it still does not understand
 * becomes a letter again. @returns how many there were
 */
export function replayDeadLetters(db: Database, ids: string[] | 'all'): Promise<number> {
  return db.transaction(async (tx) => {
    const letters = await tx.query<{ body: string; businesses: number[] }>(
      `DELETE FROM ingest.dead_letters WHERE consumer = 'splitter' AND ($1::bigint[] IS NULL OR id = ANY($1)) RETURNING body, businesses`,
      [ids === 'all' ? null : ids],
    );
    for (const { body, businesses } of letters) {
      const hash = createHash('sha256').update(body).digest();
      await tx.query(
        `INSERT INTO ingest.deliveries (body_hash, body, businesses) VALUES ($1, $2, $3)
         ON CONFLICT (body_hash) DO UPDATE SET split_at = NULL`,
        [hash, Buffer.from(body), businesses],
      );
    }
    return letters.length;
  });
}
