import { Injectable } from '@nestjs/common';
import { newIntentId, type PauseCause } from '@mgw/contracts';
import { Database, onRow, type Tx, RowSet } from '@mgw/postgres';
import { addCounts } from './counts';
import { pauseWithCause } from './pause-cause';
import { REPORTED_DELIVERY, REPORTS_LOCK } from './reports.store';
import { LEASE, type RunningBroadcast } from './runs.store';

export interface DueRecipient {
  nth: number;
  phone: string;
  body_params: string[];
  header_params: string[];
  button_params: string[];
  /** Includes this attempt. */
  attempts: number;
  /** The intent of this attempt's send. */
  intent_id: string;
}

export type RecipientEnd =
  | { state: 'sent'; messageId: string }
  | { state: 'failed'; reason: string }
  /**
   * Nothing was sent; retry later. With a cause, any recipient would fail, so the broadcast pauses (decision 620). If the broadcast has
   * completed, the recipient fails with the reason. `retryReason` is the error of this attempt; the recipients' list shows it.
   */
  | { state: 'pending'; afterSeconds: number; isCounted: boolean; cause?: PauseCause; reason?: string; retryReason?: string }
  /** The message may have been sent; the send service is queried about `intentId` later. */
  | { state: 'unclear'; intentId: string; reason: string; afterSeconds: number };

export interface EndedAttempt {
  broadcastId: number;
  nth: number;
  /** The attempt that ended; a newer attempt for the same recipient stays unchanged. */
  intentId: string;
  end: RecipientEnd;
}

/** Longer than the deadline of a send, 30 s. */
const ATTEMPT_TIMEOUT = '35 seconds';
/** Attempts that may begin without ending before the recipient is set aside. */
const MAX_BEGUN = 3;
const SET_ASIDE = `Sending this message stopped the service ${MAX_BEGUN} times.`;

export const NEVER_SENT = 'The message could not be sent: the service was interrupted.';

const ENDS = new RowSet<EndedAttempt>({
  broadcast_id: ['bigint', ({ broadcastId }) => broadcastId],
  nth: ['integer', ({ nth }) => nth],
  intent_id: ['uuid', ({ intentId }) => intentId],
  state: ['text', ({ end }) => end.state],
  message_id: ['text', ({ end }) => (end.state === 'sent' ? end.messageId : null)],
  reason: ['text', ({ end }) => (end.state === 'sent' ? null : end.state === 'pending' ? (end.retryReason ?? null) : end.reason)],
  reason_if_completed: ['text', ({ end }) => (end.state === 'pending' ? (end.reason ?? NEVER_SENT) : null)],
  after: ['float8', ({ end }) => (end.state === 'pending' || end.state === 'unclear' ? end.afterSeconds : 0)],
  uncounted: ['integer', ({ end }) => (end.state === 'pending' && !end.isCounted ? 1 : 0)],
  unclear_id: ['uuid', ({ end }) => (end.state === 'unclear' ? end.intentId : null)],
});

/** Nothing more is sent for a completed broadcast, which may have completed while the send service was queried. */
const CANNOT_RETRY = `n.state = 'pending' AND b.status = 'completed'`;

