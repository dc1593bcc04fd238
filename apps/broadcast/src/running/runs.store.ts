import { Injectable } from '@nestjs/common';
import { BroadcastCompleted, type EventEnvelope } from '@mgw/contracts';
import { appendToOutbox, newEvent } from '@mgw/events';
import { Database, onRow } from '@mgw/postgres';

/** A broadcast that this process runs. */
export interface RunningBroadcast {
  id: number;
  /** The end of the lease, as PostgreSQL prints it. Each renewal changes it, so it is the fencing token of this process. */
  lease: string;
  business_id: number;
  template_name: string;
  language: string;
  /** Plan and time zone of the business when it was created. */
  plan: string;
  timezone: string;
  /** Null for a broadcast that a person created. */
  api_key_id: number | null;
}

/** Renewed four times a second, so that another process takes over from a dead one within two seconds. */
export const LEASE = '2 seconds';
/** An unclear recipient delays the end of its broadcast for this long after its attempt began; by then the send service knows the send. */
const UNCLEAR_DELAY = '45 seconds';

const IS_OPEN = `status IN ('scheduled', 'running')`;
/**
 * SQL: whether both clocks have reached the time of a scheduled broadcast, PostgreSQL's and that of the process ($1): nobody can recall one
 * that started early (decision 787).
 */
const IS_DUE = '(scheduled_at IS NULL OR scheduled_at <= least(now(), $1))';
const IS_IDLE = 'idle_until > now()';
const IS_HELD = 'lease_until >= now()';

/**
 * SQL: the ids of the runnable broadcasts, which are due, held by no process and not idle. Broadcasts of one business share its number's
 * throughput, so one runs at a time: a started one before a new one and the older first, unless it is idle. Windows find it in one pass,
 * because a business may have thousands that wait (decision 796).
 */
const RUNNABLE = `(
  SELECT id FROM (
    SELECT id, status, (${IS_DUE} AND NOT coalesce(${IS_HELD}, false) AND NOT coalesce(${IS_IDLE}, false)) AS is_free,
      coalesce(bool_or(${IS_HELD}) FILTER (WHERE status = 'running') OVER of_business, false) AS is_one_held,
      min(id) FILTER (WHERE status = 'running' AND NOT coalesce(${IS_IDLE}, false)) OVER of_business AS next_started
    FROM broadcast.broadcasts WHERE ${IS_OPEN} AND (status = 'running' OR ${IS_DUE}) WINDOW of_business AS (PARTITION BY business_id)
  ) open WHERE is_free AND NOT is_one_held AND CASE status WHEN 'running' THEN id = next_started ELSE next_started IS NULL END
)`;

/** Leases broadcasts to processes. */
@Injectable()
export class RunsStore {
  constructor(private readonly db: Database) {}

  /** Claims the broadcast that has waited longest; one that has never run comes first. @param clock that of this process */
  async claim(clock = new Date()): Promise<RunningBroadcast | null> {
    // Most polls find nothing, so they need no transaction.
    if (!(await this.isAnyWaiting(clock))) return null;
    return this.db.transaction(async (tx) => {
      // Without the lock two processes could each start a broadcast of one business.
      await tx.query(`SELECT pg_advisory_xact_lock(hashtext('broadcast.take'))`);
      const [row] = await tx.query<
        Omit<RunningBroadcast, 'id' | 'business_id' | 'api_key_id'> & { id: string; business_id: string; api_key_id: string | null }
      >(
        `UPDATE broadcast.broadcasts SET status = 'running', started_at = coalesce(started_at, now()), idle_until = NULL,
           lease_until = now() + interval '${LEASE}'
         WHERE id = (SELECT b.id FROM ${RUNNABLE} runnable JOIN broadcast.broadcasts b USING (id) WHERE ${onRow(IS_OPEN)}
           ORDER BY b.lease_until NULLS FIRST, b.id LIMIT 1 FOR UPDATE OF b SKIP LOCKED)
         RETURNING id, lease_until::text AS lease, business_id, template_name, language, plan, timezone, api_key_id`,
        [clock.toISOString()],
      );
      if (!row) return null;
      // Query the send service at once about sends that a dead process left in flight.
      await tx.query(`UPDATE broadcast.recipients SET due_at = now() WHERE broadcast_id = $1 AND state = 'sending'`, [row.id]);
      const api_key_id = row.api_key_id === null ? null : Number(row.api_key_id);
      return { ...row, id: Number(row.id), business_id: Number(row.business_id), api_key_id };
    });
  }

