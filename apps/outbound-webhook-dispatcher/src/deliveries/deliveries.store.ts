import { Injectable } from '@nestjs/common';
import { WebhookFailing, type EventEnvelope } from '@mgw/contracts';
import { isWorkerAlive, traceparentOf } from '@mgw/events';
import { Database, hadNoTurn, isoTime, onRow, RowSet } from '@mgw/postgres';
import { OPT_IN } from '../feed/opt-in-events';
import { MAX_WEBHOOKS } from '../webhooks/webhooks.store';
import { SET_ASIDE_AFTER, SUSPECT_AFTER, type Attempt, type AttemptEnd } from './attempt';
import { admission, lanesConsidered, WEBHOOKS_CONSIDERED, type Capacity } from './capacity';
import { publicBody } from './public-body';
import { dueSince, RECOVERY_LANE } from './recovery-lane';

export interface Expansion {
  claimed: Attempt[];
  /** Whether some of the events joined the backlog, or all must because there is one. */
  backlog: boolean;
  /** Whether a delivery waits for a claim. */
  due: boolean;
  /** Whether one of them may have room. */
  urgent: boolean;
}

/** Lanes after attempts have ended. */
export interface Freed {
  /** Indexes of the ends that were left out, because another transaction holds their webhooks or lanes. */
  held: number[];
  /** Whether the next delivery of one of their conversations may begin. */
  continues: boolean;
  /** Whether any lane is due, including one that waited for capacity. */
  due: boolean;
  /** Whether a webhook is reported as failing. */
  published: boolean;
}

type Claimed = Omit<Attempt, 'worker' | 'body' | 'claimedAt'>;
/** An attempt that an expansion has claimed. */
type Begun = Omit<Claimed, 'bytes' | 'manual' | 'lost_workers'>;

/**
 * SQL: a worker may claim only while it is alive by the database's clock, because its process may have been suspended since it sent the
 * statement.
 */
const alive = (worker: string) => `alive AS MATERIALIZED (SELECT WHERE ${isWorkerAlive('dispatch', worker)})`;

/** SQL: the replaced secret of a webhook while it still signs. */
const oldSecret = (webhook: string) =>
  `(SELECT o.secret_sealed FROM dispatch.old_secrets o WHERE o.webhook_id = ${webhook} AND o.valid_until > now()) AS old_secret_sealed`;

/** SQL: locks lanes one by one, because PostgreSQL may plan a join that compares each with the whole table. */
const LOCKED = `locked AS (
    SELECT a.* FROM admitted a CROSS JOIN LATERAL (
      SELECT FROM dispatch.lanes l
      WHERE l.webhook_id = a.webhook_id AND l.ordering_key = a.ordering_key AND ${onRow('l.worker IS NULL')} FOR UPDATE SKIP LOCKED
    ) free
  )`;

/** SQL: begins the attempts of locked lanes. @param which condition on a locked lane */
const begin = (which: string) => `begun AS (
    -- If another worker has delivered it since the snapshot, its lane stays as it is.
    UPDATE dispatch.deliveries d SET state = 'running', queued = false, attempt = d.attempt + 1
    FROM locked WHERE d.id = locked.id AND ${which} AND ${onRow('d.queued')}
    RETURNING d.id, d.webhook_id, d.business_id, locked.ordering_key, d.event_id, d.body, locked.bytes, d.attempt, locked.url,
              locked.secret_sealed, ${oldSecret('d.webhook_id')}, d.traceparent, d.manual, d.lost_workers, d.seq, d.previous_seq
  ), claimed AS (
    UPDATE dispatch.lanes l SET worker = $1, delivery_id = begun.id
    FROM begun WHERE l.webhook_id = begun.webhook_id AND l.ordering_key = begun.ordering_key
  )
  SELECT * FROM begun`;

/** SQL: the first delivery that waits in lane \`l\`. */
const FIRST = `CROSS JOIN LATERAL (
    SELECT d.id, octet_length(d.body) AS bytes, d.lost_workers FROM dispatch.deliveries d
    WHERE d.queued AND d.webhook_id = l.webhook_id AND d.ordering_key COLLATE "C" = l.ordering_key
    ORDER BY d.webhook_id, d.ordering_key COLLATE "C", d.id LIMIT 1
  ) first`;

/**
 * SQL: numbers the fresh events of each business that has a feed, or a webhook to begin one with, keeps them in the feed, and moves each
 * webhook's newest number on (decision 282). An opt-in event counts while it is wanted (decision 350). The upserts lock rows in order, and
 * continue from the newest numbers even if another replica has committed since the snapshot.
 */
