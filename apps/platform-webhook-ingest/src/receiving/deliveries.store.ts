import { Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import { ORIGIN, appendToOutbox, nothingWaits, outboxRow, publishDirectly } from '@mgw/events';
import type { EventEnvelope } from '@mgw/contracts';
import { crashPoint } from '@mgw/faults';
import { Database, isAboutValues, type Tx } from '@mgw/postgres';
import { addDeadLetters, asOneLetter, keepLetter, letterToReplay, settleLetter } from './dead-letters.store';
import { countUpdates } from './update-counts';

export interface NewDelivery {
  /** SHA-256 of the body. */
  hash: Buffer;
  body: Buffer;
  /** The businesses with the app secret that signed it. */
  businesses: number[];
  /** The business that it is for, or 0: deliveries of a lane are split in their order. */
  lane: number;
  /** Stored with it; null when the splitter finds them later. */
  updates: Updates | null;
  traceparent: string | null;
}

export interface Delivery {
  id: string;
  body: Buffer;
  businesses: number[];
  traceparent: string | null;
}

/** An update that could not be understood, and why. */
export interface BadUpdate {
  field: string;
  /** A callback with this update only. */
  body: string;
  /** The businesses with the app secret that signed it. */
  businesses: number[];
  reason: string;
}

/** The content of a delivery. */
export interface Updates {
  events: EventEnvelope[];
  bad: BadUpdate[];
  /** Counted and nothing more. */
  ignored: { unknown_number: number; group: number };
}

/** The result of storing a callback: its new events, `waits` for the splitter, or `known` already. */
export type Stored = EventEnvelope[] | 'waits' | 'known';

type Split = (delivery: Delivery) => Promise<Updates>;

/** Bytes of one statement. */
const MOST_BYTES = 2 * 1024 * 1024;
/** Deliveries in one transaction of the splitter. */
const MOST_AT_ONCE = 32;
/** A delivery that has ended its process this often is set aside. */
const MOST_BEGINNINGS = 3;
const POISON = `splitting it ended the process ${MOST_BEGINNINGS} times`;

@Injectable()
export class DeliveriesStore {
  private readonly additions: Batcher<NewDelivery, Stored>;
  /** Deliveries and letters whose last beginning ended because the database went away: it does not count. */
  private readonly forgiven = new Set<string>();

  constructor(private readonly db: Database) {
    this.additions = new Batcher({
      maxSize: 32,
      maxQueued: 2_000,
      maxBytes: MOST_BYTES,
      sizeOf: sizeOfDelivery,
      run: (deliveries) => this.addAll(deliveries),
      isOnes: isAboutValues,
    });
  }

  /** Resolves after the commit. The same body again changes nothing. While older deliveries of its lane wait, it waits behind them. */
  add(delivery: NewDelivery): Promise<Stored> {
    return this.additions.add(delivery);
  }

  private async addAll(deliveries: NewDelivery[]): Promise<Stored[]> {
    const byHash = new Map(deliveries.map((delivery) => [delivery.hash.toString('hex'), delivery]));
    const waiting = new Set<number>();
    const distinct = [...byHash.values()].map((delivery) => {
      if (delivery.updates === null) waiting.add(delivery.lane);
      return waiting.has(delivery.lane) ? { ...delivery, updates: null } : delivery;
    });
    const events = distinct.flatMap(({ hash, updates }) => (updates?.events ?? []).map((event) => ({ hash, ...outboxRow(event) })));
    const bad = distinct.flatMap(({ hash, updates }) => (updates?.bad ?? []).map((update) => ({ hash, ...update })));
    const rows = await this.db.query<{ hash: string | null; is_split: boolean | null; event_id: string | null; direct: boolean }>(
      `WITH numbered AS MATERIALIZED (
         -- Ids in the order of arrival; rows in the order of their hashes, so that two replicas with the same ones do not deadlock.
         SELECT nextval('ingest.deliveries_id_seq') AS id, hash, body, string_to_array(businesses, ',')::integer[] AS businesses, lane::bigint AS lane,
                may_split, traceparent
         FROM unnest($1::bytea[], $2::bytea[], $3::text[], $4::boolean[], $15::text[], $17::text[]) AS n (hash, body, businesses, may_split, traceparent, lane)
       ), added AS (
         INSERT INTO ingest.deliveries (id, body_hash, body, businesses, lane, split_at, traceparent)
         SELECT id, hash, body, businesses, lane,
                CASE WHEN may_split AND (SELECT true FROM ingest.deliveries w WHERE w.lane = n.lane AND w.split_at IS NULL LIMIT 1) IS NULL
                     THEN now() END,
                traceparent
         FROM numbered n ORDER BY hash ON CONFLICT (body_hash) DO NOTHING RETURNING body_hash, split_at IS NOT NULL AS is_split
       ), told AS (
         INSERT INTO ingest.outbox (event_id, subject, ordering_key, body, traceparent, origin)
         SELECT e.event_id, e.subject, e.ordering_key, e.body, e.traceparent, $18
         FROM unnest($5::bytea[], $6::text[], $7::text[], $8::text[], $9::text[], $16::text[])
           WITH ORDINALITY AS e (hash, event_id, subject, ordering_key, body, traceparent, nth)
         JOIN added ON added.body_hash = e.hash AND added.is_split ORDER BY e.nth ON CONFLICT (event_id) DO NOTHING RETURNING event_id
       ), set_aside AS (
         INSERT INTO ingest.dead_letters (consumer, subject, body, reason, deliveries, businesses)
         SELECT 'splitter', b.field, b.body, b.reason, 1, string_to_array(b.businesses, ',')::integer[]
         FROM unnest($10::bytea[], $11::text[], $12::text[], $13::text[], $14::text[]) AS b (hash, field, body, reason, businesses)
         JOIN added ON added.body_hash = b.hash AND added.is_split
       )
       SELECT encode(body_hash, 'hex') AS hash, is_split, NULL AS event_id, ${nothingWaits('ingest', '$8', '$18')} AS direct FROM added
       UNION ALL SELECT NULL, NULL, event_id, false FROM told`,
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
    if (rows.some(({ direct }) => direct)) for (const { updates } of distinct) publishDirectly(updates?.events ?? []);
    const added = new Map(rows.flatMap(({ hash, is_split }) => (hash === null ? [] : [[hash, is_split] as const])));
    const told = new Set(rows.map(({ event_id }) => event_id));
    return deliveries.map(({ hash, updates }) => {
      const key = hash.toString('hex');
      const isSplit = added.get(key);
      if (isSplit === undefined) return 'known';
      added.delete(key);
      return isSplit ? (updates?.events ?? []).filter(({ id }) => told.delete(id)) : 'waits';
    });
  }

  /** The lanes in which deliveries wait. */
  async waitingLanes(): Promise<number[]> {
    const rows = await this.db.query<{ lane: string }>(
      `WITH RECURSIVE lanes AS (
         (SELECT lane FROM ingest.deliveries WHERE split_at IS NULL ORDER BY lane LIMIT 1)
         UNION ALL
         SELECT (SELECT d.lane FROM ingest.deliveries d WHERE d.split_at IS NULL AND d.lane > lanes.lane ORDER BY d.lane LIMIT 1)
         FROM lanes WHERE lanes.lane IS NOT NULL
       )
       SELECT lane FROM lanes WHERE lane IS NOT NULL`,
    );
    return rows.map(({ lane }) => Number(lane));
  }

  /**
   * Takes the oldest waiting deliveries of a lane, one replica at a time, and commits what `split` makes of them together with the
   * mark, up to `mostEvents` events. Each is marked as begun first: one that has ended its process three times is set aside instead.
   */
  splitLane(lane: number, mostEvents: number, split: Split): Promise<{ deliveries: number; events: number }> {
    // A commit lost with the database's last half second is made again: the ids of the events stay the same.
    return this.begun('deliveries', { durable: false }, async (tx, begin) => {
      const [lock] = await tx.query<{ held: boolean }>(`SELECT pg_try_advisory_xact_lock(hashtext('ingest.lanes'), $1) AS held`, [lane]);
      const waiting = lock?.held ? await oldestOf(tx, lane) : [];
      const [first] = waiting;
      if (first === undefined) return { deliveries: 0, events: 0 };
      if (this.isPoison(first)) {
        for (const delivery of await load(tx, [first.id])) await addDeadLetters(tx, [asOneLetter(delivery, new Error(POISON))]);
        await mark(tx, [first.id], [first.id]);
        return { deliveries: 1, events: 0 };
      }
      // One that began before may be what ended the process, so it goes alone.
      const taken = first.begun > 0 ? [first.id] : fitting(waiting);
      await begin(taken);
      const done: string[] = [];
      let events = 0;
      for (const delivery of await load(tx, taken)) {
        crashPoint('ingest.splitting');
        const { released, isDone } = await release(tx, delivery, await split(delivery), mostEvents - events);
        events += released;
        if (isDone) done.push(delivery.id);
        if (!isDone || events >= mostEvents) break;
      }
      await mark(tx, taken, done);
      return { deliveries: taken.length, events };
    });
  }

  /** Splits the oldest dead letter that an operator replays, one replica at a time. @returns whether there was one */
  replay(split: Split): Promise<boolean> {
    return this.begun('dead_letters', { durable: true }, async (tx, begin) => {
      const [lock] = await tx.query<{ held: boolean }>(`SELECT pg_try_advisory_xact_lock(hashtext('ingest.replays')) AS held`);
      const letter = lock?.held ? await letterToReplay(tx) : undefined;
      if (letter === undefined) return false;
      if (this.isPoison(letter)) {
        await keepLetter(tx, letter.id, POISON);
        return true;
      }
      await begin([letter.id]);
      crashPoint('ingest.replaying');
      await store(tx, letter, await split(letter), (bad) => settleLetter(tx, letter.id, bad));
      return true;
    });
  }

  private isPoison({ id, begun }: { id: string; begun: number }): boolean {
    return begun >= MOST_BEGINNINGS && !this.forgiven.has(id);
  }

  /**
   * Runs `work` in a transaction, with a function that commits on another connection that rows have begun. If `work` fails because
   * the database went away, this beginning does not count against them.
   */
  private async begun<T>(
    table: 'deliveries' | 'dead_letters',
    { durable }: { durable: boolean },
    work: (tx: Tx, begin: (ids: string[]) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    let begun: string[] = [];
    const begin = async (ids: string[]) => {
      const counted = ids.filter((id) => !this.forgiven.delete(id));
      begun = ids;
      if (counted.length > 0) await this.db.relaxed.query(`UPDATE ingest.${table} SET begun = begun + 1 WHERE id = ANY($1)`, [counted]);
    };
    try {
      return await this.db.transaction((tx) => work(tx, begin), { durable });
    } catch (error) {
      const isThere = await this.db.ping().catch(() => false);
      if (!isThere) for (const id of begun) this.forgiven.add(id);
      throw error;
    }
  }
}

function sizeOfDelivery({ body, updates }: NewDelivery): number {
  return (updates?.events ?? []).reduce((bytes, event) => bytes + outboxRow(event).body.length, body.length);
}

interface Waiting {
  id: string;
  bytes: number;
  begun: number;
}

function oldestOf(tx: Tx, lane: number): Promise<Waiting[]> {
  return tx.query<Waiting>(
    `SELECT id, octet_length(body) AS bytes, begun FROM ingest.deliveries WHERE lane = $1 AND split_at IS NULL ORDER BY id LIMIT ${MOST_AT_ONCE}`,
    [lane],
  );
}

/** The first ones that never began, as many as fit into one transaction. */
function fitting(waiting: Waiting[]): string[] {
  const ids: string[] = [];
  let bytes = 0;
  for (const one of waiting) {
    bytes += one.bytes;
    if (one.begun > 0 || (ids.length > 0 && bytes > MOST_BYTES)) break;
    ids.push(one.id);
  }
  return ids;
}

function load(tx: Tx, ids: string[]): Promise<Delivery[]> {
  return tx.query<Delivery>('SELECT id, body, businesses, traceparent FROM ingest.deliveries WHERE id = ANY($1) ORDER BY id', [ids]);
}

async function mark(tx: Tx, begun: string[], done: string[]): Promise<void> {
  await tx.query('UPDATE ingest.deliveries SET begun = 0, split_at = CASE WHEN id = ANY($2) THEN now() END WHERE id = ANY($1)', [
    begun,
    done,
  ]);
}

/** Appends the events of a delivery that are not in the outbox yet, as many as may go. The rest follows in later turns, the letters with the last one. */
async function release(tx: Tx, delivery: Delivery, updates: Updates, most: number): Promise<{ released: number; isDone: boolean }> {
  if (updates.events.length > most) {
    const missing = await notInOutbox(tx, updates.events);
    if (missing.length > most) {
      const some = { events: missing.slice(0, most), bad: [], ignored: { unknown_number: 0, group: 0 } };
      const isStored = await store(tx, delivery, some, (bad) => addDeadLetters(tx, bad));
      return { released: most, isDone: !isStored };
    }
    updates = { ...updates, events: missing };
  }
  await store(tx, delivery, updates, (bad) => addDeadLetters(tx, bad));
  return { released: updates.events.length, isDone: true };
}

async function notInOutbox(tx: Tx, events: EventEnvelope[]): Promise<EventEnvelope[]> {
  const rows = await tx.query<{ event_id: string }>('SELECT event_id FROM ingest.outbox WHERE event_id = ANY($1::text[])', [
    events.map(({ id }) => id),
  ]);
  const there = new Set(rows.map(({ event_id }) => event_id));
  return events.filter(({ id }) => !there.has(id));
}

/** If PostgreSQL refuses an event, the whole delivery goes to the dead letters, so that it holds up no other. @returns whether it was stored */
async function store(tx: Tx, delivery: Delivery, updates: Updates, setAside: (bad: BadUpdate[]) => Promise<void>): Promise<boolean> {
  await tx.query('SAVEPOINT before_delivery');
  try {
    for (const some of bySize(updates.events)) await appendToOutbox(tx, 'ingest', some);
    await setAside(updates.bad);
    countUpdates(updates);
    return true;
  } catch (error) {
    if (!isAboutValues(error)) throw error;
    await tx.query('ROLLBACK TO SAVEPOINT before_delivery');
    await setAside([asOneLetter(delivery, error as Error)]);
    return false;
  }
}

/** Events in their order, in groups that fit into a statement. */
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