  /** Whether a runnable broadcast waits for a process. @param clock that of this process */
  async isAnyWaiting(clock = new Date()): Promise<boolean> {
    return (await this.db.query(`SELECT FROM ${RUNNABLE} runnable LIMIT 1`, [clock.toISOString()])).length > 0;
  }

  /** Completes a broadcast that has nothing left to send and publishes that once. @returns whether it is complete */
  async complete(broadcastId: number): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      // The next statement must see the recipients of a transaction that held the lock: one of them may be pending again.
      await tx.query('SELECT FROM broadcast.broadcasts WHERE id = $1 FOR NO KEY UPDATE', [broadcastId]);
      const [row] = await tx.query<
        Record<'business_id' | 'total' | 'sent' | 'failed', string> & { template_name: string; finished_at: Date }
      >(
        `UPDATE broadcast.broadcasts b SET status = 'completed', finished_at = clock_timestamp(), lease_until = NULL
         WHERE id = $1 AND status = 'running'
           AND NOT EXISTS (SELECT FROM broadcast.recipients WHERE broadcast_id = $1 AND state = 'pending')
           AND NOT EXISTS (SELECT FROM broadcast.recipients WHERE broadcast_id = $1 AND state IN ('sending', 'unclear')
             AND (state = 'sending' OR attempted_at > now() - interval '${UNCLEAR_DELAY}'))
         RETURNING business_id, total, sent, failed, template_name, finished_at`,
        [broadcastId],
      );
      if (!row) return false;
      const business_id = Number(row.business_id);
      const event: EventEnvelope = newEvent(BroadcastCompleted, {
        id: `broadcast.completed:${broadcastId}`,
        at: row.finished_at.toISOString(),
        business_id,
        key: `broadcast:${broadcastId}`,
        data: {
          broadcast_id: broadcastId,
          template_name: row.template_name,
          total_recipients: Number(row.total),
          sent: Number(row.sent),
          failed: Number(row.failed),
          business_id,
        },
      });
      await appendToOutbox(tx, 'broadcast', [event]);
      return true;
    });
  }

  /** Releases the lease until the next recipient is due, if that is more than a second away. @returns whether it did */
  async waitUntilDue({ id, lease }: RunningBroadcast): Promise<boolean> {
    const idle = await this.db.query(
      `UPDATE broadcast.broadcasts SET lease_until = NULL, idle_until = next.at
       FROM (SELECT coalesce(
         (SELECT min(due_at) FROM broadcast.recipients WHERE broadcast_id = $1 AND state = 'pending'),
         (SELECT max(attempted_at) + interval '${UNCLEAR_DELAY}' FROM broadcast.recipients WHERE broadcast_id = $1 AND state IN ('sending', 'unclear'))
       ) AS at) next
       WHERE id = $1 AND lease_until = $2 AND status = 'running' AND next.at > now() + interval '1 second' RETURNING id`,
      [id, lease],
    );
    return idle.length > 0;
  }

  /** Ends the lease, so that broadcasts that have waited longer run first. */
  async endSlice({ id, lease }: RunningBroadcast): Promise<void> {
    const end = `now() - interval '1 millisecond'`;
    await this.db.query(`UPDATE broadcast.broadcasts SET lease_until = ${end} WHERE id = $1 AND lease_until = $2`, [id, lease]);
  }

  /** Releases the lease, so that another process need not wait for its end. */
  async release({ id, lease }: RunningBroadcast): Promise<void> {
    await this.db.query('UPDATE broadcast.broadcasts SET lease_until = NULL WHERE id = $1 AND lease_until = $2', [id, lease]);
  }
}