const NUMBERED = `counted AS MATERIALIZED (
    SELECT e.* FROM e
    WHERE (EXISTS (SELECT FROM dispatch.feeds known WHERE known.business_id = e.business_id OFFSET 0)
           OR EXISTS (SELECT FROM dispatch.webhooks w WHERE w.business_id = e.business_id OFFSET 0))
      AND (e.type <> ALL (${OPT_IN}) OR e.event_id IN (SELECT event_id FROM wanted)
           OR EXISTS (SELECT FROM dispatch.feed_types t WHERE t.business_id = e.business_id AND t.event = e.type AND t.wanted_until > now()))
  ), feed AS (
    INSERT INTO dispatch.feeds AS f (business_id, last_seq)
    SELECT business_id, count(*) FROM counted GROUP BY business_id ORDER BY business_id
    ON CONFLICT (business_id) DO UPDATE SET last_seq = f.last_seq + excluded.last_seq
    RETURNING business_id, last_seq
  ), entry AS MATERIALIZED (
    SELECT c.business_id, c.event_id, c.type, c.body,
           feed.last_seq + 1 - row_number() OVER (PARTITION BY business_id ORDER BY c.nth DESC) AS seq
    FROM counted c JOIN feed USING (business_id)
  ), kept AS (
    INSERT INTO dispatch.feed_events (business_id, seq, event_id, event, body)
    SELECT business_id, seq, event_id, type, body FROM entry
  ), position AS (
    INSERT INTO dispatch.feed_positions AS p (webhook_id, seq)
    SELECT webhook_id, max(seq) FROM wanted JOIN entry USING (event_id) GROUP BY webhook_id ORDER BY webhook_id
    ON CONFLICT (webhook_id) DO UPDATE SET previous_seq = p.seq, seq = excluded.seq
    RETURNING webhook_id, previous_seq
  )`;

/** Consecutive failures that `webhook.failing` reports. */
const REPORTED_FAILURES = [1, 2, 3, 4, 5, 6, 7].flatMap((digits) => [10 ** digits, 5 * 10 ** digits]);

/**
 * SQL: writes `webhook.failing` for the counted webhooks that reached a reported count, if another webhook or the feed of the business wants
 * it (decision 367). It is part of the statement that counts, so the event commits with the count.
 */
const FAILING = `INSERT INTO dispatch.outbox (event_id, subject, ordering_key, body)
         SELECT id, '${WebhookFailing.subject}', key, row_to_json(event)
         FROM (
           SELECT '${WebhookFailing.type}:' || gen_random_uuid() AS id, '${WebhookFailing.type}' AS type,
                  ${isoTime('clock_timestamp()')} AS at, c.business_id, 'webhook:' || c.id AS key,
                  (SELECT row_to_json(data) FROM (SELECT c.id AS webhook_id, c.name, reached AS fail_count,
                                                         c.last_failure_code AS last_response_code, c.last_failure_reason AS reason,
                                                         c.business_id) data) AS data
           FROM counted c JOIN unnest(ARRAY[${REPORTED_FAILURES.join(', ')}]) AS reached ON c.count_before < reached AND reached <= c.fail_count
           WHERE EXISTS (SELECT FROM dispatch.webhooks o WHERE o.business_id = c.business_id AND o.id <> c.id
                         AND '${WebhookFailing.type}' = ANY (o.events))
              OR EXISTS (SELECT FROM dispatch.feed_types t WHERE t.business_id = c.business_id AND t.event = '${WebhookFailing.type}'
                         AND t.wanted_until > now())
           ORDER BY c.id, reached
         ) event RETURNING event_id`;

/** An event as the feed and its deliveries store it. */
export interface StoredEvent {
  business_id: number | string;
  event_id: string;
  type: string;
  ordering_key: string;
  body: string;
  traceparent: string | null;
  /** Units of the events of its business that come before it in the same statement; see `UNIT_BYTES`. */
  units_ahead: number;
}

const EVENTS = new RowSet<StoredEvent>(
  {
    business_id: ['bigint', ({ business_id }) => business_id],
    event_id: ['text', ({ event_id }) => event_id],
    type: ['text', ({ type }) => type],
    ordering_key: ['text', ({ ordering_key }) => ordering_key],
    body: ['text', ({ body }) => body],
    traceparent: ['text', ({ traceparent }) => traceparent],
    units_ahead: ['integer', ({ units_ahead }) => units_ahead],
  },
  2,
);

