import { Injectable } from '@nestjs/common';
import {
  GatewayError,
  type BroadcastRecord,
  type CheckBroadcast,
  type CreateBroadcast,
  type GetBroadcast,
  type ListBroadcasts,
  type ListRecipients,
  type PauseCause,
  type ResponseOf,
  type RequestOf,
  type valueCounts,
} from '@mgw/contracts';
import { Database, examine, filteredPage, isTimeout, pageOf, readCursor, type Examined, type Tx } from '@mgw/postgres';
import { ERASED } from '@mgw/service';
import { UNCONFIRMED } from '../running/unclear.service';

interface StoredBroadcast {
  id: string;
  name: string;
  template_name: string;
  language: string;
  status: BroadcastRecord['status'];
  total: number;
  sent: number;
  failed: number;
  unclear: number;
  created_at: Date;
  scheduled_at: Date | null;
  started_at: Date | null;
  finished_at: Date | null;
  retry_of: string | null;
  pause_cause: PauseCause | null;
}

/** The broadcast that a request with an Idempotency-Key created. */
export interface CreatedBroadcast {
  id: number;
  fingerprint: string;
}

type Recipients = ResponseOf<typeof ListRecipients>;
type RecipientRow = Omit<Recipients['recipients'][number], 'nth' | 'replied_at' | 'next_attempt_at'> &
  Examined & { place: number; replied_at: Date | null; next_attempt_at: Date | null };
type Progress = Omit<ResponseOf<typeof GetBroadcast>, 'broadcast' | 'failures'>;

/**
 * Failed recipients who cannot have the message, who did not fail because they opted out (131050 is the platform's word for that), and whom
 * no retry has taken. Those who were erased have no phone.
 */
const RETRYABLE = `state = 'failed' AND delivery IS NULL AND NOT retried AND phone <> '${ERASED}' AND reason IS DISTINCT FROM '${UNCONFIRMED}'
  AND coalesce(reason, '') NOT LIKE 'RECIPIENT\\_SUPPRESSED:%' AND coalesce(reason, '') NOT LIKE '131050:%'`;

/** A pending recipient is due later only after an attempt that sent nothing (decision 747). */
const WAITS = `state = 'pending' AND due_at > now() AND (SELECT status FROM broadcast.broadcasts WHERE id = $1) = 'running'`;

/** The message id of an unclear recipient is its `gatewayMessageId`. */
const RECIPIENTS = examine(
  `SELECT nth AS place, phone, state, reason, delivery, replied_at, CASE WHEN ${WAITS} THEN due_at END AS next_attempt_at, body_params, header_params, button_params,
     CASE WHEN state = 'unclear' THEN 'gw_' || intent_id ELSE message_id END AS message_id FROM broadcast.recipients
   WHERE broadcast_id = $1 AND nth > coalesce($2::bigint, -1) ORDER BY nth LIMIT $3`,
  `CASE coalesce($5::text, '') WHEN '' THEN true WHEN 'delivered' THEN row.state = 'sent' AND row.delivery IS NOT NULL
     WHEN 'read' THEN row.state = 'sent' AND row.delivery = 'read' WHEN 'replied' THEN row.state = 'sent' AND row.replied_at IS NOT NULL
     ELSE row.state = $5 END
   AND ($6::text IS NULL OR strpos(row.phone, $6) > 0) AND ($7::text IS NULL OR row.reason = $7)`,
  { examined: '$3', returned: '$4' },
);
const COLUMNS = `id, name, template_name, language, status, total, sent, failed, created_at, scheduled_at, started_at, finished_at, retry_of,
  CASE status WHEN 'paused' THEN pause_cause END AS pause_cause,
  (SELECT count(*) FROM broadcast.recipients r WHERE r.broadcast_id = b.id AND r.state = 'unclear')::integer AS unclear`;

/**
 * Recipients of the broadcasts that start on the day of `$2`, in the zone `$3`, and the end of that day. Adds up the people that a cancelled
 * broadcast tried to reach: counting the untried ones would read up to 20,000 rows for each. One scan counts the attempts without an outcome,
 * because PostgreSQL may read those of all broadcasts for it.
 */
