import type { Tx } from './connections';

/** Rows of a table that may go because of their age. */
export interface AgedRows {
  /** `<schema>.<table>`, itself not partitioned. */
  table: string;
  /** Condition over its columns; an index should lead to these rows. */
  where: string;
}

/**
 * Deletes some of the rows, passing over those that somebody else holds.
 * @returns how many; null when another replica is at this table just now
 */
export async function pruneBatch(db: Tx, { table, where }: AgedRows, atMost: number): Promise<number | null> {
  const [result] = await db.query<{ held: boolean; gone: string }>(
    `WITH lock AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtextextended('retention:' || $1, 0)) AS held), gone AS (
       DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT aged.ctid FROM lock, ${table} aged WHERE lock.held AND (${where}) LIMIT $2 FOR UPDATE OF aged SKIP LOCKED
       )) RETURNING 1
     ) SELECT lock.held, (SELECT count(*) FROM gone) AS gone FROM lock`,
    [table, atMost],
  );
  return result?.held ? Number(result.gone) : null;
}