/** An event counts one unit for each of these bytes that it begins. */
const UNIT_BYTES = 4096;
/** Deliveries of one business that one statement makes, in units: an event begins while those before it are fewer. */
const DELIVERIES_AT_ONCE = 512;
/** With these, a batch of events, up to 128 of them or 512 kB, is no more than one statement makes. */
const FEW_WEBHOOKS = 4;
/** How long a business that adds webhooks may still count as one with few, in milliseconds. */
const MANY_WEBHOOKS_FOR_MS = 5_000;
/** SQL: how many webhooks a business has. */
const webhooksOf = (business: string) => `(SELECT count(*) FROM dispatch.webhooks w WHERE w.business_id = ${business})`;

/** SQL: stores which events are new. Sorted, so that two replicas with the same events wait for each other instead of deadlocking. */
const fresh = (condition: string) => `fresh AS (
    INSERT INTO dispatch.inbox (consumer, event_id)
    SELECT 'outbound-webhook-dispatcher', event_id FROM unnest(${EVENTS.list('event_id')}::text[]) AS event_id WHERE ${condition} ORDER BY event_id
    ON CONFLICT DO NOTHING RETURNING event_id
  )`;

/** SQL: takes new events, once each, unless there is a backlog. */
const NEW = `backlog AS MATERIALIZED (
    SELECT FROM dispatch.backlog ORDER BY business_id, id LIMIT 1
  ), ${fresh('NOT EXISTS (SELECT FROM backlog)')}, e AS MATERIALIZED (
    SELECT n.* FROM ${EVENTS.from('n', 'nth')} JOIN fresh USING (event_id)
  )`;
/**
 * SQL: takes new events, once each. Those of a business that has a backlog, or more deliveries than one statement makes, join the backlog, so
 * that the events of others do not wait for all of them (decision 804).
 */
const NEW_IN_PART = `${fresh('true')}, backlog AS MATERIALIZED (
    INSERT INTO dispatch.backlog (business_id, event_id, event, ordering_key, body, traceparent)
    SELECT n.business_id, n.event_id, n.type, n.ordering_key, n.body, n.traceparent
    FROM ${EVENTS.from('n', 'nth')} JOIN fresh USING (event_id)
    WHERE EXISTS (SELECT FROM dispatch.backlog b WHERE b.business_id = n.business_id OFFSET 0)
       OR n.units_ahead > 0 AND n.units_ahead * ${webhooksOf('n.business_id')} >= ${DELIVERIES_AT_ONCE}
    ORDER BY n.nth RETURNING event_id
  ), e AS MATERIALIZED (
    SELECT n.* FROM ${EVENTS.from('n', 'nth')} JOIN fresh USING (event_id) WHERE event_id NOT IN (SELECT event_id FROM backlog)
  )`;
/** SQL: takes events of the backlog. Another replica that has read the same ones waits, and gets none. */
const BACKLOG = `fresh AS (
    DELETE FROM dispatch.backlog b
    USING (SELECT business_id, id FROM dispatch.backlog
           WHERE business_id = ${EVENTS.at('business_id', '1')} AND event_id = ANY (${EVENTS.list('event_id')}::text[]) ORDER BY id FOR UPDATE) own
    WHERE b.business_id = own.business_id AND b.id = own.id RETURNING b.event_id
  ), backlog AS MATERIALIZED (
    SELECT WHERE false
  ), e AS MATERIALIZED (
    SELECT n.* FROM ${EVENTS.from('n', 'nth')} JOIN fresh USING (event_id)
  )`;
const ENDS = new RowSet<{ attempt: Attempt; end: AttemptEnd }>({
  id: ['bigint', ({ attempt }) => attempt.id],
  attempt: ['integer', ({ attempt }) => attempt.attempt],
  state: ['text', ({ end }) => (end.succeeded ? 'succeeded' : 'failed')],
  status_code: ['integer', ({ end }) => end.statusCode],
  reason: ['text', ({ end }) => end.reason],
  duration_ms: ['integer', ({ end }) => end.durationMs],
  response_body: ['text', ({ end }) => end.responseBody],
  webhook_id: ['bigint', ({ attempt }) => attempt.webhook_id],
  ordering_key: ['text', ({ attempt }) => attempt.ordering_key],
});

/** Longest wait of the ends of attempts for a webhook or lane that another transaction holds, in milliseconds. */
const LOCK_WITHIN_MS = 200;