const DAILY_USE = `
  WITH day AS (SELECT date_trunc('day', greatest($2::timestamptz, now()) AT TIME ZONE $3) AS starts), started AS MATERIALIZED (
    SELECT id, status, total, sent + failed AS ended FROM broadcast.broadcasts
    WHERE business_id = $1 AND greatest(scheduled_at, created_at) >= (SELECT starts FROM day) AT TIME ZONE $3
      AND greatest(scheduled_at, created_at) < ((SELECT starts FROM day) + interval '1 day') AT TIME ZONE $3
  )
  SELECT (starts + interval '1 day') AT TIME ZONE $3 AS resets_at,
    ((SELECT coalesce(sum(CASE status WHEN 'cancelled' THEN ended ELSE total END), 0) FROM started)
      + (SELECT count(*) FROM broadcast.recipients WHERE broadcast_id = ANY (ARRAY(SELECT id FROM started WHERE status = 'cancelled'))
         AND state IN ('sending', 'unclear')))::integer AS used
  FROM day`;

/** One creation of a business at a time. */
const CREATE_LOCK = `hashtextextended('broadcast.create:' || $1, 0)`;
/** Together with the wait for the lock, the wait for the turn stays below a request's deadline. */
const CREATION = { turnWithinMs: 8_000, busy: creationsBusy };
/** Longest wait for a creation of the same business on another replica. */
const LOCK_WITHIN = '3s';
const RETRY_AFTER_SECONDS = 5;

type Draft = Omit<RequestOf<typeof CreateBroadcast>, 'recipients'>;
type DailyUse = ResponseOf<typeof CheckBroadcast>['daily_limit'];

@Injectable()
export class BroadcastsStore {
  constructor(private readonly db: Database) {}

  /** Finds the broadcast that the request's Idempotency-Key created. */
  async findByKey({
    business_id,
    idempotency,
  }: Pick<RequestOf<typeof CreateBroadcast>, 'business_id' | 'idempotency'>): Promise<CreatedBroadcast | undefined> {
    if (!idempotency) return undefined;
    const [row] = await this.db.query<{ id: string; fingerprint: string }>(
      'SELECT id, creation_fingerprint AS fingerprint FROM broadcast.broadcasts WHERE business_id = $1 AND creation_key = $2',
      [business_id, idempotency.key],
    );
    return row && { ...row, id: Number(row.id) };
  }

  async dailyUse(
    request: Omit<RequestOf<typeof CheckBroadcast>, 'recipients'>,
    tx: Tx = this.db.reads(request.business_id),
  ): Promise<DailyUse> {
    const { business_id, scheduled_at, timezone, daily_limit: limit } = request;
    const [row] = await tx.query<{ used: number; resets_at: Date }>(DAILY_USE, [business_id, scheduled_at, timezone]);
    if (!row) throw new Error('a count returned no row');
    return { limit, used: row.used, left: Math.max(0, limit - row.used), resets_at: row.resets_at.toISOString() };
  }

  /**
   * Creates the broadcast with all its recipients.
   * @returns its id; null if its Idempotency-Key has already created one
   * @throws GatewayError BROADCAST_LIMIT_REACHED, RATE_LIMITED if other creations take too long
   */
  create(request: RequestOf<typeof CreateBroadcast>): Promise<number | null> {
    const { business_id, recipients } = request;
    const work = async (tx: Tx) => {
      // Two broadcasts created at once must not both pass the limit.
      await lockCreations(tx, business_id);
      const id = await this.insert(tx, request, recipients.length);
      if (id === null) return null;
      // PostgreSQL has no arrays of arrays with different lengths, so the values travel as JSON.
      await tx.query(
        `INSERT INTO broadcast.recipients (broadcast_id, nth, phone, body_params, header_params, button_params)
         SELECT $1, r.nth, r.row ->> 'phone', ARRAY(SELECT jsonb_array_elements_text(r.row -> 'body_params')),
                ARRAY(SELECT jsonb_array_elements_text(r.row -> 'header_params')),
                ARRAY(SELECT jsonb_array_elements_text(r.row -> 'button_params'))
         FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS r (row, nth)`,
        [id, JSON.stringify(recipients)],
      );
      return id;
    };
    return this.db.largeChange(business_id, work, CREATION);
  }

