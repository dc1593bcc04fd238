import type { Database, Tx } from '@mgw/postgres';

/** A row is set aside when it has ended its process this often. */
export const MAX_ATTEMPTS = 3;

interface Row {
  id: string;
  unfinished_attempts: number;
}

/** Counts, for the rows of a table, the attempts whose process died (guarantees §10, N3). */
export class UnfinishedAttempts {
  /** Rows whose attempt ended in an error, but whose count could not be reduced again yet. */
  private readonly uncounted = new Set<string>();

  constructor(
    private readonly db: Database,
    private readonly table: 'callbacks' | 'dead_letters',
  ) {}

  areTooMany({ id, unfinished_attempts }: Row): boolean {
    return unfinished_attempts >= MAX_ATTEMPTS && !this.uncounted.has(id);
  }

  /**
   * Runs `work` in a transaction. `begin` counts an attempt at its rows and commits that on another connection. If `work` throws, the
   * process lives and the attempt does not count.
   */
  async run<T>({ durable }: { durable: boolean }, work: (tx: Tx, begin: (ids: string[]) => Promise<void>) => Promise<T>): Promise<T> {
    let begun: string[] = [];
    const begin = async (ids: string[]) => {
      const counted = ids.filter((id) => !this.uncounted.has(id));
      await this.count(counted, 1);
      for (const id of ids) this.uncounted.delete(id);
      begun = ids;
    };
    try {
      return await this.db.transaction((tx) => work(tx, begin), { durable, mayPause: true });
    } catch (error) {
      await this.uncount(begun);
      throw error;
    }
  }

  private async uncount(ids: string[]): Promise<void> {
    try {
      await this.count(ids, -1);
    } catch {
      for (const id of ids) this.uncounted.add(id);
    }
  }

  private async count(ids: string[], change: 1 | -1): Promise<void> {
    if (ids.length === 0) return;
    await this.db.nonDurable.query(
      `UPDATE ingest.${this.table} SET unfinished_attempts = greatest(unfinished_attempts + $2, 0) WHERE id = ANY($1)`,
      [ids, change],
    );
  }
}
