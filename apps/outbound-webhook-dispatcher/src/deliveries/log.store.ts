import { Injectable } from '@nestjs/common';
import { GatewayError, type FindDeliveries, type ListDeliveries, type ReplyOf, type RequestOf } from '@mgw/contracts';
import { Database, examine, filteredPage, onRow, pageOf, readCursor, type Examined, type Tx } from '@mgw/postgres';
import { activeTraceparent } from '@mgw/telemetry';

type State = ReplyOf<typeof ListDeliveries>['deliveries'][number]['state'];
interface LogRow {
  id: string;
  event: string;
  event_id: string;
  state: State;
  status_code: number | null;
  duration_ms: number | null;
  attempt: number;
  reason: string | null;
  created_at: Date;
}

/** The bytes of one attempt, which a page of the log reads apart: only those that fit. */
interface Sent {
  id: string;
  body: string;
  request: { url: string; headers: Record<string, string> } | null;
}

const LIST = examine(
  `SELECT id, event, event_id, state, status_code, duration_ms, attempt, reason, created_at,
     octet_length(body) AS bytes FROM dispatch.deliveries
   WHERE webhook_id = $1 AND -id > -coalesce($2::bigint, 9223372036854775807) ORDER BY -id LIMIT $3`,
  '$5::text IS NULL OR row.state = $5',
  { examined: '$3', returned: '$4' },
);
const COLUMNS = 'd.id, d.event, d.event_id, d.state, d.status_code, d.duration_ms, d.attempt, d.reason, d.created_at';

/** Bodies on one page at most, in bytes; a page has at least one delivery. */
const PAGE_BYTES = 1024 * 1024;
/** Test events of one webhook that wait. */
const TESTS_WAITING = 20;

/** What became of events, for people; and deliveries that they ask for. */
@Injectable()
export class DeliveryLogStore {
  constructor(private readonly db: Database) {}

  /** The newest first; null when the business has no such webhook. */
  async list(request: RequestOf<typeof ListDeliveries>): Promise<ReplyOf<typeof ListDeliveries> | null> {
    const { business_id, webhook_id, limit, cursor, state } = request;
    readCursor(cursor, ['id']);
    const reads = this.db.reads(business_id);
    const [known] = await reads.query('SELECT id FROM dispatch.webhooks WHERE business_id = $1 AND id = $2', [business_id, webhook_id]);
    if (!known) return null;
    const found = await filteredPage<LogRow & Examined & { bytes: number }>(
      limit,
      cursor,
      (look) => reads.query(LIST, [webhook_id, readCursor(look.cursor, ['id'])?.[0] ?? null, look.examined, look.returned, state]),
      ({ id }) => [id],
    );
    const { page, next_cursor } = pageOf(found.page, fitting(found.page), ({ id }) => [id]);
    const rows = await reads.query<Sent>('SELECT id, body, request FROM dispatch.deliveries WHERE id = ANY ($1::bigint[])', [
      page.map(({ id }) => id),
    ]);
    const sent = new Map(rows.map((row) => [row.id, row]));
    return {
      deliveries: page.flatMap((row) => {
        const { body, request: out } = sent.get(row.id) ?? { body: null, request: null };
        // Deleted meanwhile, because of its age.
        if (body === null) return [];
        return [{ ...record(row), payload: JSON.parse(body) as unknown, ...(out && { request: { ...out, body } }) }];
      }),
      next_cursor: next_cursor ?? found.next_cursor,
    };
  }

  async ofEvent(businessId: number, eventId: string): Promise<ReplyOf<typeof FindDeliveries>['deliveries']> {
    const rows = await this.db.reads(businessId).query<LogRow & { webhook_id: string; webhook_name: string }>(
      `SELECT ${COLUMNS}, w.id AS webhook_id, w.name AS webhook_name FROM dispatch.webhooks w
       JOIN dispatch.deliveries d ON d.webhook_id = w.id AND d.event_id = $2 WHERE w.business_id = $1 ORDER BY d.id`,
      [businessId, eventId],
    );
    return rows.map((row) => ({ ...record(row), webhook_id: Number(row.webhook_id), webhook_name: row.webhook_name }));
  }