  /** The phones that a retry may take, apart from people who have opted out meanwhile. */
  async retryablePhones(businessId: number, id: number): Promise<string[]> {
    const sql = `SELECT phone FROM broadcast.recipients WHERE broadcast_id = $1 AND ${RETRYABLE} ORDER BY nth`;
    return (await this.db.reads(businessId).query<{ phone: string }>(sql, [id])).map(({ phone }) => phone);
  }

  /**
   * Creates a broadcast to the retryable recipients of an ended one. PostgreSQL copies them, so that they take no memory here. A recipient
   * whom a report of a status changes at the moment is left for another retry.
   * @param suppressed phones that it leaves out
   * @returns its id; null if its Idempotency-Key has already created one
   * @throws GatewayError BROADCAST_LIMIT_REACHED, RATE_LIMITED if other creations take too long, VALIDATION_FAILED if the template takes
   * other values now, CONFLICT if no recipient is left
   */
  retry(
    request: Draft,
    retryOf: number,
    { body, header, buttons }: ReturnType<typeof valueCounts>,
    suppressed: string[],
  ): Promise<number | null> {
    const taken = (parameter: string) => `${RETRYABLE} AND phone NOT IN (SELECT unnest(${parameter}::text[]))`;
    const work = async (tx: Tx) => {
      await lockCreations(tx, request.business_id);
      const [count] = await tx.query<{ total: number; wrong: number }>(
        `SELECT count(*)::integer AS total, count(*) FILTER (WHERE cardinality(body_params) NOT BETWEEN $2 AND $3
           OR cardinality(header_params) NOT BETWEEN $4 AND $5 OR cardinality(button_params) NOT BETWEEN $6 AND $7)::integer AS wrong
         FROM broadcast.recipients WHERE broadcast_id = $1 AND ${taken('$8')}`,
        [retryOf, ...body, ...header, ...buttons, suppressed],
      );
      if (!count) throw new Error('a count returned no row');
      const id = await this.insert(tx, request, count.total, retryOf);
      if (id === null) return null;
      if (count.wrong > 0) throw templateChanged(request.template_name);
      // Decision 775: it waits for no other transaction, and holds none of the locks that reports of all businesses need.
      const [copy] = await tx.query<{ total: number }>(
        `WITH found AS (
           SELECT nth FROM broadcast.recipients WHERE broadcast_id = $2 AND ${taken('$3')} ORDER BY nth LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED
         ), taken AS (
           UPDATE broadcast.recipients r SET retried = true FROM found WHERE r.broadcast_id = $2 AND r.nth = found.nth
           RETURNING r.nth, phone, body_params, header_params, button_params
         ), copied AS (
           INSERT INTO broadcast.recipients (broadcast_id, nth, phone, body_params, header_params, button_params)
           SELECT $1, row_number() OVER (ORDER BY nth), phone, body_params, header_params, button_params FROM taken RETURNING 1
         )
         UPDATE broadcast.broadcasts SET total = (SELECT count(*) FROM copied) WHERE id = $1 RETURNING total`,
        [id, retryOf, suppressed, count.total],
      );
      if (!copy?.total) throw new GatewayError('CONFLICT', 'No failed recipients are left to retry.');
      return id;
    };
    return this.db.largeChange(request.business_id, work, CREATION);
  }