/** Moves recipients to their states, and updates the counters of their broadcasts. */
const RECORD = `WITH held AS MATERIALIZED (
    SELECT id, business_id, status FROM broadcast.broadcasts WHERE id = ANY (${ENDS.list('broadcast_id')}::bigint[]) ORDER BY id FOR NO KEY UPDATE
  ), moved AS (
    UPDATE broadcast.recipients r SET
      state = CASE WHEN n.state = 'sent' AND f.reason IS NOT NULL OR ${CANNOT_RETRY} THEN 'failed' ELSE n.state END,
      message_id = n.message_id,
      reason = CASE WHEN ${CANNOT_RETRY} THEN n.reason_if_completed ELSE coalesce(n.reason, f.reason) END,
      delivery = ${REPORTED_DELIVERY}, due_at = now() + make_interval(secs => n.after),
      intent_id = coalesce(n.unclear_id, r.intent_id), attempts = r.attempts - n.uncounted, unfinished_attempts = CASE WHEN $${ENDS.next} THEN 0 ELSE r.unfinished_attempts END
    FROM ${ENDS.from('n')}
    JOIN held b ON b.id = n.broadcast_id
    LEFT JOIN broadcast.reports f ON f.business_id = b.business_id AND f.message_id = n.message_id
    WHERE r.broadcast_id = n.broadcast_id AND r.nth = n.nth
      AND ${onRow(`r.state IN ('sending', 'unclear') AND r.intent_id = n.intent_id`)}
    RETURNING r.broadcast_id, r.nth, r.state
  ), counted AS (
    UPDATE broadcast.broadcasts b SET sent = b.sent + n.sent, failed = b.failed + n.failed
    FROM (SELECT broadcast_id, count(*) FILTER (WHERE state = 'sent') AS sent, count(*) FILTER (WHERE state = 'failed') AS failed
          FROM moved GROUP BY broadcast_id) n
    WHERE b.id = n.broadcast_id
  )
  SELECT broadcast_id, nth, state FROM moved`;

/** A recipient that RECORD changed. */
interface MovedRow {
  broadcast_id: string;
  nth: number;
  state: string;
}

/** A claimed recipient with the lease and the status of its broadcast; only the latter two if nothing is due. */
type ClaimRow = { lease: string; status: string } & (DueRecipient | { [Field in keyof DueRecipient]: null });

/**
 * Renews the lease, and claims recipients if this process still holds it and the broadcast runs. The row lock of the broadcast comes first, so
 * a pause that commits earlier takes effect.
 *
 * The recipients are numbered once: a nested loop would number the rows again for each row, and skip those that it has updated.
 */
function claimOf(condition: string): string {
  return `WITH held AS (
      UPDATE broadcast.broadcasts SET lease_until = now() + interval '${LEASE}' WHERE id = $1 AND lease_until = $2
      RETURNING status, lease_until::text AS lease
    ), due AS MATERIALIZED (
      SELECT nth FROM broadcast.recipients
      WHERE (SELECT status = 'running' FROM held) AND broadcast_id = $1 AND state = 'pending' AND due_at <= now() AND ${condition}
      ORDER BY due_at, nth LIMIT $3 FOR UPDATE SKIP LOCKED
    ), d AS MATERIALIZED (SELECT nth, row_number() OVER () AS place FROM due), claimed AS (
      UPDATE broadcast.recipients r SET state = 'sending', attempts = r.attempts + 1, unfinished_attempts = r.unfinished_attempts + 1, reason = NULL,
        attempted_at = now(), due_at = now() + interval '${ATTEMPT_TIMEOUT}', intent_id = ($4::uuid[])[d.place]
      FROM d WHERE r.broadcast_id = $1 AND r.nth = d.nth
      RETURNING r.nth, r.phone, r.body_params, r.header_params, r.button_params, r.attempts, r.intent_id
    )
    SELECT held.lease, held.status, claimed.* FROM held LEFT JOIN claimed ON true`;
}
const CLAIM_NEW = claimOf('unfinished_attempts = 0');
const CLAIM_UNFINISHED = claimOf('unfinished_attempts > 0');

function claimValues(id: number, lease: string, atMost: number): unknown[] {
  return [id, lease, atMost, Array.from({ length: atMost }, () => newIntentId())];
}

/** @param lease the one that the statement was to renew */
function asClaim(lease: string, rows: ClaimRow[]): { lease: string; due: DueRecipient[] | null } {
  const [first] = rows;
  if (first?.status !== 'running') return { lease: first?.lease ?? lease, due: null };
  const due = rows.flatMap(({ lease: _lease, status: _status, ...recipient }) => (recipient.nth === null ? [] : [recipient]));
  return { lease: first.lease, due };
}

@Injectable()
export class RecipientsStore {
  constructor(private readonly db: Database) {}