/** SQL: the numbers of the ends that still hold their lanes, which this statement could not lock. */
const HELD = `ARRAY (
    SELECT n.nth FROM n CROSS JOIN LATERAL (
      SELECT FROM dispatch.lanes l WHERE l.webhook_id = n.webhook_id AND l.ordering_key = n.ordering_key AND l.delivery_id = n.id
    ) own
    WHERE NOT EXISTS (SELECT FROM lane WHERE lane.delivery_id = n.id)
  )`;

/**
 * Deliveries, and the lanes in which they wait. Every statement locks webhooks first, then lanes by key, then deliveries, so that no two
 * deadlock.
 */
@Injectable()
export class DeliveriesStore {
  /** Businesses with more than a few webhooks, as they were when they were read. */
  private manyWebhooks = { readAt: -Infinity, businesses: new Set<number>() };

  constructor(private readonly db: Database) {}

  /**
   * Makes a delivery of each new event for each subscribed webhook, or adds the event to the backlog.
   * @param worker if undefined, nothing is claimed
   */
  async expand(events: EventEnvelope[], capacity: Capacity, worker: string | undefined): Promise<Expansion> {
    const unitsAhead = new Map<number, number>();
    const once = new Map(events.map((event) => [event.id, event])).values();
    const stored = [...once].map((event) => {
      const { business_id, id: event_id, type, key: ordering_key } = event;
      const body = publicBody(event);
      const units_ahead = unitsAhead.get(business_id) ?? 0;
      unitsAhead.set(business_id, units_ahead + Math.ceil(Buffer.byteLength(body) / UNIT_BYTES));
      return { business_id, event_id, type, ordering_key, body, traceparent: traceparentOf(event) ?? null, units_ahead };
    });
    // Two statements, because PostgreSQL prepares each part of a statement, used or not: the second one takes a fifth longer for one event.
    if (!(await this.mayBeMany(stored))) {
      const expansion = await this.makeDeliveries(NEW, stored, capacity, worker);
      if (!expansion.backlog) return expansion;
    }
    return this.makeDeliveries(NEW_IN_PART, stored, capacity, worker);
  }

  /** Whether one statement might make more deliveries of a business than it should. */
  private async mayBeMany(events: StoredEvent[]): Promise<boolean> {
    const many = events.filter(({ units_ahead }) => units_ahead * MAX_WEBHOOKS >= DELIVERIES_AT_ONCE);
    if (many.length === 0) return false;
    if (performance.now() - this.manyWebhooks.readAt > MANY_WEBHOOKS_FOR_MS) {
      const rows = await this.db.query<{ business_id: string }>(
        'SELECT business_id FROM dispatch.webhooks GROUP BY business_id HAVING count(*) > $1',
        [FEW_WEBHOOKS],
      );
      this.manyWebhooks = { readAt: performance.now(), businesses: new Set(rows.map(({ business_id }) => Number(business_id))) };
    }
    return many.some(({ business_id }) => this.manyWebhooks.businesses.has(Number(business_id)));
  }

  /** The first events of the next business in the backlog, as many as one statement expands. @param after the business before it */
  nextOfBacklog(after: string): Promise<(StoredEvent & { business_id: string })[]> {
    return this.db.query<StoredEvent & { business_id: string }>(
      `SELECT b.business_id, b.event_id, b.event AS type, b.ordering_key, b.body, b.traceparent, 0 AS units_ahead
       FROM (SELECT coalesce((SELECT business_id FROM dispatch.backlog WHERE business_id > $1 ORDER BY business_id LIMIT 1),
                             (SELECT business_id FROM dispatch.backlog ORDER BY business_id LIMIT 1)) AS business_id) turn
       CROSS JOIN LATERAL (SELECT greatest(1, ${webhooksOf('turn.business_id')}) AS webhooks) many
       CROSS JOIN LATERAL (
         SELECT first.*, sum(units) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - units AS units_ahead
         FROM (SELECT b.*, ceil(octet_length(b.body) / ${UNIT_BYTES}.0) AS units FROM dispatch.backlog b
               WHERE b.business_id = turn.business_id ORDER BY b.id LIMIT 1 + ${DELIVERIES_AT_ONCE} / webhooks) first
       ) b
       WHERE b.units_ahead * webhooks < ${DELIVERIES_AT_ONCE} ORDER BY b.id`,
      [after],
    );
  }

