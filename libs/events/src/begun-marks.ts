import type { Database } from '@mgw/postgres';

/** Age at which marks are deleted, in days. A stream keeps its events for less. */
const KEEP_DAYS = 7;

/**
 * Marks in `<schema>.event_attempts` events whose handling has begun and not ended. It marks redelivered events only, because an earlier
 * delivery may have killed its process.
 */
export class BegunMarks {
  private static lastRun: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly db: Database,
    private readonly schema: string,
    private readonly consumer: string,
  ) {}

  /** Runs marked work one at a time in this process, so that after a crash the marks name the work that caused it. */
  static async runAlone<T>(work: () => Promise<T>): Promise<T> {
    const turn = BegunMarks.lastRun.then(work);
    BegunMarks.lastRun = turn.catch(() => undefined);
    return turn;
  }

  /** @returns how often the handling of each event began without an end; events without a mark are absent */
  async countBegun(ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.db.query<{ event_id: string; unfinished: number }>(
      `SELECT event_id, unfinished FROM ${this.schema}.event_attempts WHERE consumer = $1 AND event_id = ANY ($2::text[])`,
      [this.consumer, ids],
    );
    return new Map(rows.map(({ event_id, unfinished }) => [event_id, unfinished]));
  }

  async add(ids: readonly string[]): Promise<void> {
    await this.db.nonDurable.query(
      `WITH old AS (DELETE FROM ${this.schema}.event_attempts WHERE last_started_at < now() - interval '${KEEP_DAYS} days')
       INSERT INTO ${this.schema}.event_attempts AS a (consumer, event_id) SELECT DISTINCT $1, id FROM unnest($2::text[]) AS id ORDER BY id
       ON CONFLICT (consumer, event_id) DO UPDATE SET unfinished = a.unfinished + 1, last_started_at = now()`,
      [this.consumer, ids],
    );
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.db.nonDurable.query(`DELETE FROM ${this.schema}.event_attempts WHERE consumer = $1 AND event_id = ANY ($2::text[])`, [
      this.consumer,
      ids,
    ]);
  }
}