  /**
   * Renews the lease and claims due recipients in one statement. Recipients whose sending killed a process come last, one at a time.
   * @param idle whether no send of this broadcast is in flight
   * @returns the renewed lease; `due` is null if the broadcast was paused or cancelled, or the lease was lost
   */
  async claim({ id, lease }: RunningBroadcast, atMost: number, idle: boolean): Promise<{ lease: string; due: DueRecipient[] | null }> {
    const claimed = asClaim(lease, await this.db.query<ClaimRow>(CLAIM_NEW, claimValues(id, lease, atMost)));
    if (claimed.due?.length !== 0 || atMost === 0 || !idle) return claimed;
    return this.db.transaction(async (tx) => {
      if (await this.isHeld(tx, id, claimed.lease)) await this.setAside(tx, id);
      return asClaim(claimed.lease, await tx.query<ClaimRow>(CLAIM_UNFINISHED, claimValues(id, claimed.lease, 1)));
    });
  }

  /** Records how attempts ended. */
  async recordAttempts(ends: EndedAttempt[]): Promise<void> {
    await this.db.transaction((tx) => this.record(tx, ends, true));
  }

  /** Records what the send service reports about attempts without a known outcome, and wakes their broadcasts. */
  async recordQueried(ends: EndedAttempt[]): Promise<void> {
    await this.db.transaction(async (tx) => {
      const moved = await this.record(tx, ends, false);
      const resolved = moved.filter(({ state }) => state !== 'unclear').map(({ broadcast_id }) => broadcast_id);
      if (resolved.length > 0)
        await tx.query('UPDATE broadcast.broadcasts SET idle_until = NULL WHERE id = ANY ($1::bigint[])', [resolved]);
    });
  }

  /**
   * Updates the counters of the broadcasts once. Every transaction locks broadcasts before their recipients, so that no two deadlock.
   * @param survived whether the process survived the attempts, so that none of them counts as unfinished
   */
  private async record(tx: Tx, ends: EndedAttempt[], survived: boolean): Promise<MovedRow[]> {
    await tx.query(`SELECT pg_advisory_xact_lock_shared(hashtext('${REPORTS_LOCK}'))`);
    const moved = await tx.query<MovedRow>(RECORD, [...ENDS.values(ends), survived]);
    await pauseWithCause(tx, causesOf(ends, moved));
    return moved;
  }

  /** Locks the broadcast before its recipients. @returns whether it runs under this lease */
  private async isHeld(tx: Tx, broadcastId: number, lease: string): Promise<boolean> {
    const held = `SELECT FROM broadcast.broadcasts WHERE id = $1 AND lease_until = $2 AND status = 'running' FOR NO KEY UPDATE`;
    return (await tx.query(held, [broadcastId, lease])).length > 0;
  }

  private async setAside(tx: Tx, broadcastId: number): Promise<void> {
    const failed = await tx.query<{ broadcast_id: string }>(
      `UPDATE broadcast.recipients SET state = 'failed', reason = '${SET_ASIDE}'
       WHERE broadcast_id = $1 AND state = 'pending' AND unfinished_attempts >= ${MAX_BEGUN} RETURNING broadcast_id`,
      [broadcastId],
    );
    await addCounts(
      tx,
      failed.map(({ broadcast_id: id }) => ({ id, sent: 0, failed: 1 })),
    );
  }
}

/** The cause of each broadcast that pauses, by its id. */
function causesOf(ends: EndedAttempt[], moved: MovedRow[]): Map<string, PauseCause> {
  const recipient = (broadcast: string | number, nth: number) => `${broadcast} ${nth}`;
  const causes = new Map(
    ends.flatMap(({ broadcastId, nth, end }) =>
      end.state === 'pending' && end.cause ? [[recipient(broadcastId, nth), end.cause] as const] : [],
    ),
  );
  return new Map(
    moved.flatMap(({ broadcast_id, nth }) => {
      const cause = causes.get(recipient(broadcast_id, nth));
      return cause ? [[broadcast_id, cause] as const] : [];
    }),
  );
}