  /** @returns its id; null if its Idempotency-Key has already created one @throws GatewayError BROADCAST_LIMIT_REACHED */
  private async insert(tx: Tx, request: Draft, total: number, retryOf: number | null = null): Promise<number | null> {
    const { business_id, name, template_name, language, plan, timezone, scheduled_at, idempotency, charged } = request;
    const use = await this.dailyUse(request, tx);
    const [row] = await tx.query<{ id: string }>(
      `INSERT INTO broadcast.broadcasts
         (business_id, name, template_name, language, plan, timezone, status, total, scheduled_at, creation_key, creation_fingerprint,
          api_key_id, daily_limit, retry_of)
       VALUES ($1, $2, $3, $4, $5, $6, 'scheduled', $7, $8, $9, $10, $11, $12, $13)
       ON CONFLICT (business_id, creation_key) WHERE creation_key IS NOT NULL DO NOTHING RETURNING id`,
      [
        ...[business_id, name, template_name, language, plan, timezone, total, scheduled_at],
        // Replicas of the previous version send with the daily limit of the creation.
        ...[idempotency?.key ?? null, idempotency?.fingerprint ?? null, charged?.api_key_id ?? null, charged?.daily_limit ?? null],
        retryOf,
      ],
    );
    if (row && total > use.left) throw limitReached(total, use);
    return row ? Number(row.id) : null;
  }

  async list(businessId: number, limit: number, cursor: string | null): Promise<ResponseOf<typeof ListBroadcasts>> {
    const after = readCursor(cursor, ['id']);
    const rows = await this.db.reads(businessId).query<StoredBroadcast & { waiting: number }>(
      `SELECT ${COLUMNS}, (SELECT count(*) FROM broadcast.recipients r
           WHERE r.broadcast_id = b.id AND b.status = 'running' AND r.state = 'pending' AND r.due_at > now())::integer AS waiting
         FROM broadcast.broadcasts b WHERE business_id = $1 AND -id > -coalesce($3::bigint, 9223372036854775807) ORDER BY -id LIMIT $2`,
      [businessId, limit + 1, after?.[0] ?? null],
    );
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.id]);
    return { broadcasts: page.map((row) => ({ ...record(row), waiting: row.waiting })), next_cursor };
  }

  async find(businessId: number, id: number): Promise<BroadcastRecord | null> {
    const sql = `SELECT ${COLUMNS} FROM broadcast.broadcasts b WHERE business_id = $1 AND id = $2`;
    const [row] = await this.db.reads(businessId).query<StoredBroadcast>(sql, [businessId, id]);
    return row ? record(row) : null;
  }

  async progress(businessId: number, id: number): Promise<Progress> {
    const [row] = await this.db.reads(businessId).query<Progress>(
      `SELECT count(*) FILTER (WHERE state = 'sent' AND delivery IS NOT NULL)::integer AS delivered,
         count(*) FILTER (WHERE state = 'sent' AND delivery = 'read')::integer AS read,
         count(*) FILTER (WHERE state = 'sent' AND replied_at IS NOT NULL)::integer AS replied,
         count(*) FILTER (WHERE ${RETRYABLE})::integer AS retryable, count(*) FILTER (WHERE ${WAITS})::integer AS waiting,
         count(*) FILTER (WHERE state = 'sending')::integer AS sending FROM broadcast.recipients WHERE broadcast_id = $1`,
      [id],
    );
    if (!row) throw new Error('a count returned no row');
    return row;
  }

  async failures(businessId: number, id: number): Promise<ResponseOf<typeof GetBroadcast>['failures']> {
    const rows = await this.db.reads(businessId).query<{ reason: string | null; count: string }>(
      `SELECT reason, count(*) AS count FROM broadcast.recipients WHERE broadcast_id = $1 AND state = 'failed'
       GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 20`,
      [id],
    );
    return rows.map(({ reason, count }) => ({ reason: reason ?? 'unknown', count: Number(count) }));
  }

  async recipients(request: RequestOf<typeof ListRecipients>): Promise<Recipients> {
    const { business_id, id, limit, cursor, state, phone = null, reason = null, values = false } = request;
    readCursor(cursor, ['id']);
    const { page, next_cursor } = await filteredPage<RecipientRow>(
      limit,
      cursor,
      (scan) => {
        const after = readCursor(scan.cursor, ['id'])?.[0] ?? null;
        return this.db.reads(business_id).query<RecipientRow>(RECIPIENTS, [id, after, scan.examined, scan.returned, state, phone, reason]);
      },
      ({ place }) => [place],
    );
    return {
      recipients: page.map(
        ({ place, replied_at, next_attempt_at, body_params, header_params, button_params, matches: _, nth: __, ...row }) => ({
          ...row,
          nth: place,
          replied_at: replied_at?.toISOString() ?? null,
          next_attempt_at: next_attempt_at?.toISOString() ?? null,
          ...(values && { body_params, header_params, button_params }),
        }),
      ),
      next_cursor,
      ...(values && cursor === null && { value_counts: await this.valueCounts(business_id, id) }),
    };
  }

  private async valueCounts(businessId: number, id: number): Promise<NonNullable<Recipients['value_counts']>> {
    const most = (column: string) => `coalesce(max(cardinality(${column})), 0) AS ${column}`;
    const [row] = await this.db
      .reads(businessId)
      .query<NonNullable<Recipients['value_counts']>>(
        `SELECT ${['header_params', 'body_params', 'button_params'].map(most).join(', ')} FROM broadcast.recipients WHERE broadcast_id = $1`,
        [id],
      );
    if (!row) throw new Error('a maximum returned no row');
    return row;
  }

  /** The process that runs it stops when it next renews its lease. @returns false if the broadcast is unknown or has ended */
  cancel(businessId: number, id: number): Promise<boolean> {
    return this.change(businessId, id, `status = 'cancelled', finished_at = now()`);
  }

  pause(businessId: number, id: number): Promise<boolean> {
    return this.change(businessId, id, `status = 'paused'`);
  }

  /** Ends the wait until the next recipient is due, so that a process claims the broadcast at once and its recipients show their next attempts. */
  resume(businessId: number, id: number): Promise<boolean> {
    return this.change(
      businessId,
      id,
      `status = CASE status WHEN 'paused' THEN 'scheduled' ELSE status END, pause_cause = NULL, idle_until = NULL,
       resumed_at = CASE status WHEN 'paused' THEN now() ELSE resumed_at END`,
    );
  }

  private async change(businessId: number, id: number, set: string): Promise<boolean> {
    const sql = `UPDATE broadcast.broadcasts SET ${set} WHERE business_id = $1 AND id = $2 AND finished_at IS NULL RETURNING id`;
    return (await this.db.query(sql, [businessId, id])).length > 0;
  }
}

