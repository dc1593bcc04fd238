import { Injectable } from '@nestjs/common';
import {
  GatewayError,
  type DeliveryRecord,
  type FindDeliveries,
  type GetDelivery,
  type ListDeliveries,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { countFitting, Database, examine, filteredPage, onRow, pageOf, readCursor, type Examined, type Tx } from '@mgw/postgres';
import { activeTraceparent } from '@mgw/telemetry';
import { webhookNotFound } from '../webhooks/webhook-errors';
import { SUSPECT_AFTER } from './attempt';
import { RECOVERY_LANE } from './recovery-lane';

type State = ResponseOf<typeof ListDeliveries>['deliveries'][number]['state'];
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

/** Read for the deliveries of a page only, because bodies may be large. */
interface SentRow {
  id: string;
  body: string;
  response_body: string | null;
  request: { url: string; headers: Record<string, string> } | null;
}

/** SQL: the ids that a period can have. A row gets its id and its time at most a deadline apart, far less than this margin. */
const MARGIN = `interval '1 minute'`;
export const oldestId = (from: string) => `CASE WHEN ${from}::timestamptz IS NULL THEN 0 ELSE
    (SELECT id FROM dispatch.deliveries WHERE created_at >= ${from}::timestamptz - ${MARGIN} ORDER BY created_at LIMIT 1) END`;
export const newestId = (to: string) => `CASE WHEN ${to}::timestamptz IS NULL THEN 9223372036854775806 ELSE
    (SELECT id FROM dispatch.deliveries WHERE created_at <= ${to}::timestamptz + ${MARGIN} ORDER BY created_at DESC LIMIT 1) END`;
const LIST = examine(
  `SELECT id, event, event_id, state, status_code, duration_ms, attempt, reason, created_at,
     octet_length(body) + coalesce(octet_length(response_body), 0) AS bytes FROM dispatch.deliveries
   WHERE webhook_id = $1 AND -id > -coalesce($2::bigint, 9223372036854775807) AND -id <= -(${oldestId('$7')}) AND -id >= -(${newestId('$8')})
   ORDER BY -id LIMIT $3`,
  `($5::text IS NULL OR row.state = $5) AND ($6::text IS NULL OR row.event = $6)
     AND ($7::timestamptz IS NULL OR row.created_at >= $7) AND ($8::timestamptz IS NULL OR date_trunc('milliseconds', row.created_at) <= $8)`,
  { examined: '$3', returned: '$4' },
);
const SENT = 'd.body, d.response_body, d.request';
const COLUMNS = 'd.id, d.event, d.event_id, d.state, d.status_code, d.duration_ms, d.attempt, d.reason, d.created_at';

/** SQL: what makes an ended delivery wait again because a person requested it. */
export const WAITING_AGAIN = `state = 'pending', queued = true, manual = true, status_code = NULL, duration_ms = NULL, reason = NULL,
  response_body = NULL, finished_at = NULL, request = NULL`;

/** Maximum bytes of bodies on one page; a page always has at least one delivery. */
const PAGE_BYTES = 1024 * 1024;
/** Test events of one webhook that have not ended. */
const MAX_TESTS = 20;

/** The delivery log, and the deliveries that people request. */
@Injectable()
export class DeliveryLogStore {
  constructor(private readonly db: Database) {}

  /** @returns the newest first; null when the business has no such webhook */
  async list(request: RequestOf<typeof ListDeliveries>): Promise<ResponseOf<typeof ListDeliveries> | null> {
    const { business_id, webhook_id, limit, cursor, state, event = null, from = null, to = null } = request;
    readCursor(cursor, ['id']);
    const reads = this.db.reads(business_id);
    const [known] = await reads.query('SELECT id FROM dispatch.webhooks WHERE business_id = $1 AND id = $2', [business_id, webhook_id]);
    if (!known) return null;
    const found = await filteredPage<LogRow & Examined & { bytes: number }>(
      limit,
      cursor,
      ({ cursor, examined, returned }) =>
        reads.query(LIST, [webhook_id, readCursor(cursor, ['id'])?.[0] ?? null, examined, returned, state, event, from, to]),
      ({ id }) => [id],
    );
    const { page, next_cursor } = pageOf(
      found.page,
      countFitting(found.page, PAGE_BYTES, ({ bytes }) => bytes),
      ({ id }) => [id],
    );
    const rows = await reads.query<SentRow>(`SELECT d.id, ${SENT} FROM dispatch.deliveries d WHERE d.id = ANY ($1::bigint[])`, [
      page.map(({ id }) => id),
    ]);
    const sent = new Map(rows.map((row) => [row.id, row]));
    return {
      deliveries: page.flatMap((row) => {
        const content = sent.get(row.id);
        // It expired since the first statement.
        return content ? [shownRecord(row, content)] : [];
      }),
      next_cursor: next_cursor ?? found.next_cursor,
    };
  }

  /** @returns null when the webhook of this business has no such delivery */
  async find({ business_id, webhook_id, delivery_id }: RequestOf<typeof GetDelivery>): Promise<DeliveryRecord | null> {
    const [row] = await this.db.reads(business_id).query<LogRow & SentRow>(
      `SELECT ${COLUMNS}, ${SENT} FROM dispatch.webhooks w JOIN dispatch.deliveries d ON d.webhook_id = w.id
         WHERE d.id = $1 AND w.id = $2 AND w.business_id = $3`,
      [delivery_id, webhook_id, business_id],
    );
    return row ? shownRecord(row, row) : null;
  }

  async byEvents(businessId: number, eventIds: string[]): Promise<ResponseOf<typeof FindDeliveries>['deliveries']> {
    const rows = await this.db.reads(businessId).query<LogRow & { webhook_id: string; webhook_name: string }>(
      `SELECT ${COLUMNS}, w.id AS webhook_id, w.name AS webhook_name FROM dispatch.webhooks w
       JOIN dispatch.deliveries d ON d.webhook_id = w.id AND d.event_id = ANY ($2::text[]) WHERE w.business_id = $1 ORDER BY d.id`,
      [businessId, eventIds],
    );
    return rows.map((row) => ({ ...recordOf(row), webhook_id: Number(row.webhook_id), webhook_name: row.webhook_name }));
  }

  /**
   * Makes a delivery due again if it has ended and its webhook is active.
   * @returns the states of both before; null when the delivery is unknown
   */
  async redeliver(request: {
    business_id: number;
    webhook_id: number;
    delivery_id: number;
  }): Promise<{ state: State; is_active: boolean } | null> {
    const { business_id, webhook_id, delivery_id } = request;
    return this.db.transaction(async (tx) => {
      // The lock order of all statements: the webhook, the lane, the delivery.
      const [webhook] = await tx.query<{ is_active: boolean }>(
        'SELECT is_active FROM dispatch.webhooks WHERE business_id = $1 AND id = $2 FOR KEY SHARE',
        [business_id, webhook_id],
      );
      const find = 'SELECT state, ordering_key, event_id FROM dispatch.deliveries WHERE webhook_id = $1 AND id = $2';
      const values = [webhook_id, delivery_id];
      const [found] = await tx.query<{ state: State; ordering_key: string; event_id: string }>(find, values);
      if (!webhook || !found) return null;
      if (!webhook.is_active || isOpen(found.state)) return { ...webhook, state: found.state };
      // A delivery keeps the lane of its recovery, which may run again.
      const ordering_key = found.ordering_key === RECOVERY_LANE ? found.event_id : found.ordering_key;
      await this.openLane(tx, { business_id, webhook_id, ordering_key });
      const again = await tx.query(
        `UPDATE dispatch.deliveries SET ${WAITING_AGAIN}, ordering_key = $3, lost_workers = least(lost_workers, ${SUSPECT_AFTER})
         WHERE webhook_id = $1 AND id = $2 AND ${onRow(`state NOT IN ('pending', 'running')`)} RETURNING id`,
        [...values, ordering_key],
      );
      // Another request redelivered it since it was read.
      if (again.length === 0) throw new GatewayError('CONFLICT', IN_PROGRESS);
      return { ...webhook, state: found.state };
    });
  }

  /** Counts one more open delivery of a lane, in the transaction that makes it wait. */
  private async openLane(
    tx: Tx,
    { business_id, webhook_id, ordering_key }: { business_id: number; webhook_id: number; ordering_key: string },
  ): Promise<void> {
    await tx.query(
      `INSERT INTO dispatch.lanes AS l (business_id, webhook_id, ordering_key, open) VALUES ($1, $2, $3, 1)
       ON CONFLICT (webhook_id, ordering_key) DO UPDATE SET open = l.open + 1`,
      [business_id, webhook_id, ordering_key],
    );
  }

  async webhook(businessId: number, id: number): Promise<{ events: string[]; is_active: boolean } | null> {
    const sql = 'SELECT events, is_active FROM dispatch.webhooks WHERE business_id = $1 AND id = $2';
    return (await this.db.query<{ events: string[]; is_active: boolean }>(sql, [businessId, id]))[0] ?? null;
  }

  /**
   * Stores the delivery of a test event.
   * @returns its id
   * @throws GatewayError NOT_FOUND; CONFLICT when too many test events of the webhook wait
   */
  async addTestEvent(delivery: {
    business_id: number;
    webhook_id: number;
    event: string;
    event_id: string;
    body: string;
  }): Promise<number> {
    const { business_id, webhook_id, event, event_id, body } = delivery;
    return this.db.transaction(async (tx) => {
      // One test event at a time counts the waiting ones. This lock does not block other events.
      const known = await tx.query('SELECT FROM dispatch.webhooks WHERE id = $1 FOR NO KEY UPDATE', [webhook_id]);
      if (known.length === 0) throw webhookNotFound();
      const tests = await tx.query(
        `SELECT FROM dispatch.lanes WHERE webhook_id = $1 AND ordering_key >= 'test:' AND ordering_key < 'test;' LIMIT ${MAX_TESTS}`,
        [webhook_id],
      );
      if (tests.length === MAX_TESTS)
        throw new GatewayError(
          'CONFLICT',
          `${MAX_TESTS} test events of this webhook are waiting. Try again when they have been delivered.`,
        );
      await this.openLane(tx, { business_id, webhook_id, ordering_key: event_id });
      const [row] = await tx.query<{ id: string }>(
        `INSERT INTO dispatch.deliveries (webhook_id, business_id, event, event_id, ordering_key, body, traceparent, state, queued, manual)
         VALUES ($1, $2, $3, $4, $4, $5, $6, 'pending', true, true) RETURNING id`,
        [webhook_id, business_id, event, event_id, body, activeTraceparent() ?? null],
      );
      return Number(row?.id);
    });
  }
}

/** Refuses the redelivery of a delivery that has not ended. */
export const IN_PROGRESS = 'This delivery is in progress. Redeliver it after it has ended.';

function isOpen(state: State): boolean {
  return state === 'pending' || state === 'running';
}

function shownRecord(row: LogRow, { body, response_body, request }: SentRow): DeliveryRecord {
  return {
    ...recordOf(row),
    payload: JSON.parse(body) as unknown,
    ...(request && { request: { ...request, body } }),
    ...(response_body !== null && { response_body }),
  };
}

function recordOf({ id, event, event_id, state, status_code, duration_ms, attempt, reason, created_at }: LogRow) {
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