  /** The same as `expand` for events of the backlog. */
  expandBacklog(events: StoredEvent[], capacity: Capacity, worker: string | undefined): Promise<Expansion> {
    return this.makeDeliveries(BACKLOG, events, capacity, worker);
  }

  /**
   * Makes the deliveries of the events that it takes. It claims those at once that may begin, if they are few: their shares have room for
   * all of them, no delivery of the same webhook and conversation is open (decision 29b), and no lane of the webhook waits already.
   * `claim` takes the others.
   *
   * `OFFSET 0` keeps an EXISTS out of the joins. A plan that was made while its table was empty would compare each event with all of its rows.
   * @param taken SQL that takes the events: the expressions `backlog` and `e`
   */
  private async makeDeliveries(
    taken: string,
    events: StoredEvent[],
    { claims, direct, full, crowded }: Capacity,
    worker: string | undefined,
  ): Promise<Expansion> {
    const rows = await this.db.query<Partial<Begun> & Omit<Expansion, 'claimed'>>(
      `WITH ${alive('$1')}, ${taken}, wanted AS MATERIALIZED (
         SELECT nextval('dispatch.deliveries_id_seq') AS id, ordered.*
         FROM (SELECT e.*, w.id AS webhook_id, w.is_active, w.url, w.secret_sealed
               FROM e JOIN dispatch.webhooks w ON w.business_id = e.business_id AND e.type = ANY (w.events)
               -- The inbox keeps events for days, the log for weeks.
               WHERE NOT EXISTS (SELECT FROM dispatch.deliveries d WHERE d.event_id = e.event_id AND ${onRow('d.webhook_id = w.id')})
                 -- A failing webhook does not receive its own webhook.failing event.
                 AND e.ordering_key <> 'webhook:' || w.id
               ORDER BY e.nth, w.id FOR KEY SHARE OF w) ordered
       ), ${NUMBERED}, first AS MATERIALIZED (
         -- The first delivery of each lane. The largest body stands for its own.
         SELECT webhook_id, ordering_key, business_id, split_part(url, '/', 3) AS host, count(*) AS open, min(id) AS id,
                max(octet_length(body)) AS bytes
         FROM wanted WHERE is_active GROUP BY webhook_id, ordering_key, business_id, url
       ), candidate AS MATERIALIZED (
         SELECT id, bytes, webhook_id <> ALL ($14::bigint[]) AND business_id <> ALL ($15::bigint[]) AND host <> ALL ($16::text[]) AS has_room
         FROM first
         WHERE EXISTS (SELECT FROM alive)
           AND webhook_id <> ALL ($11::bigint[]) AND business_id <> ALL ($12::bigint[]) AND host <> ALL ($13::text[])
           AND NOT EXISTS (SELECT FROM dispatch.lanes l
                           WHERE l.worker IS NULL AND NOT l.suspect AND l.business_id = first.business_id AND l.webhook_id = first.webhook_id
                             AND l.ordering_key <> '${RECOVERY_LANE}' OFFSET 0)
           AND NOT EXISTS (SELECT FROM dispatch.lanes l
                           WHERE l.webhook_id = first.webhook_id AND l.ordering_key = first.ordering_key COLLATE "C" OFFSET 0)
       ), admitted AS MATERIALIZED (
         SELECT id FROM candidate WHERE has_room AND (SELECT count(*) <= $9 AND sum(bytes) <= $10 FROM candidate)
       ), lane AS (
         INSERT INTO dispatch.lanes AS l (webhook_id, ordering_key, business_id, open, worker, delivery_id)
         SELECT webhook_id, ordering_key, business_id, open, CASE WHEN admitted.id IS NOT NULL THEN $1 END, admitted.id
         FROM first LEFT JOIN admitted USING (id) ORDER BY webhook_id, ordering_key COLLATE "C"
         ON CONFLICT (webhook_id, ordering_key) DO UPDATE SET open = l.open + excluded.open
         RETURNING delivery_id, worker
       ), numbered AS (
         SELECT w.id, webhook_id, w.business_id, w.type, event_id, ordering_key, w.body, traceparent, is_active, entry.seq,
                coalesce(lag(entry.seq) OVER (PARTITION BY webhook_id ORDER BY entry.seq), position.previous_seq) AS previous_seq,
                w.id IN (SELECT delivery_id FROM lane WHERE delivery_id IS NOT NULL) AS begins
         FROM wanted w JOIN entry USING (event_id) JOIN position USING (webhook_id)
       ), made AS (
         INSERT INTO dispatch.deliveries
           (id, webhook_id, business_id, event, event_id, ordering_key, body, traceparent, state, queued, attempt, reason, finished_at,
            seq, previous_seq)
         SELECT id, webhook_id, business_id, type, event_id, ordering_key, body, traceparent,
                CASE WHEN begins THEN 'running' WHEN is_active THEN 'pending' ELSE 'skipped' END, is_active AND NOT begins, begins::integer,
                CASE WHEN NOT is_active THEN 'the webhook is disabled' END,
                CASE WHEN NOT is_active THEN now() END, seq, previous_seq
         FROM numbered
         RETURNING id, state, seq, previous_seq
       )
       SELECT waiting.*, begun.*
       FROM (SELECT EXISTS (SELECT FROM backlog) AS backlog,
                    EXISTS (SELECT FROM lane WHERE worker IS NULL) AS due,
                    (SELECT count(*) FROM candidate) > (SELECT count(*) FROM admitted) AS urgent) waiting
       LEFT JOIN (
         SELECT w.id, w.webhook_id, w.business_id, w.ordering_key, w.event_id, 1 AS attempt, made.seq, made.previous_seq, w.traceparent, w.url,
                w.secret_sealed, ${oldSecret('w.webhook_id')}
         FROM made JOIN wanted w ON w.id = made.id WHERE made.state = 'running'
       ) begun ON true`,
      [
        worker ?? null,
        ...EVENTS.values(events),
        direct.attempts,
        direct.bytes,
        ...[full.webhooks, full.businesses, full.hosts],
        ...[crowded.webhooks, crowded.businesses, crowded.hosts],
      ],
    );
    const bodies = new Map(events.map(({ event_id, body }) => [event_id, body]));
    const begun = rows.filter((row): row is typeof row & Begun => typeof row.id === 'string');
    const claimed = begun.map((row) => {
      const body = bodies.get(row.event_id) as string;
      const bytes = Buffer.byteLength(body);
      return { ...row, body, bytes, manual: false, worker: worker as string, lost_workers: 0, claimedAt: performance.now() };
    });
    return { claimed, backlog: rows[0]?.backlog ?? false, due: rows[0]?.due ?? false, urgent: claims > 0 && (rows[0]?.urgent ?? false) };
  }

