import { Injectable } from '@nestjs/common';
import { deadWorkers } from '@mgw/events';
import { Database, onRow } from '@mgw/postgres';

/** Rows that one statement changes at most. */
const BATCH = 500;

/** SQL: frees the lanes of \`lane\`, and lets their deliveries wait again. */
const RELEASE = `back AS (
    UPDATE dispatch.deliveries d SET state = 'pending', queued = true
    FROM lane WHERE d.id = lane.delivery_id AND ${onRow(`d.state = 'running'`)}
  )
  UPDATE dispatch.lanes l SET worker = NULL, delivery_id = NULL, due_since = clock_timestamp()
  FROM lane WHERE l.webhook_id = lane.webhook_id AND l.ordering_key = lane.ordering_key RETURNING 1`;

interface DueLanes {
  due: boolean;
  /** Whether a lane is due whose delivery must be attempted alone. */
  suspects: boolean;
}

/** Releases claims of dead workers, and skips deliveries of disabled webhooks. */
@Injectable()
export class LanesStore {
  constructor(private readonly db: Database) {}

  /**
   * Frees the lanes of dead workers. The caller is alive even if a slow database let its row expire: it adopts its claims under its next id.
   */
  async releaseDead(caller: string): Promise<DueLanes> {
    const [row] = await this.db.nonDurable.query<DueLanes>(
      `WITH RECURSIVE holder AS (
         (SELECT worker FROM dispatch.lanes WHERE worker IS NOT NULL ORDER BY worker LIMIT 1)
         UNION ALL
         SELECT (SELECT l.worker FROM dispatch.lanes l WHERE l.worker > holder.worker ORDER BY l.worker LIMIT 1)
         FROM holder WHERE holder.worker IS NOT NULL
       ), ${deadWorkers('dispatch', 'SELECT worker FROM holder WHERE worker <> $1')}, lane AS MATERIALIZED (
         SELECT l.webhook_id, l.ordering_key, l.delivery_id
         FROM dead CROSS JOIN LATERAL (SELECT * FROM dispatch.lanes l WHERE l.worker = dead.worker LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) l
       ), lost AS (
         UPDATE dispatch.deliveries d SET state = 'pending', queued = true, lost_workers = d.lost_workers + 1
         FROM lane WHERE d.id = lane.delivery_id AND ${onRow(`d.state = 'running'`)}
       ), freed AS (
         UPDATE dispatch.lanes l SET worker = NULL, delivery_id = NULL, due_since = clock_timestamp(), suspect = false
         FROM lane WHERE l.webhook_id = lane.webhook_id AND l.ordering_key = lane.ordering_key RETURNING 1
       )
       SELECT EXISTS (SELECT FROM freed) OR EXISTS (
                SELECT FROM dispatch.lanes l WHERE l.worker IS NULL AND NOT l.suspect ORDER BY l.business_id LIMIT 1) AS due,
              EXISTS (SELECT FROM dispatch.lanes l WHERE l.worker IS NULL AND l.suspect ORDER BY l.due_since LIMIT 1) AS suspects`,
      [caller],
    );
    return row ?? { due: false, suspects: false };
  }

  /** Renames the claims of a worker that has a new id, except those that another worker took over. @returns the deliveries it keeps */
  async adopt(former: string, worker: string, deliveries: string[]): Promise<string[]> {
    const rows = await this.db.nonDurable.query<{ delivery_id: string }>(
      'UPDATE dispatch.lanes SET worker = $2 WHERE worker = $1 AND delivery_id = ANY ($3::bigint[]) RETURNING delivery_id',
      [former, worker, deliveries],
    );
    return rows.map(({ delivery_id }) => delivery_id);
  }

  /**
   * Frees lanes that this worker holds but no longer works on, because a lost connection or a crash of the database lost their claim or
   * end. The caller must not claim meanwhile.
   * @returns whether a lane is due
   */
  async releaseOrphans(worker: string, running: string[]): Promise<boolean> {
    const rows = await this.db.nonDurable.query(
      `WITH lane AS MATERIALIZED (
         SELECT webhook_id, ordering_key, delivery_id FROM dispatch.lanes
         WHERE worker = $1 AND delivery_id <> ALL ($2::bigint[]) ORDER BY webhook_id, ordering_key LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
       ), ${RELEASE}`,
      [worker, running],
    );
    return rows.length > 0;
  }

  /** Skips one batch of waiting deliveries of disabled webhooks (guarantees §4, D8). @returns whether there may be more */
  async skipDisabled(): Promise<boolean> {
    const [row] = await this.db.query<{ skipped: number }>(
      `WITH RECURSIVE walk AS (
         (SELECT webhook_id FROM dispatch.lanes ORDER BY webhook_id LIMIT 1)
         UNION ALL
         SELECT (SELECT l.webhook_id FROM dispatch.lanes l WHERE l.webhook_id > walk.webhook_id ORDER BY l.webhook_id LIMIT 1)
         FROM walk WHERE walk.webhook_id IS NOT NULL
       ), found AS MATERIALIZED (
         SELECT d.id, d.webhook_id, d.ordering_key COLLATE "C" AS ordering_key
         FROM walk JOIN dispatch.webhooks w ON w.id = walk.webhook_id AND ${onRow('NOT w.is_active')}
         CROSS JOIN LATERAL (SELECT * FROM dispatch.deliveries d WHERE d.queued AND d.webhook_id = w.id LIMIT ${BATCH}) d LIMIT ${BATCH}
       ), lane AS MATERIALIZED (
         SELECT l.webhook_id, l.ordering_key, l.open
         FROM (SELECT DISTINCT webhook_id, ordering_key FROM found ORDER BY webhook_id, ordering_key) k
         CROSS JOIN LATERAL (SELECT * FROM dispatch.lanes l WHERE l.webhook_id = k.webhook_id AND l.ordering_key = k.ordering_key FOR UPDATE) l
       ), skipped AS (
         UPDATE dispatch.deliveries d SET state = 'skipped', queued = false, reason = 'the webhook is disabled', finished_at = clock_timestamp()
         FROM lane JOIN found USING (webhook_id, ordering_key) WHERE d.id = found.id AND ${onRow('d.queued')}
         RETURNING lane.webhook_id, lane.ordering_key, lane.open
       ), ended AS MATERIALIZED (
         SELECT webhook_id, ordering_key, open, count(*) AS skipped FROM skipped GROUP BY webhook_id, ordering_key, open
       ), gone AS (
         DELETE FROM dispatch.lanes l USING ended
         WHERE l.webhook_id = ended.webhook_id AND l.ordering_key = ended.ordering_key AND ended.open = ended.skipped
       ), kept AS (
         UPDATE dispatch.lanes l SET open = l.open - ended.skipped
         FROM ended WHERE l.webhook_id = ended.webhook_id AND l.ordering_key = ended.ordering_key AND ended.open > ended.skipped
       )
       SELECT count(*)::integer AS skipped FROM skipped`,
    );
    return (row?.skipped ?? 0) === BATCH;
  }
}
