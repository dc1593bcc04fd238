import { Injectable } from '@nestjs/common';
import { BroadcastCompleted, type EventEnvelope } from '@mgw/contracts';
import { appendToOutbox, newEvent } from '@mgw/events';
import { Database } from '@mgw/postgres';

/** A broadcast that this process runs. */
export interface RunningBroadcast {
  id: number;
  /** Its end as PostgreSQL writes it. Each renewal moves it, so only the process that knows it holds the broadcast. */
  lease: string;
  business_id: number;
  template_name: string;
  language: string;
  plan: string;
  timezone: string;
}

/** Renewed with every look, four times a second: another process takes over what a dead one ran within two seconds. */
export const LEASE = '2 seconds';
/** An unclear recipient keeps its broadcast from ending for this long after its try began: by then its send is known to exist or not. */
const UNCLEAR_HOLDS = '45 seconds';

/**
 * A broadcast may be run when it is due, no process runs it and it does not rest. One broadcast of a business runs at a time, for the sake
 * of its number's throughput: a running one goes on before a new one starts, the older one first, unless it rests.
 */
const MAY_RUN = `b.status IN ('scheduled', 'running') AND coalesce(b.scheduled_at, b.created_at) <= now()
  AND (b.lease_until IS NULL OR b.lease_until < now()) AND (b.rests_until IS NULL OR b.rests_until <= now())
  AND NOT EXISTS (SELECT FROM broadcast.broadcasts o WHERE o.business_id = b.business_id AND o.id <> b.id AND o.status = 'running'
    AND (o.lease_until >= now()
      OR ((b.status = 'scheduled' OR o.id < b.id) AND (o.rests_until IS NULL OR o.rests_until <= now()))))`;

/** The processes' turns at broadcasts. */
@Injectable()
export class RunsStore {
  constructor(private readonly db: Database) {}

  /** Takes the broadcast that has waited longest for its turn; one that never had one comes first. */
  async take(): Promise<RunningBroadcast | null> {
    return this.db.transaction(async (tx) => {
      // Two that look at the same moment would each see none running, and take one each.
      await tx.query(`SELECT pg_advisory_xact_lock(hashtext('broadcast.take'))`);
      const [row] = await tx.query<RunningBroadcast & { id: string; business_id: string }>(
        `UPDATE broadcast.broadcasts SET status = 'running', started_at = coalesce(started_at, now()), rests_until = NULL,
           lease_until = now() + interval '${LEASE}'
         WHERE id = (SELECT b.id FROM broadcast.broadcasts b WHERE ${MAY_RUN}
           ORDER BY b.lease_until NULLS FIRST, b.id LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING id, lease_until::text AS lease, business_id, template_name, language, plan, timezone`,
      );
      if (!row) return null;
      // Sends that a dead process had under way are looked up at once.
      await tx.query(`UPDATE broadcast.recipients SET due_at = now() WHERE broadcast_id = $1 AND state = 'sending'`, [row.id]);
      return { ...row, id: Number(row.id), business_id: Number(row.business_id) };
    });
  }

  /** Whether a broadcast waits for a process. */
  async anyWaits(): Promise<boolean> {
    return (await this.db.query(`SELECT FROM broadcast.broadcasts b WHERE ${MAY_RUN} LIMIT 1`)).length > 0;
  }

  /** Ends a broadcast that has nothing left to send, and announces it once. @returns whether it is over */
  async complete(broadcastId: number): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.query<
        Record<'business_id' | 'total' | 'sent' | 'failed', string> & { template_name: string; finished_at: Date }
      >(
        `UPDATE broadcast.broadcasts b SET status = 'completed', finished_at = clock_timestamp(), lease_until = NULL
         WHERE id = $1 AND status = 'running'
           AND NOT EXISTS (SELECT FROM broadcast.recipients WHERE broadcast_id = $1 AND state = 'pending')
           AND NOT EXISTS (SELECT FROM broadcast.recipients WHERE broadcast_id = $1 AND state IN ('sending', 'unclear')
             AND (state = 'sending' OR began_at > now() - interval '${UNCLEAR_HOLDS}'))
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

  /** Gives the turn up while nothing is due for a second or longer. @returns whether it did */
  async rest({ id, lease }: RunningBroadcast): Promise<boolean> {
    const rested = await this.db.query(
      `UPDATE broadcast.broadcasts SET lease_until = NULL, rests_until = next.at
       FROM (SELECT coalesce(
         (SELECT min(due_at) FROM broadcast.recipients WHERE broadcast_id = $1 AND state = 'pending'),
         (SELECT max(began_at) + interval '${UNCLEAR_HOLDS}' FROM broadcast.recipients WHERE broadcast_id = $1 AND state IN ('sending', 'unclear'))
       ) AS at) next
       WHERE id = $1 AND lease_until = $2 AND status = 'running' AND next.at > now() + interval '1 second' RETURNING id`,
      [id, lease],
    );
    return rested.length > 0;
  }

  /** Gives the turn to another broadcast; this one stands behind those that have waited longer. */
  async yield({ id, lease }: RunningBroadcast): Promise<void> {
    const end = `now() - interval '1 millisecond'`;
    await this.db.query(`UPDATE broadcast.broadcasts SET lease_until = ${end} WHERE id = $1 AND lease_until = $2`, [id, lease]);
  }

  /** Gives the broadcast back, so that another process need not wait for the end of the lease. */
  async release({ id, lease }: RunningBroadcast): Promise<void> {
    await this.db.query('UPDATE broadcast.broadcasts SET lease_until = NULL WHERE id = $1 AND lease_until = $2', [id, lease]);
  }
}
