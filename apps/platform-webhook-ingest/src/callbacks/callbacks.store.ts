import { Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import { ORIGIN, appendToOutbox, nothingUnpublished, outboxRow, allowDirectPublish } from '@mgw/events';
import type { EventEnvelope } from '@mgw/contracts';
import { crashPoint } from '@mgw/faults';
import { Database, asStorageProblem, isAboutValues, type Tx } from '@mgw/postgres';
import { addDeadLetters, endReplay, failReplay, letterToReplay } from './dead-letters.store';
import { wholeLetter, type BadUpdate, type StoredCallback, type Updates } from './stored-callback';
import { recordUpdates } from './update-counts';

export interface NewCallback {
  /** SHA-256 of the body. */
  hash: Buffer;
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
export type Stored = EventEnvelope[] | 'waits' | 'known';

export type Split = (callback: StoredCallback) => Promise<Updates>;

/** Bytes of the parameters of one statement. */
const MOST_BYTES = 2 * 1024 * 1024;
/** Bytes of the callbacks and events that wait for a statement. The intake admits 12 MB of callbacks. */
const MOST_HELD_BYTES = 24 * 1024 * 1024;
/** Callbacks in one transaction of the splitter. */
const MOST_AT_ONCE = 32;
/** A callback is set aside when it has ended its process this often. */
const MOST_BEGINNINGS = 3;
const POISON = `splitting it ended the process ${MOST_BEGINNINGS} times`;

@Injectable()
export class CallbacksStore {
  private readonly additions: Batcher<NewCallback, Stored>;
  /** Rows whose last beginning failed with the database, which could not take it back yet: that beginning does not count. */
  private readonly uncounted = new Set<string>();

  constructor(private readonly db: Database) {
    this.additions = new Batcher({
      maxSize: 32,
      maxBytes: MOST_BYTES,
      maxHeldBytes: MOST_HELD_BYTES,
      largestShare: 1 / 2,
      businessOf: ({ lane }) => lane,
      sizeOf,
      run: (callbacks) => this.addAll(callbacks),
      isItemError: isAboutValues,
    });
  }

  /** Resolves after the commit. A repeated body changes nothing. While older callbacks of its lane wait, it waits behind them. */
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
    const bad = distinct.flatMap(({ hash, updates }) => (updates?.bad ?? []).map((update) => ({ hash, ...update })));
    const rows = await this.db.query<{ hash: string | null; is_split: boolean | null; event_id: string | null; direct: boolean }>(
      `WITH numbered AS MATERIALIZED (
         -- Ids follow the arrival. Rows follow their hashes, so that two replicas with the same callbacks do not deadlock.
         SELECT nextval('ingest.callbacks_id_seq') AS id, hash, body, string_to_array(businesses, ',')::integer[] AS businesses, lane::bigint AS lane,
                may_split, traceparent
         FROM unnest($1::bytea[], $2::bytea[], $3::text[], $4::boolean[], $15::text[], $17::text[]) AS n (hash, body, businesses, may_split, traceparent, lane)
       ), added AS (
         INSERT INTO ingest.callbacks (id, body_hash, body, businesses, lane, split_at, traceparent)
         SELECT id, hash, body, businesses, lane,
                CASE WHEN may_split AND (SELECT true FROM ingest.callbacks w WHERE w.lane = n.lane AND w.split_at IS NULL LIMIT 1) IS NULL
                     THEN now() END,
                traceparent
         FROM numbered n ORDER BY hash ON CONFLICT (body_hash) DO NOTHING RETURNING body_hash, split_at IS NOT NULL AS is_split
       ), published AS (
         INSERT INTO ingest.outbox (event_id, subject, ordering_key, body, traceparent, origin)
         SELECT e.event_id, e.subject, e.ordering_key, e.body, e.traceparent, $18
         FROM unnest($5::bytea[], $6::text[], $7::text[], $8::text[], $9::text[], $16::text[])
           WITH ORDINALITY AS e (hash, event_id, subject, ordering_key, body, traceparent, nth)
         JOIN added ON added.body_hash = e.hash AND added.is_split ORDER BY e.nth ON CONFLICT (event_id) DO NOTHING RETURNING event_id
       ), set_aside AS (
         INSERT INTO ingest.dead_letters (consumer, subject, body, reason, attempts, businesses)
         SELECT 'splitter', b.field, b.body, b.reason, 1, string_to_array(b.businesses, ',')::integer[]
         FROM unnest($10::bytea[], $11::text[], $12::text[], $13::text[], $14::text[]) AS b (hash, field, body, reason, businesses)
         JOIN added ON added.body_hash = b.hash AND added.is_split
       )
       SELECT encode(body_hash, 'hex') AS hash, is_split, NULL AS event_id, ${nothingUnpublished('ingest', '$8', '$18')} AS direct FROM added
       UNION ALL SELECT NULL, NULL, event_id, false FROM published`,
      [
        distinct.map(({ hash }) => hash),
        distinct.map(({ body }) => body),
        distinct.map(({ businesses }) => businesses.join(',')),
        distinct.map(({ updates }) => updates !== null),
        events.map(({ hash }) => hash),
        events.map(({ event_id }) => event_id),
        events.map(({ subject }) => subject),
        events.map(({ ordering_key }) => ordering_key),
        events.map(({ body }) => body),
        bad.map(({ hash }) => hash),
        bad.map(({ field }) => field),
        bad.map(({ body }) => body),
        bad.map(({ reason }) => reason),
        bad.map(({ businesses }) => businesses.join(',')),
        distinct.map(({ traceparent }) => traceparent),
        events.map(({ traceparent }) => traceparent),
        distinct.map(({ lane }) => String(lane)),
        ORIGIN,
      ],
    );
    if (rows.some(({ direct }) => direct)) for (const { updates } of distinct) allowDirectPublish(updates?.events ?? []);
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

  /** The lanes in which callbacks wait. */
  async waitingLanes(): Promise<number[]> {
    const rows = await this.db.query<{ lane: string }>(
      `WITH RECURSIVE lanes AS (
         (SELECT lane FROM ingest.callbacks WHERE split_at IS NULL ORDER BY lane LIMIT 1)
         UNION ALL
         SELECT (SELECT d.lane FROM ingest.callbacks d WHERE d.split_at IS NULL AND d.lane > lanes.lane ORDER BY d.lane LIMIT 1)
         FROM lanes WHERE lanes.lane IS NOT NULL
       )
       SELECT lane FROM lanes WHERE lane IS NOT NULL`,
    );
    return rows.map(({ lane }) => Number(lane));
  }

  /**
   * Splits the oldest waiting callbacks of a lane, one replica at a time, and commits up to `mostEvents` of their events with the mark.
   * Each callback is marked as begun first; one that has ended its process three times is set aside instead.
   */
  splitLane(lane: number, mostEvents: number, split: Split): Promise<{ callbacks: number; events: number }> {
    // Not durable: if a crash of the database loses the commit, the repeated split publishes events with the same ids.
    return this.countingBeginnings('callbacks', { durable: false }, async (tx, begin) => {
      const [lock] = await tx.query<{ held: boolean }>(`SELECT pg_try_advisory_xact_lock(hashtext('ingest.lanes'), $1) AS held`, [lane]);
      const waiting = lock?.held ? await oldestWaiting(tx, lane) : [];
      const [first] = waiting;
      if (first === undefined) return { callbacks: 0, events: 0 };
      if (this.isPoison(first)) {
        for (const callback of await load(tx, [first.id])) await addDeadLetters(tx, [wholeLetter(callback, new Error(POISON))]);
        await mark(tx, [first.id], [first.id]);
        return { callbacks: 1, events: 0 };
      }
      // A callback that began before may have ended the process, so it goes alone.
      const claimed = first.unfinished_attempts > 0 ? [first.id] : fitting(waiting);
      await begin(claimed);
      const done: string[] = [];
      let events = 0;
      for (const callback of await load(tx, claimed)) {
        crashPoint('ingest.splitting');
        const { published, isDone } = await publish(tx, callback, await split(callback), mostEvents - events);
        events += published;
        if (isDone) done.push(callback.id);
        if (!isDone || events >= mostEvents) break;
      }
      await mark(tx, claimed, done);
      return { callbacks: claimed.length, events };
    });
  }

  /** Splits the oldest dead letter that an operator replays, one replica at a time. @returns false if there is none */
  replay(split: Split): Promise<boolean> {
    return this.countingBeginnings('dead_letters', { durable: true }, async (tx, begin) => {
      const [lock] = await tx.query<{ held: boolean }>(`SELECT pg_try_advisory_xact_lock(hashtext('ingest.replays')) AS held`);
      const letter = lock?.held ? await letterToReplay(tx) : undefined;
      if (letter === undefined) return false;
      if (this.isPoison(letter)) {
        await failReplay(tx, letter.id, POISON);
        return true;
      }
      await begin([letter.id]);
      crashPoint('ingest.replaying');
      await store(tx, letter, await split(letter), (bad) => endReplay(tx, letter.id, bad));
      return true;
    });
  }

  private isPoison({ id, unfinished_attempts }: { id: string; unfinished_attempts: number }): boolean {
    return unfinished_attempts >= MOST_BEGINNINGS && !this.uncounted.has(id);
  }

  /**
   * Runs `work` in a transaction. `begin` counts a beginning of its rows and commits that on another connection. If `work` fails
   * because the database is away or has no room, the beginning does not count.
   */
  private async countingBeginnings<T>(
    table: 'callbacks' | 'dead_letters',
    { durable }: { durable: boolean },
    work: (tx: Tx, begin: (ids: string[]) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    let begun: string[] = [];
    const begin = async (ids: string[]) => {
      const counted = ids.filter((id) => !this.uncounted.has(id));
      if (counted.length > 0)
        await this.db.relaxed.query(`UPDATE ingest.${table} SET unfinished_attempts = unfinished_attempts + 1 WHERE id = ANY($1)`, [
          counted,
        ]);
      for (const id of ids) this.uncounted.delete(id);
      begun = ids;
    };
    try {
      return await this.db.transaction((tx) => work(tx, begin), { durable });
    } catch (error) {
      const isDatabaseProblem = asStorageProblem(error) !== null || !(await this.db.ping().catch(() => false));
      if (isDatabaseProblem) await this.uncount(table, begun);
      throw error;
    }
  }

  /** Keeps the rows in memory while the database cannot take the beginning back. */
  private async uncount(table: 'callbacks' | 'dead_letters', ids: string[]): Promise<void> {
    try {
      await this.db.relaxed.query(`UPDATE ingest.${table} SET begun = greatest(begun - 1, 0) WHERE id = ANY($1)`, [ids]);
    } catch {
      for (const id of ids) this.uncounted.add(id);
    }
  }
}

function sizeOf({ body, updates }: NewCallback): number {
  return (updates?.events ?? []).reduce((bytes, event) => bytes + outboxRow(event).body.length, body.length);
}

interface Waiting {
  id: string;
  bytes: number;
  unfinished_attempts: number;
}

function oldestWaiting(tx: Tx, lane: number): Promise<Waiting[]> {
  return tx.query<Waiting>(
    `SELECT id, octet_length(body) AS bytes, unfinished_attempts FROM ingest.callbacks WHERE lane = $1 AND split_at IS NULL ORDER BY id LIMIT ${MOST_AT_ONCE}`,
    [lane],
  );
}

/** The oldest callbacks that never began, as many as fit into one transaction. */
function fitting(waiting: Waiting[]): string[] {
  const ids: string[] = [];
  let bytes = 0;
  for (const callback of waiting) {
    bytes += callback.bytes;
    if (callback.unfinished_attempts > 0 || (ids.length > 0 && bytes > MOST_BYTES)) break;
    ids.push(callback.id);
  }
  return ids;
}

function load(tx: Tx, ids: string[]): Promise<StoredCallback[]> {
  return tx.query<StoredCallback>('SELECT id, body, businesses, traceparent FROM ingest.callbacks WHERE id = ANY($1) ORDER BY id', [ids]);
}

async function mark(tx: Tx, begun: string[], done: string[]): Promise<void> {
  await tx.query(
    'UPDATE ingest.callbacks SET unfinished_attempts = 0, split_at = CASE WHEN id = ANY($2) THEN now() END WHERE id = ANY($1)',
    [begun, done],
  );
}

/** Appends at most `most` events that the outbox lacks. The rest follows in later turns; the dead letters come with the last one. */
async function publish(tx: Tx, callback: StoredCallback, updates: Updates, most: number): Promise<{ published: number; isDone: boolean }> {
  const addLetters = (bad: BadUpdate[]) => addDeadLetters(tx, bad);
  if (updates.events.length > most) {
    const missing = await notInOutbox(tx, updates.events);
    if (missing.length > most) {
      const some = { events: missing.slice(0, most), bad: [], ignored: { unknown_number: 0, group: 0 } };
      const isStored = await store(tx, callback, some, addLetters);
      return { published: most, isDone: !isStored };
    }
    updates = { ...updates, events: missing };
  }
  await store(tx, callback, updates, addLetters);
  return { published: updates.events.length, isDone: true };
}

async function notInOutbox(tx: Tx, events: EventEnvelope[]): Promise<EventEnvelope[]> {
  const rows = await tx.query<{ event_id: string }>('SELECT event_id FROM ingest.outbox WHERE event_id = ANY($1::text[])', [
    events.map(({ id }) => id),
  ]);
  const known = new Set(rows.map(({ event_id }) => event_id));
  return events.filter(({ id }) => !known.has(id));
}

/** If PostgreSQL refuses a value of an event, the whole callback becomes a dead letter, so that it holds up no other. @returns false then */
async function store(tx: Tx, callback: StoredCallback, updates: Updates, setAside: (bad: BadUpdate[]) => Promise<void>): Promise<boolean> {
  await tx.query('SAVEPOINT before_callback');
  try {
    for (const events of bySize(updates.events)) await appendToOutbox(tx, 'ingest', events);
    await setAside(updates.bad);
    recordUpdates(updates);
    return true;
  } catch (error) {
    if (!isAboutValues(error)) throw error;
    await tx.query('ROLLBACK TO SAVEPOINT before_callback');
    await setAside([wholeLetter(callback, error as Error)]);
    return false;
  }
}

/** Groups of consecutive events that fit into a statement. */
function* bySize(events: EventEnvelope[]): Generator<EventEnvelope[]> {
  let group: EventEnvelope[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = outboxRow(event).body.length;
    if (group.length > 0 && bytes + size > MOST_BYTES) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(event);
    bytes += size;
  }
  if (group.length > 0) yield group;
}
