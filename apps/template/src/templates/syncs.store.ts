import { Injectable } from '@nestjs/common';
import type { ListTemplates, ResponseOf } from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';

type Sync = ResponseOf<typeof ListTemplates>['sync'];
interface SyncRow extends Omit<Sync, 'started_at' | 'finished_at'> {
  started_at: Date | null;
  finished_at: Date | null;
}

/** Age after which a running sync counts as abandoned by a dead process. */
const ABANDONED_AFTER = '2 minutes';
/**
 * Calls per business in an hour that starts with its first call. The platform allows 200 in any hour (platform §1), and two such hours may
 * be adjacent.
 */
const MAX_CALLS_PER_HOUR = 100;
const WITHIN_HOUR = `hour_started_at > now() - interval '1 hour'`;
const BUDGET_SPENT = `(hour_calls >= ${MAX_CALLS_PER_HOUR} AND ${WITHIN_HOUR})`;

interface SyncEnd {
  found?: number;
  problem?: string;
  calls?: number;
}

/** Stores when each business's templates were synced, and with what result. */
@Injectable()
export class SyncsStore {
  constructor(private readonly db: Database) {}

  async request(businessId: number, tx: Tx | Database = this.db): Promise<void> {
    await tx.query(
      `INSERT INTO template.syncs (business_id, requested_at) VALUES ($1, clock_timestamp())
       ON CONFLICT (business_id) DO UPDATE SET requested_at = clock_timestamp()`,
      [businessId],
    );
  }

  /** A requested sync counts as running even while the previous one ends, because its caller waits for it. */
  async find(businessId: number): Promise<Sync> {
    const [row] = await this.db.query<SyncRow>(
      `SELECT CASE WHEN waits THEN 'failed' WHEN requested_at IS NOT NULL THEN 'running' ELSE state END AS state, started_at, finished_at, found,
         CASE WHEN waits THEN 'The hourly limit of template syncs is reached. The next sync starts at '
           || to_char((hour_started_at + interval '1 hour') AT TIME ZONE 'UTC', 'HH24:MI') || ' UTC.' ELSE problem END AS problem
       FROM template.syncs, LATERAL (SELECT state <> 'running' AND requested_at IS NOT NULL AND ${BUDGET_SPENT} AS waits) w WHERE business_id = $1`,
      [businessId],
    );
    if (!row) return { state: 'never', started_at: null, finished_at: null, found: 0, problem: null };
    return { ...row, started_at: row.started_at?.toISOString() ?? null, finished_at: row.finished_at?.toISOString() ?? null };
  }

  /** Whether the platform's list of this business has been stored before. */
  async hasSucceeded(tx: Tx, businessId: number): Promise<boolean> {
    const rows = await tx.query('SELECT FROM template.syncs WHERE business_id = $1 AND succeeded', [businessId]);
    return rows.length > 0;
  }

  /** Claims syncs that are requested, due or abandoned, within the hourly budget of calls. */
  async claimDue(atMost: number, everySeconds: number): Promise<number[]> {
    const rows = await this.db.query<{ business_id: string }>(
      `UPDATE template.syncs SET state = 'running', started_at = clock_timestamp(), requested_at = NULL,
         hour_calls = CASE WHEN ${WITHIN_HOUR} THEN hour_calls ELSE 0 END,
         hour_started_at = CASE WHEN ${WITHIN_HOUR} THEN hour_started_at ELSE now() END
       WHERE business_id = ANY (ARRAY(
        SELECT business_id FROM template.syncs
        WHERE CASE WHEN state = 'running' THEN started_at < now() - interval '${ABANDONED_AFTER}'
                   ELSE requested_at IS NOT NULL OR finished_at < now() - make_interval(secs => $2) END
          AND NOT coalesce(${BUDGET_SPENT}, false)
        ORDER BY requested_at NULLS LAST LIMIT $1 FOR UPDATE SKIP LOCKED))
       RETURNING business_id`,
      [atMost, everySeconds],
    );
    return rows.map(({ business_id }) => Number(business_id));
  }

  /** @param end the number of templates or the problem, and the number of calls */
  async finish(businessId: number, { found, problem, calls = 0 }: SyncEnd): Promise<void> {
    await this.db.query(
      `UPDATE template.syncs SET state = CASE WHEN $3::text IS NULL THEN 'done' ELSE 'failed' END, finished_at = clock_timestamp(),
         succeeded = succeeded OR $3::text IS NULL, found = coalesce($2, found), problem = $3, hour_calls = hour_calls + $4 WHERE business_id = $1`,
      [businessId, found ?? null, problem ?? null, calls],
    );
  }
}