  /** @returns the states of the delivery and its webhook before; null for an unknown one. It is due again when both allow it. */
  async redeliver(request: {
    business_id: number;
    webhook_id: number;
    delivery_id: number;
  }): Promise<{ state: State; is_active: boolean } | null> {
    const { business_id, webhook_id, delivery_id } = request;
    return this.db.transaction(async (tx) => {
      // Locked in the order of all statements: the webhook, the lane, the delivery.
      const [webhook] = await tx.query<{ is_active: boolean }>(
        'SELECT is_active FROM dispatch.webhooks WHERE business_id = $1 AND id = $2 FOR KEY SHARE',
        [business_id, webhook_id],
      );
      const find = 'SELECT state, ordering_key, lost_workers FROM dispatch.deliveries WHERE webhook_id = $1 AND id = $2';
      const values = [webhook_id, delivery_id];
      const [found] = await tx.query<{ state: State; ordering_key: string; lost_workers: number }>(find, values);
      if (!webhook || !found) return null;
      if (!webhook.is_active || isOpen(found.state)) return { ...webhook, state: found.state };
      await this.enter(tx, { business_id, webhook_id, ordering_key: found.ordering_key, suspect: found.lost_workers > 1 });
      const again = await tx.query(
        `UPDATE dispatch.deliveries SET state = 'pending', waits = true, by_hand = true, status_code = NULL, duration_ms = NULL, reason = NULL,
           finished_at = NULL, request = NULL, lost_workers = least(lost_workers, 2)
         WHERE webhook_id = $1 AND id = $2 AND ${onRow(`state NOT IN ('pending', 'running')`)} RETURNING id`,
        values,
      );
      // Somebody else redelivered it since it was read.
      if (again.length === 0) throw new GatewayError('CONFLICT', UNDER_WAY);
      return { ...webhook, state: found.state };
    });
  }

  /** Counts one more open delivery of a lane, within the transaction that makes it wait. */
  private async enter(
    tx: Tx,
    {
      business_id,
      webhook_id,
      ordering_key,
      suspect = false,
    }: { business_id: number; webhook_id: number; ordering_key: string; suspect?: boolean },
  ): Promise<void> {
    await tx.query(
      `INSERT INTO dispatch.lanes AS l (business_id, webhook_id, ordering_key, open, suspect) VALUES ($1, $2, $3, 1, $4)
       ON CONFLICT (webhook_id, ordering_key) DO UPDATE SET open = l.open + 1, suspect = l.suspect OR excluded.suspect`,
      [business_id, webhook_id, ordering_key, suspect],
    );
  }

  async webhook(businessId: number, id: number): Promise<{ events: string[]; is_active: boolean } | null> {
    const sql = 'SELECT events, is_active FROM dispatch.webhooks WHERE business_id = $1 AND id = $2';
    return (await this.db.query<{ events: string[]; is_active: boolean }>(sql, [businessId, id]))[0] ?? null;
  }

  async addByHand(delivery: { business_id: number; webhook_id: number; event: string; event_id: string; body: string }): Promise<number> {
    const { business_id, webhook_id, event, event_id, body } = delivery;
    return this.db.transaction(async (tx) => {
      await tx.query('SELECT FROM dispatch.webhooks WHERE id = $1 FOR KEY SHARE', [webhook_id]);
      const tests = await tx.query(
        `SELECT FROM dispatch.lanes WHERE webhook_id = $1 AND ordering_key >= 'test:' AND ordering_key < 'test;' LIMIT ${TESTS_WAITING}`,
        [webhook_id],
      );
      if (tests.length === TESTS_WAITING)
        throw new GatewayError(
          'CONFLICT',
          `${TESTS_WAITING} test events of this webhook are waiting. Try again when they have been delivered.`,
        );
      await this.enter(tx, { business_id, webhook_id, ordering_key: event_id });
      const [row] = await tx.query<{ id: string }>(
        `INSERT INTO dispatch.deliveries (webhook_id, business_id, event, event_id, ordering_key, body, traceparent, state, waits, by_hand)
         VALUES ($1, $2, $3, $4, $4, $5, $6, 'pending', true, true) RETURNING id`,
        [webhook_id, business_id, event, event_id, body, activeTraceparent() ?? null],
      );
      return Number(row?.id);
    });
  }
}

/** Refuses the redelivery of a delivery whose attempt still runs. */
export const UNDER_WAY = 'This delivery is under way.';

function isOpen(state: State): boolean {
  return state === 'pending' || state === 'running';
}

/** @returns how many of these deliveries fit on a page by their bytes */
function fitting(rows: { bytes: number }[]): number {
  let bytes = 0;
  const first = rows.findIndex((row) => (bytes += row.bytes) > PAGE_BYTES);
  return first === -1 ? rows.length : Math.max(1, first);
}

function record({ id, event, event_id, state, status_code, duration_ms, attempt, reason, created_at }: LogRow) {
  return {
    id: Number(id),
    event,
    event_id,
    state,
    response_code: status_code,
    duration_ms,
    attempts: attempt,
    reason,
    created_at: created_at.toISOString(),
  };
}
