import type { Tx } from './connections';

/** Expired rows of a table. */
export interface ExpiredRows {
  /** `<schema>.<table>`, not partitioned. */
  table: string;
  /** A condition on its columns, called `expired` where it needs a name. An index should lead to these rows. */
  where: string;
  /** Assignments that clear columns of rows that stay. Cleared rows must not match `where`. */
  clear?: string;
}

/**
 * Deletes or clears some of the rows and skips locked ones.
 * @returns how many; null if another replica prunes this table now
 */
export async function pruneBatch(db: Tx, { table, where, clear }: ExpiredRows, atMost: number): Promise<number | null> {
  const [result] = await db.query<{ held: boolean; gone: string }>(
    `WITH lock AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtextextended('retention:' || $1, 0)) AS held), gone AS (
       ${clear === undefined ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${clear}`} WHERE ctid = ANY (ARRAY(
         SELECT expired.ctid FROM lock, ${table} expired WHERE lock.held AND (${where}) LIMIT $2 FOR UPDATE OF expired SKIP LOCKED
       )) RETURNING 1
     ) SELECT lock.held, (SELECT count(*) FROM gone) AS gone FROM lock`,
    [table, atMost],
  );
  return result?.held ? Number(result.gone) : null;
}
