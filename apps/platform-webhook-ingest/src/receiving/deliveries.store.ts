import { Injectable } from '@nestjs/common';
import { appendToOutbox } from '@mgw/events';
import type { EventEnvelope } from '@mgw/contracts';
import { Batcher, Database, type Tx } from '@mgw/postgres';
import { addDeadLetters } from './dead-letters.store';

export interface NewDelivery {
  /** SHA-256 of the body. */
  hash: Buffer;
  body: Buffer;
  /** Whose app secret signed it. */
  businesses: number[];
}

export interface Delivery {
  id: string;
  body: Buffer;
  businesses: number[];
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

@Injectable()
export class DeliveriesStore {
  private readonly additions: Batcher<NewDelivery, undefined>;

  constructor(private readonly db: Database) {
    this.additions = new Batcher({ maxSize: 32, inFlight: 2, maxQueued: 5_000, run: (deliveries) => this.addAll(deliveries) });
  }

  /** Resolves after the commit. The same body again changes nothing. */
  async add(delivery: NewDelivery): Promise<void> {
    await this.additions.add(delivery);
  }

  private async addAll(deliveries: NewDelivery[]): Promise<undefined[]> {
    await this.db.query(
      `INSERT INTO ingest.deliveries (body_hash, body, businesses)
       SELECT hash, body, string_to_array(businesses, ',')::integer[] FROM unnest($1::bytea[], $2::bytea[], $3::text[]) AS n (hash, body, businesses)
       ORDER BY hash ON CONFLICT (body_hash) DO NOTHING`,
      [deliveries.map(({ hash }) => hash), deliveries.map(({ body }) => body), deliveries.map(({ businesses }) => businesses.join(','))],
    );
    return deliveries.map(() => undefined);
  }

  /**
   * Takes the oldest deliveries that nobody has split, and commits what `split` makes of them together with the mark.
   * Other replicas pass over them meanwhile. @returns how many there were
   */
  split(atMost: number, split: (delivery: Delivery) => { events: EventEnvelope[]; bad: BadUpdate[] }): Promise<number> {
    const splitting = async (tx: Tx): Promise<number> => {
      const deliveries = await tx.query<Delivery>(
        'SELECT id, body, businesses FROM ingest.deliveries WHERE split_at IS NULL ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED',
        [atMost],
      );
      if (deliveries.length === 0) return 0;
      const parts = deliveries.map(split);
      await appendToOutbox(
        tx,
        'ingest',
        parts.flatMap(({ events }) => events),
      );
      const bad = parts.flatMap((part) => part.bad);
      await addDeadLetters(tx, bad);
      await tx.query('UPDATE ingest.deliveries SET split_at = now() WHERE id = ANY($1)', [deliveries.map(({ id }) => id)]);
      return deliveries.length;
    };
    // Lost with the database's last half second, it is split again, and the events' ids make them the same ones.
    return this.db.transaction(splitting, { durable: false });
  }

  /** Forgets bodies that the platform has stopped repeating (it tries for 7 days). */
  async prune(): Promise<void> {
    await this.db.query(
      `DELETE FROM ingest.deliveries WHERE id IN
       (SELECT id FROM ingest.deliveries WHERE split_at < now() - interval '8 days' ORDER BY split_at LIMIT 5000)`,
    );
  }
}
