import type { Tx } from '@mgw/postgres';

/** How a recipient's transition changes the counters of its broadcast. */
interface CountChange {
  id: string;
  sent: number;
  failed: number;
}

/** Updates counters in the transaction of the recipients' transitions. */
export async function addCounts(tx: Tx, changes: CountChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(
    `UPDATE broadcast.broadcasts b SET sent = b.sent + n.sent, failed = b.failed + n.failed
     FROM (SELECT id, sum(sent)::integer AS sent, sum(failed)::integer AS failed
           FROM unnest($1::bigint[], $2::integer[], $3::integer[]) AS c (id, sent, failed) GROUP BY id ORDER BY id) n
     WHERE b.id = n.id`,
    [changes.map(({ id }) => id), changes.map(({ sent }) => sent), changes.map(({ failed }) => failed)],
  );
}