  /**
   * Claims the first delivery of lanes that are due. The walk steps from webhook to webhook by index, and to the next business when one
   * has used up its share. It reads no delivery that waits behind another and no lane of a business without capacity. A lane whose first
   * delivery has lost two workers is marked for `claimSuspect` instead, however that delivery came to be the first.
   * @param after the business at which the last claim ended: the next ones come first
   */
  async claim({ claims, free, freeBytes, freeSlow, busy, full }: Capacity, worker: string, after: string): Promise<Attempt[]> {
    const rows = await this.db.query<Claimed & { body: string }>(
      `WITH RECURSIVE ${alive('$1')}, walk AS (
         SELECT $9::bigint AS business_id, 9223372036854775807 AS webhook_id, false AS around
         UNION ALL
         SELECT coalesce(next.business_id, 0), coalesce(next.webhook_id, 0), walk.around OR next.business_id IS NULL
         FROM walk LEFT JOIN LATERAL (
           SELECT l.business_id, l.webhook_id FROM dispatch.lanes l
           WHERE l.worker IS NULL AND NOT l.suspect AND (l.business_id, l.webhook_id) >
             (walk.business_id, CASE WHEN walk.business_id = ANY ($7::bigint[]) THEN 9223372036854775807 ELSE walk.webhook_id END)
           ORDER BY l.business_id, l.webhook_id LIMIT 1
         ) next ON true
         WHERE NOT (walk.around AND (next.business_id IS NULL OR next.business_id > $9))
       ), webhook AS MATERIALIZED (
         SELECT w.id, w.business_id, w.url, w.secret_sealed, split_part(w.url, '/', 3) AS host
         FROM walk JOIN dispatch.webhooks w ON w.id = walk.webhook_id
         WHERE ${onRow('w.is_active')} AND w.id <> ALL ($6::bigint[]) AND w.business_id <> ALL ($7::bigint[])
           AND split_part(w.url, '/', 3) <> ALL ($8::text[]) AND EXISTS (SELECT FROM alive)
         LIMIT ${WEBHOOKS_CONSIDERED}
       ), candidate AS (
         SELECT w.business_id, w.id AS webhook_id, w.url, w.secret_sealed, w.host, l.ordering_key, l.due_since AS age, first.id, first.bytes,
                first.lost_workers
         FROM webhook w CROSS JOIN LATERAL (
           SELECT l.webhook_id, l.ordering_key, l.due_since FROM dispatch.lanes l
           WHERE l.worker IS NULL AND NOT l.suspect AND l.business_id = w.business_id AND l.webhook_id = w.id
           ORDER BY l.due_since LIMIT ${lanesConsidered('w.id', '(SELECT count(*) FROM webhook)', '$5')}
         ) l ${FIRST}
       ), ${admission({ claims: '$2::integer', free: '$3::integer', freeBytes: '$4::bigint', freeSlow: '$10::integer', busy: '$5' })}, ${LOCKED}, marked AS (
         UPDATE dispatch.lanes l SET suspect = true FROM locked
         WHERE locked.lost_workers >= ${SUSPECT_AFTER} AND l.webhook_id = locked.webhook_id AND l.ordering_key = locked.ordering_key
       ), ${begin(`locked.lost_workers < ${SUSPECT_AFTER}`)}`,
      [worker, claims, free, freeBytes, JSON.stringify(busy), full.webhooks, full.businesses, full.hosts, after, freeSlow],
    );
    return rows.map((row) => ({ ...row, worker, claimedAt: performance.now() }));
  }