/** Waits for creations of the business on other replicas, first come, first served. @throws GatewayError RATE_LIMITED */
async function lockCreations(tx: Tx, businessId: number): Promise<void> {
  await tx.query(`SET LOCAL lock_timeout = '${LOCK_WITHIN}'`);
  await tx.query(`SELECT pg_advisory_xact_lock(${CREATE_LOCK})`, [businessId]).catch((error: unknown) => {
    throw isTimeout(error) ? creationsBusy() : error;
  });
}

function creationsBusy(): GatewayError {
  return new GatewayError('RATE_LIMITED', 'Other broadcasts are being created. Nothing was sent; try again in a moment.', {
    retry_after_seconds: RETRY_AFTER_SECONDS,
  });
}

function templateChanged(name: string): GatewayError {
  const message = `Template "${name}" takes other values than this broadcast has. Nothing was sent; create a new broadcast.`;
  return new GatewayError('VALIDATION_FAILED', message, { details: [{ field: 'template_name', message }] });
}

function limitReached(recipients: number, { limit, used, left, resets_at }: DailyUse): GatewayError {
  const message = `The broadcast has ${recipients} recipients, and ${left} of ${limit} are left for that day. Nothing was sent.`;
  return new GatewayError('BROADCAST_LIMIT_REACHED', message, { limit, used, resets_at });
}

function record({
  id,
  name,
  template_name,
  language,
  status,
  total,
  sent,
  failed,
  unclear,
  retry_of,
  pause_cause,
  ...times
}: StoredBroadcast): BroadcastRecord {
  return {
    id: Number(id),
    name,
    template_name,
    language,
    status,
    total_recipients: total,
    sent,
    failed,
    unclear,
    pending: total - sent - failed - unclear,
    created_at: times.created_at.toISOString(),
    scheduled_at: times.scheduled_at?.toISOString() ?? null,
    started_at: times.started_at?.toISOString() ?? null,
    finished_at: times.finished_at?.toISOString() ?? null,
    retry_of: retry_of === null ? null : Number(retry_of),
    pause_cause,
  };
}
