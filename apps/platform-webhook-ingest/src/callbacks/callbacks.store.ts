import { Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import type { EventEnvelope } from '@mgw/contracts';
import { allowDirectPublish, outboxRow, unpublishedBefore, type OutboxRow } from '@mgw/events';
import { Database, RowSet, isAboutValues } from '@mgw/postgres';
import type { InvalidUpdate, Updates } from './stored-callback';

export interface NewCallback {
  /** SHA-256 of the hash of the body and the lane; without an owner, the signers too. */
  hash: Buffer;
  /** SHA-256 of the received bytes, of which the body may be a part. */
  wholeHash: Buffer;
  body: Buffer;
  /** The businesses with the app secret that signed it. */
  businesses: number[];
  /** The business that it is for, or 0. Callbacks of a lane are split in their order. */
  lane: number;
  /** Committed with the callback; null if the splitter finds them later. */
  updates: Updates | null;
  traceparent: string | null;
}

/** The new events of a stored callback, `waits` if the splitter publishes them later, or `known` if it was stored before. */
type Stored = EventEnvelope[] | 'waits' | 'known';

/** Bytes of the parameters of one statement. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Bytes of the callbacks and events that wait for a statement. The intake admits 12 MB of callbacks. */
const MAX_HELD_BYTES = 24 * 1024 * 1024;

const CALLBACKS = new RowSet<NewCallback>({
  hash: ['bytea', ({ hash }) => hash],
  body: ['bytea', ({ body }) => body],
  businesses: ['text', ({ businesses }) => businesses.join(',')],
  may_split: ['boolean', ({ updates }) => updates !== null],
  traceparent: ['text', ({ traceparent }) => traceparent],
  lane: ['text', ({ lane }) => String(lane)],
  whole_hash: ['bytea', ({ wholeHash }) => wholeHash],
});
const EVENTS = new RowSet<{ hash: Buffer } & OutboxRow>(
  {
    hash: ['bytea', ({ hash }) => hash],
    event_id: ['text', ({ event_id }) => event_id],
    subject: ['text', ({ subject }) => subject],
    ordering_key: ['text', ({ ordering_key }) => ordering_key],
    body: ['text', ({ body }) => body],
    traceparent: ['text', ({ traceparent }) => traceparent],
  },
  CALLBACKS.next,
);
const DEAD_LETTERS = new RowSet<{ hash: Buffer } & InvalidUpdate>(
  {
    hash: ['bytea', ({ hash }) => hash],
    field: ['text', ({ field }) => field],
    body: ['text', ({ body }) => body],
    reason: ['text', ({ reason }) => reason],
    businesses: ['text', ({ businesses }) => businesses.join(',')],
  },
  EVENTS.next,
);

/** SQL: the updates that cannot be read. Only for a statement with some, because PostgreSQL prepares each part, used or not (decision 698). */
const SET_ASIDE = `, set_aside AS (
         INSERT INTO ingest.dead_letters (consumer, subject, body, reason, attempts, businesses)
         SELECT 'splitter', b.field, b.body, b.reason, 1, string_to_array(b.businesses, ',')::integer[]
         FROM ${DEAD_LETTERS.from('b')}
         JOIN added ON added.body_hash = b.hash AND added.is_split
       )`;

/**
 * SQL: false for a callback that the previous version stored, whose hash has no lane. The ids of events do not suffice, because erasure and
 * retention delete events. Remove it once no such row is left (RETENTION_RAW_WEBHOOKS_DAYS).
 */
const IS_NEW_TO_PREVIOUS_VERSION = `(
  SELECT true FROM ingest.callbacks o
  WHERE o.body_hash = n.whole_hash AND o.lane = n.lane AND (o.lane <> 0 OR o.businesses = n.businesses) LIMIT 1) IS NULL`;

/** Stores the callbacks as they arrive. */
@Injectable()
export class CallbacksStore {
  private readonly additions: Batcher<NewCallback, Stored>;

  constructor(private readonly db: Database) {
    this.additions = new Batcher({
      maxSize: 32,
      maxBytes: MAX_BYTES,
      maxHeldBytes: MAX_HELD_BYTES,
      largestShare: 1 / 2,
      businessOf: ({ lane }) => lane,
      sizeOf,
      run: (callbacks) => this.addAll(callbacks),
      isItemError: isAboutValues,
    });
  }

  /** Resolves after the commit. A repeat changes nothing. While older callbacks of its lane wait, it waits behind them. */
  add(callback: NewCallback): Promise<Stored> {
    return this.additions.add(callback);
  }

  private async addAll(callbacks: NewCallback[]): Promise<Stored[]> {
    const byHash = new Map(callbacks.map((callback) => [callback.hash.toString('hex'), callback]));
    const waiting = new Set<number>();
    const distinct = [...byHash.values()].map((callback) => {
      if (callback.updates === null) waiting.add(callback.lane);
      return waiting.has(callback.lane) ? { ...callback, updates: null } : callback;
    });
    const events = distinct.flatMap(({ hash, updates }) => (updates?.events ?? []).map((event) => ({ hash, ...outboxRow(event) })));
    const invalid = distinct.flatMap(({ hash, updates }) => (updates?.invalid ?? []).map((update) => ({ hash, ...update })));
    const rows = await this.db.query<{ hash: string | null; is_split: boolean | null; event_id: string | null; older: string[] | null }>(
      `WITH numbered AS MATERIALIZED (
         -- Ids follow the arrival. Rows follow their hashes, so that two replicas with the same callbacks do not deadlock.
         SELECT nextval('ingest.callbacks_id_seq') AS id, hash, body, string_to_array(businesses, ',')::integer[] AS businesses, lane::bigint AS lane,
                may_split, traceparent, whole_hash
         FROM ${CALLBACKS.from('n')}
       ), added AS (
         INSERT INTO ingest.callbacks (id, body_hash, body, businesses, lane, split_at, traceparent)
         SELECT id, hash, body, businesses, lane,
                CASE WHEN may_split AND (SELECT true FROM ingest.callbacks w WHERE w.lane = n.lane AND w.split_at IS NULL LIMIT 1) IS NULL
                     THEN now() END,
                traceparent
         FROM numbered n WHERE ${IS_NEW_TO_PREVIOUS_VERSION}
         ORDER BY hash ON CONFLICT (body_hash) DO NOTHING RETURNING body_hash, split_at IS NOT NULL AS is_split
       ), published AS (
         INSERT INTO ingest.outbox (event_id, subject, ordering_key, body, traceparent)
         SELECT e.event_id, e.subject, e.ordering_key, e.body, e.traceparent
         FROM ${EVENTS.from('e', 'nth')}
         JOIN added ON added.body_hash = e.hash AND added.is_split ORDER BY e.nth ON CONFLICT (event_id) DO NOTHING RETURNING event_id
       )${invalid.length > 0 ? SET_ASIDE : ''}
       SELECT encode(body_hash, 'hex') AS hash, is_split, NULL AS event_id, ${unpublishedBefore('ingest', EVENTS.list('ordering_key'))} AS older FROM added
       UNION ALL SELECT NULL, NULL, event_id, NULL FROM published`,
      [...CALLBACKS.values(distinct), ...EVENTS.values(events), ...(invalid.length > 0 ? DEAD_LETTERS.values(invalid) : [])],
    );
    const older = rows.find(({ hash }) => hash !== null)?.older ?? null;
    for (const { updates } of distinct) allowDirectPublish(updates?.events ?? [], older);
    const added = new Map(rows.flatMap(({ hash, is_split }) => (hash === null ? [] : [[hash, is_split] as const])));
    const published = new Set(rows.map(({ event_id }) => event_id));
    return callbacks.map(({ hash, updates }) => {
      const key = hash.toString('hex');
      const isSplit = added.get(key);
      if (isSplit === undefined) return 'known';
      added.delete(key);
      return isSplit ? (updates?.events ?? []).filter(({ id }) => published.delete(id)) : 'waits';
    });
  }
}

function sizeOf({ body, updates }: NewCallback): number {
  return (updates?.events ?? []).reduce((bytes, event) => bytes + outboxRow(event).body.length, body.length);
}