  /** Claims one delivery that has lost two workers, preferably of a webhook that works. */
  async claimSuspect(worker: string): Promise<Attempt[]> {
    const rows = await this.db.query<Claimed & { body: string }>(
      `WITH ${alive('$1')}, admitted AS MATERIALIZED (
         SELECT w.url, w.secret_sealed, l.webhook_id, l.ordering_key, first.id, first.bytes
         FROM dispatch.lanes l JOIN dispatch.webhooks w ON w.id = l.webhook_id AND ${onRow('w.is_active')} ${FIRST}
         WHERE l.worker IS NULL AND l.suspect AND EXISTS (SELECT FROM alive) ORDER BY w.fail_count > 0, l.due_since LIMIT 1
       ), ${LOCKED}, ${begin('true')}`,
      [worker],
    );
    return rows.map((row) => ({ ...row, worker, claimedAt: performance.now() }));
  }

  /** Stores the request for the log. */
  async storeRequest({ id, attempt }: Attempt, request: { url: string; headers: Record<string, string> }): Promise<void> {
    const sql = 'UPDATE dispatch.deliveries SET request = $3 WHERE id = $1 AND attempt = $2';
    await this.db.nonDurable.query(sql, [id, attempt, JSON.stringify(request)]);
  }

  /**
   * Ends attempts, releases their lanes and updates the webhooks' counters. A worker whose claim was taken over changes nothing (guarantees
   * §4, D4). A redelivery changes the counters only by its success (decision 746), and a test never does (decision 34).
   * A webhook that another transaction holds for longer delays no other one (decision 781).
   */
  async finish(ends: { attempt: Attempt; end: AttemptEnd }[]): Promise<Freed> {
    try {
      return await this.finishUnlocked(ends, '');
    } catch (error) {
      if (!hadNoTurn(error)) throw error;
      return this.finishUnlocked(ends, 'SKIP LOCKED');
    }
  }

