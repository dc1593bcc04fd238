import { Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import { appendToOutbox, outboxRow } from '@mgw/events';
import type { EventEnvelope } from '@mgw/contracts';
import { Database, isAboutValues, type Tx } from '@mgw/postgres';
import { addDeadLetters, askedLetters, asOneLetter, settleLetter } from './dead-letters.store';

export interface NewDelivery {
  /** SHA-256 of the body. */
  hash: Buffer;
  body: Buffer;
  /** Whose app secret signed it. */
  businesses: number[];
  /** Stored with it; null: to be found out later. */
  updates: Updates | null;
  /** Of the trace in which it came. */
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
  /** Whose app secret signed it. */
  businesses: number[];
  reason: string;
}

/** What a delivery says. */
export interface Updates {
  events: EventEnvelope[];
  bad: BadUpdate[];
}

@Injectable()
export class DeliveriesStore {
  private readonly additions: Batcher<NewDelivery, EventEnvelope[] | null>;

  constructor(private readonly db: Database) {
    this.additions = new Batcher({ maxSize: 32, maxQueued: 5_000, run: (deliveries) => this.addAll(deliveries), isOnes: isAboutValues });
  }

  /** Resolves after the commit. The same body again changes nothing. @returns its events that are new; null when it is not new itself */
  add(delivery: NewDelivery): Promise<EventEnvelope[] | null> {
    return this.additions.add(delivery);
  }

  private async addAll(deliveries: NewDelivery[]): Promise<(EventEnvelope[] | null)[]> {
    const byHash = new Map(deliveries.map((delivery) => [delivery.hash.toString('hex'), delivery]));
    const distinct = [...byHash.values()];
    const events = distinct.flatMap(({ hash, updates }) => (updates?.events ?? []).map((event) => ({ hash, ...outboxRow(event) })));
    const bad = distinct.flatMap(({ hash, updates }) => (updates?.bad ?? []).map((update) => ({ hash, ...update })));
    const rows = await this.db.query<{ hash: string | null; event_id: string | null }>(
      `WITH added AS (
         INSERT INTO ingest.deliveries (body_hash, body, businesses, split_at, traceparent)
         SELECT hash, body, string_to_array(businesses, ',')::integer[], CASE WHEN is_split THEN now() END, traceparent
         FROM unnest($1::bytea[], $2::bytea[], $3::text[], $4::boolean[], $15::text[]) AS n (hash, body, businesses, is_split, traceparent)
         ORDER BY hash ON CONFLICT (body_hash) DO NOTHING RETURNING body_hash
       ), told AS (
         INSERT INTO ingest.outbox (event_id, subject, ordering_key, body, traceparent)
         SELECT e.event_id, e.subject, e.ordering_key, e.body, e.traceparent
         FROM unnest($5::bytea[], $6::text[], $7::text[], $8::text[], $9::text[], $16::text[])
           WITH ORDINALITY AS e (hash, event_id, subject, ordering_key, body, traceparent, nth)
         JOIN added ON added.body_hash = e.hash ORDER BY e.nth ON CONFLICT (event_id) DO NOTHING RETURNING event_id
       ), set_aside AS (
         INSERT INTO ingest.dead_letters (consumer, subject, body, reason, deliveries, businesses)
         SELECT 'splitter', b.field, b.body, b.reason, 1, string_to_array(b.businesses, ',')::integer[]
         FROM unnest($10::bytea[], $11::text[], $12::text[], $13::text[], $14::text[]) AS b (hash, field, body, reason, businesses)
         JOIN added ON added.body_hash = b.hash
       )
       SELECT encode(body_hash, 'hex') AS hash, NULL AS event_id FROM added UNION ALL SELECT NULL, event_id FROM told`,
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
      ],
    );
    const added = new Set(rows.map(({ hash }) => hash));
    const told = new Set(rows.map(({ event_id }) => event_id));
    return deliveries.map(({ hash, updates }) =>
      added.delete(hash.toString('hex')) ? (updates?.events ?? []).filter(({ id }) => told.delete(id)) : null,
    );
  }

  /**
   * Takes the oldest deliveries that nobody has split, and commits what `split` makes of them together with the mark.
   * Other replicas pass over them meanwhile. @returns how many there were
   */
  split(atMost: number, split: (delivery: Delivery) => Updates): Promise<number> {
    const splitting = async (tx: Tx): Promise<number> => {
      const deliveries = await tx.query<Delivery>(
        'SELECT id, body, businesses, traceparent FROM ingest.deliveries WHERE split_at IS NULL ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED',
        [atMost],
      );
      if (deliveries.length === 0) return 0;
      for (const delivery of deliveries) await store(tx, delivery, split(delivery), (bad) => addDeadLetters(tx, bad));
      await tx.query('UPDATE ingest.deliveries SET split_at = now() WHERE id = ANY($1)', [deliveries.map(({ id }) => id)]);
      return deliveries.length;
    };
    // Lost with the database's last half second, it is split again, and the events' ids make them the same ones.
    return this.db.transaction(splitting, { durable: false });
  }

  /** As split, with the oldest dead letters that somebody has asked to be replayed. */
  replay(atMost: number, split: (delivery: Delivery) => Updates): Promise<number> {
    return this.db.transaction(async (tx) => {
      const letters = await askedLetters(tx, atMost);
      for (const letter of letters) await store(tx, letter, split(letter), (bad) => settleLetter(tx, letter.id, bad));
      return letters.length;
    });
  }
}

/** What PostgreSQL does not take goes to the dead letters as a whole, and keeps back no other delivery. */
async function store(tx: Tx, delivery: Delivery, { events, bad }: Updates, setAside: (bad: BadUpdate[]) => Promise<void>): Promise<void> {
  await tx.query('SAVEPOINT before_delivery');
  try {
    await appendToOutbox(tx, 'ingest', events);
    await setAside(bad);
  } catch (error) {
    if (!isAboutValues(error)) throw error;
    await tx.query('ROLLBACK TO SAVEPOINT before_delivery');
    await setAside([asOneLetter(delivery, error as Error)]);
  }
}
