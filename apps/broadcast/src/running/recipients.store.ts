import { Injectable } from '@nestjs/common';
import { BroadcastCompleted, type EventEnvelope } from '@mgw/contracts';
import { appendToOutbox, newEvent } from '@mgw/events';
import { Database, onRow, type Tx } from '@mgw/postgres';

/** A broadcast that this process runs. */
export interface RunningBroadcast {
  id: number;
  /** Until when, as PostgreSQL writes it. Whoever renews or takes the lease moves it: who knows it holds the broadcast. */
  lease: string;
  business_id: number;
  template_name: string;
  language: string;
  plan: string;
  timezone: string;
}

export interface DueRecipient {
  nth: number;
  phone: string;
  body_params: string[];
  header_params: string[];
  /** This one included. */
  attempts: number;
  /** The first try was so long ago that its Idempotency-Key may be gone: whether it was sent is not known. */
  stale: boolean;
}

export type RecipientEnd =
  | { state: 'sent'; messageId: string }
  | { state: 'failed'; reason: string }
  /** To be tried again; `afresh` when certainly nothing was sent, by no earlier try either. */
  | { state: 'pending'; afterSeconds: number; afresh: boolean };

/** What the platform says of a message: why it failed; null: it was read, and has not failed whatever else is said. */
export interface Report {
  business_id: number;
  messageId: string;
  reason: string | null;
}

/** Renewed with every look; above the longest pause between two looks. */
const LEASE = '10 seconds';
/**
 * A report and the send that it is about meet under this lock: whichever commits first is seen by the other. Its name is the one that
 * processes of before `reports` know.
 */
const REPORTS = 'broadcast.failures';
/** Longer than one send may take. */
const TRY = '60 seconds';

@Injectable()
export class RecipientsStore {
  constructor(private readonly db: Database) {}

  /** Takes a broadcast that is due and that nobody runs; of each business only one at a time, for the sake of its number's throughput. */
  async takeBroadcast(): Promise<RunningBroadcast | null> {
    return this.db.transaction(async (tx) => {
      // Two that look at the same moment would each see none running, and take one each.
      await tx.query(`SELECT pg_advisory_xact_lock(hashtext('broadcast.take'))`);
      const [row] = await tx.query<RunningBroadcast & { id: string; business_id: string }>(
        `UPDATE broadcast.broadcasts SET status = 'running', started_at = coalesce(started_at, now()), lease_until = now() + interval '${LEASE}'
         WHERE id = (
           SELECT b.id FROM broadcast.broadcasts b
           WHERE b.status IN ('scheduled', 'running') AND coalesce(b.scheduled_at, b.created_at) <= now()
             AND (b.lease_until IS NULL OR b.lease_until < now())
             AND (b.status = 'running' OR NOT EXISTS (
               SELECT FROM broadcast.broadcasts o WHERE o.business_id = b.business_id AND o.status = 'running'))
           ORDER BY b.status = 'running' DESC, b.id LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING id, lease_until::text AS lease, business_id, template_name, language, plan, timezone`,
      );
      if (!row) return null;
      // What a dead process had under way: trying it again is harmless, the Idempotency-Key sees to that.
      await tx.query(`UPDATE broadcast.recipients SET due_at = now() WHERE broadcast_id = $1 AND state = 'sending'`, [row.id]);
      return { ...row, id: Number(row.id), business_id: Number(row.business_id) };
    });
  }

  /**
   * Renews the lease and takes recipients that are due, also those that a dead process left.
   * @returns the lease as it is now; `due` null: nothing more is to be sent here, because that was somebody's wish or the lease is another's
   */
  async takeRecipients({ id, lease }: RunningBroadcast, atMost: number): Promise<{ lease: string; due: DueRecipient[] | null }> {
    return this.db.transaction(async (tx) => {
      const [held] = await tx.query<{ status: string; lease: string }>(
        `UPDATE broadcast.broadcasts SET lease_until = now() + interval '${LEASE}' WHERE id = $1 AND lease_until = $2
         RETURNING status, lease_until::text AS lease`,
        [id, lease],
      );
      if (held?.status !== 'running') return { lease: held?.lease ?? lease, due: null };
      const due = await tx.query<DueRecipient>(
        `UPDATE broadcast.recipients r SET state = 'sending', attempts = r.attempts + 1, due_at = now() + interval '${TRY}',
           began_at = coalesce(r.began_at, now())
         WHERE r.broadcast_id = $1 AND r.nth IN (
           SELECT nth FROM broadcast.recipients WHERE broadcast_id = $1 AND state IN ('pending', 'sending') AND due_at <= now()
           ORDER BY nth LIMIT $2 FOR UPDATE SKIP LOCKED)
         RETURNING r.nth, r.phone, r.body_params, r.header_params, r.attempts, r.began_at < now() - interval '23 hours' AS stale`,
        [id, atMost],
      );
      return { lease: held.lease, due };
    });
  }