  private async finishUnlocked(ends: { attempt: Attempt; end: AttemptEnd }[], skip: '' | 'SKIP LOCKED'): Promise<Freed> {
    // Most batches have no failure, and PostgreSQL prepares each part of a statement, used or not.
    const someFailed = ends.some(({ attempt, end }) => !end.succeeded && !attempt.manual);
    // If a crash of the database loses this commit, the attempt is repeated (guarantees §4, D3).
    const [row] = await this.db.nonDurable.query<Omit<Freed, 'held'> & { held: string[] }>(
      `WITH n AS MATERIALIZED (
         SELECT * FROM ${ENDS.from('n', 'nth')}
       ), limited AS MATERIALIZED (
         SELECT set_config('lock_timeout', '${LOCK_WITHIN_MS}', true)
       ), webhook AS MATERIALIZED (
         -- Changes no key, so it does not block new deliveries, which lock the webhook against its deletion.
         SELECT w.id FROM limited, dispatch.webhooks w WHERE w.id = ANY (${ENDS.list('webhook_id')}::bigint[])
         ORDER BY w.id FOR NO KEY UPDATE OF w ${skip}
       ), lane AS MATERIALIZED (
         SELECT l.webhook_id, l.ordering_key, l.delivery_id, l.open
         FROM (SELECT DISTINCT n.webhook_id, n.ordering_key COLLATE "C" AS ordering_key FROM n JOIN webhook ON webhook.id = n.webhook_id ORDER BY 1, 2) k
         CROSS JOIN LATERAL (SELECT * FROM dispatch.lanes l WHERE l.webhook_id = k.webhook_id AND l.ordering_key = k.ordering_key FOR UPDATE ${skip}) l
       ), ended AS (
         UPDATE dispatch.deliveries d SET state = n.state, status_code = n.status_code, reason = n.reason, duration_ms = n.duration_ms,
           response_body = n.response_body, finished_at = clock_timestamp(),
           -- Its worker survived. A delivery that was set aside had no attempt.
           lost_workers = CASE WHEN d.lost_workers < ${SET_ASIDE_AFTER} THEN 0 ELSE d.lost_workers END
         FROM lane JOIN n ON n.id = lane.delivery_id
         -- Matches the attempt too: after a takeover both workers' ends of one delivery may be in this batch.
         WHERE d.id = n.id AND d.attempt = n.attempt AND ${onRow(`d.state = 'running'`)}
         RETURNING d.webhook_id, lane.ordering_key, lane.open, d.state, d.manual, n.nth,
           NOT d.manual OR d.state = 'succeeded' AND d.event_id NOT LIKE 'test:%' AS counts
       ), gone AS (
         DELETE FROM dispatch.lanes l USING ended
         WHERE l.webhook_id = ended.webhook_id AND l.ordering_key = ended.ordering_key AND ended.open = 1
       ), freed AS (
         UPDATE dispatch.lanes l SET worker = NULL, delivery_id = NULL, open = l.open - 1, due_since = ${dueSince('l.ordering_key')}, suspect = false
         FROM ended WHERE l.webhook_id = ended.webhook_id AND l.ordering_key = ended.ordering_key AND ended.open > 1 RETURNING 1
       ), successes AS (
         SELECT webhook_id, coalesce(max(nth) FILTER (WHERE state = 'succeeded'), 0) AS latest FROM ended WHERE counts GROUP BY webhook_id
       ), counts AS (
         -- A success resets the count; failures after it count again (spec §3.4).
         SELECT e.webhook_id AS id, s.latest > 0 AS reset, count(*) FILTER (WHERE e.nth > s.latest) AS failures,
           max(e.nth) FILTER (WHERE e.nth > s.latest) AS last_failure, bool_or(NOT e.manual) AS triggered
         FROM ended e JOIN successes s USING (webhook_id) WHERE e.counts GROUP BY e.webhook_id, s.latest
       ), counted AS (
         UPDATE dispatch.webhooks w SET last_triggered_at = CASE WHEN c.triggered THEN clock_timestamp() ELSE w.last_triggered_at END,
           fail_count = CASE WHEN c.reset THEN 0 ELSE w.fail_count END + c.failures,
           failing_since = CASE WHEN c.failures > 0 AND (c.reset OR w.fail_count = 0) THEN clock_timestamp() WHEN NOT c.reset THEN w.failing_since END,
           last_failure_code = n.status_code, last_failure_reason = n.reason
         FROM counts c LEFT JOIN n ON n.nth = c.last_failure WHERE w.id = c.id
         RETURNING w.id, w.business_id, w.name, w.fail_count - c.failures AS count_before, w.fail_count, w.last_failure_code, w.last_failure_reason
       ), ${someFailed ? `failing AS (${FAILING}), ` : ''}hours AS (
         INSERT INTO dispatch.webhook_hours AS h (webhook_id, hour, succeeded, failed)
         SELECT webhook_id, date_trunc('hour', now(), 'UTC'), count(*) FILTER (WHERE state = 'succeeded'), count(*) FILTER (WHERE state = 'failed')
         FROM ended WHERE NOT manual GROUP BY webhook_id
         ON CONFLICT (webhook_id, hour) DO UPDATE SET succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed
       )
       SELECT EXISTS (SELECT FROM freed) AS continues,
              EXISTS (SELECT FROM dispatch.lanes l WHERE l.worker IS NULL AND NOT l.suspect ORDER BY l.business_id LIMIT 1) AS due,
              ${someFailed ? 'EXISTS (SELECT FROM failing)' : 'false'} AS published,
              ${skip === '' ? `'{}'::bigint[]` : HELD} AS held`,
      ENDS.values(ends),
    );
    if (!row) throw new Error('ending attempts returned nothing');
    return { ...row, held: row.held.map((nth) => Number(nth) - 1) };
  }
}