  /**
   * Ends tries; the counters of the broadcast move with them, once. Broadcasts are locked before their recipients, as by everybody: who
   * takes one over meanwhile never waits in a circle.
   */
  async record(ends: { broadcastId: number; nth: number; end: RecipientEnd }[]): Promise<void> {
    const of = <T>(pick: (end: RecipientEnd) => T) => ends.map(({ end }) => pick(end));
    await this.db.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock_shared(hashtext('${REPORTS}'))`);
      const moved = await tx.query<{ broadcast_id: string; state: string }>(
        `WITH held AS MATERIALIZED (
           SELECT id, business_id FROM broadcast.broadcasts WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE
         )
         UPDATE broadcast.recipients r SET
           state = CASE WHEN n.state = 'sent' AND f.reason IS NOT NULL THEN 'failed' ELSE n.state END,
           message_id = n.message_id, reason = coalesce(n.reason, f.reason),
           due_at = now() + make_interval(secs => n.after), began_at = CASE WHEN n.afresh THEN NULL ELSE r.began_at END
         FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::boolean[])
           AS n (broadcast_id, nth, state, message_id, reason, after, afresh)
         JOIN held b ON b.id = n.broadcast_id
         LEFT JOIN broadcast.reports f ON f.business_id = b.business_id AND f.message_id = n.message_id
         WHERE r.broadcast_id = n.broadcast_id AND r.nth = n.nth AND ${onRow(`r.state = 'sending'`)}
         RETURNING r.broadcast_id, r.state`,
        [
          ends.map(({ broadcastId }) => broadcastId),
          ends.map(({ nth }) => nth),
          of((end) => end.state),
          of((end) => (end.state === 'sent' ? end.messageId : null)),
          of((end) => (end.state === 'failed' ? end.reason : null)),
          of((end) => (end.state === 'pending' ? end.afterSeconds : 0)),
          of((end) => end.state === 'pending' && end.afresh),
        ],
      );
      await this.count(
        tx,
        moved.map(({ broadcast_id, state }) => ({ id: broadcast_id, sent: state === 'sent' ? 1 : 0, failed: state === 'failed' ? 1 : 0 })),
      );
    });
  }

  /**
   * The platform reported on messages, whosever they are; of a business's recipients only its own account says anything. Kept is what
   * may be about a recipient: a failure, for its message may not be known yet; that it was read when the message is known, or may
   * still become so.
   */
  async settle(tx: Tx, reports: Report[]): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtext('${REPORTS}'))`);
    const named = [reports.map(({ business_id }) => business_id), reports.map(({ messageId }) => messageId)];
    await tx.query(
      `WITH sending AS MATERIALIZED (
         SELECT business_id FROM broadcast.broadcasts WHERE started_at IS NOT NULL AND finished_at IS NULL
         -- Cancelled, with sends under way.
         UNION SELECT business_id FROM broadcast.broadcasts WHERE finished_at > now() - interval '10 minutes'
       )
       INSERT INTO broadcast.reports AS f (business_id, message_id, reason)
       SELECT DISTINCT ON (business_id, id) business_id, id, reason FROM unnest($1::bigint[], $2::text[], $3::text[]) AS n (business_id, id, reason)
       WHERE reason IS NOT NULL OR business_id IN (SELECT business_id FROM sending)
         OR EXISTS (SELECT FROM broadcast.recipients r JOIN broadcast.broadcasts b ON b.id = r.broadcast_id
                    WHERE r.message_id = n.id AND ${onRow('b.business_id = n.business_id')})
       ORDER BY business_id, id, reason NULLS FIRST
       ON CONFLICT (business_id, message_id) DO UPDATE SET reason = NULL WHERE excluded.reason IS NULL AND f.reason IS NOT NULL`,
      [...named, reports.map(({ reason }) => reason)],
    );
    const moved = await tx.query<{ broadcast_id: string; state: string }>(
      `UPDATE broadcast.recipients r SET state = CASE WHEN f.reason IS NULL THEN 'sent' ELSE 'failed' END, reason = f.reason
       FROM unnest($1::bigint[], $2::text[]) AS n (business_id, id)
       JOIN broadcast.reports f ON f.business_id = n.business_id AND f.message_id = n.id
       JOIN broadcast.broadcasts b ON ${onRow('b.business_id = n.business_id')}
       WHERE r.message_id = n.id AND r.broadcast_id = b.id AND r.state = CASE WHEN f.reason IS NULL THEN 'failed' ELSE 'sent' END
       RETURNING r.broadcast_id, r.state`,
      named,
    );
    await this.count(
      tx,
      moved.map(({ broadcast_id, state }) =>
        state === 'sent' ? { id: broadcast_id, sent: 1, failed: -1 } : { id: broadcast_id, sent: -1, failed: 1 },
      ),
    );
  }

  /** Ends a broadcast of which nothing is open, and tells so, once. @returns whether it is over */
  async complete(broadcastId: number): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.query<
        Record<'business_id' | 'total' | 'sent' | 'failed', string> & { template_name: string; finished_at: Date }
      >(
        `UPDATE broadcast.broadcasts b SET status = 'completed', finished_at = clock_timestamp(), lease_until = NULL
         WHERE id = $1 AND status = 'running'
           AND NOT EXISTS (SELECT FROM broadcast.recipients WHERE broadcast_id = $1 AND state IN ('pending', 'sending'))
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

  /** Gives the broadcast back, so that another process need not wait for the lease; not what another holds by now. */
  async release({ id, lease }: RunningBroadcast): Promise<void> {
    await this.db.query('UPDATE broadcast.broadcasts SET lease_until = NULL WHERE id = $1 AND lease_until = $2', [id, lease]);
  }

  private async count(tx: Tx, changes: { id: string; sent: number; failed: number }[]): Promise<void> {
    if (changes.length === 0) return;
    await tx.query(
      `UPDATE broadcast.broadcasts b SET sent = b.sent + n.sent, failed = b.failed + n.failed
       FROM (SELECT id, sum(sent)::integer AS sent, sum(failed)::integer AS failed
             FROM unnest($1::bigint[], $2::integer[], $3::integer[]) AS c (id, sent, failed) GROUP BY id ORDER BY id) n
       WHERE b.id = n.id`,
      [changes.map(({ id }) => id), changes.map(({ sent }) => sent), changes.map(({ failed }) => failed)],
    );
  }
}
