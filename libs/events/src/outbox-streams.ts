import { STREAMS } from '@mgw/contracts';
import type { Tx } from '@mgw/postgres';
import type { PubAck } from 'nats';
import type { OutboxRelayOptions } from './relay';
import { ensureStreams, limitsOn, makeRoom } from './streams';

/** An event that JetStream has acknowledged. */
export interface Told {
  event_id: string;
  ack: PubAck;
}

/** The net below the check at every reconnection. */
const CHECK_EVERY_MS = 60_000;

/**
 * Remembers how far each stream had come. A stream that is another one now, or shorter than what was published, has lost its
 * store: all that the outbox still holds for it is told again (guarantees §4).
 */
export class OutboxStreams {
  private checkedAt = 0;
  /** When each stream was made, as last compared. */
  private readonly created = new Map<string, string>();
  private closed = false;

  constructor(private readonly options: OutboxRelayOptions) {
    void this.watch();
  }

  close(): void {
    this.closed = true;
  }

  /** Looks at most once a minute, and after every reconnection: a wiped store means a restarted server. */
  async check(): Promise<void> {
    if (Date.now() - this.checkedAt < CHECK_EVERY_MS) return;
    const { nc } = this.options;
    const startedAt = Date.now();
    const manager = await nc.jetstreamManager();
    await ensureStreams(manager, limitsOn(nc));
    for (const stream of Object.keys(STREAMS)) {
      const { created, state } = await manager.streams.info(stream);
      await this.compare(stream, created, state.last_seq);
      this.created.set(stream, created);
    }
    this.checkedAt = startedAt;
  }

  /**
   * Marks events as told, and keeps the highest position of each stream with it. Marks nothing when another replica has found
   * meanwhile that a stream is another one: what was told to the one before is told again.
   */
  async mark(tx: Tx, told: Told[]): Promise<void> {
    const highest = new Map<string, number>();
    for (const { ack } of told) highest.set(ack.stream, Math.max(ack.seq, highest.get(ack.stream) ?? 0));
    await tx.query(
      `WITH known AS (
         SELECT s.stream, n.seq FROM ${this.options.schema}.outbox_streams s
         JOIN unnest($1::text[], $2::bigint[], $4::text[]) AS n (stream, seq, created) ON n.stream = s.stream AND n.created = s.created
         ORDER BY s.stream FOR UPDATE OF s
       ), marked AS (
         UPDATE ${this.options.schema}.outbox SET published_at = now()
         WHERE event_id = ANY ($3::text[]) AND (SELECT count(*) FROM known) = cardinality($1::text[])
       )
       UPDATE ${this.options.schema}.outbox_streams s SET last_seq = greatest(s.last_seq, known.seq) FROM known WHERE s.stream = known.stream`,
      [
        [...highest.keys()],
        [...highest.values()],
        told.map(({ event_id }) => event_id),
        [...highest.keys()].map((stream) => this.created.get(stream) ?? ''),
      ],
    );
  }

  /** @param subject of an event that was refused for want of room */
  async makeRoom(subject: string): Promise<boolean> {
    const stream = Object.entries(STREAMS).find(([, { subjects }]) => subject.startsWith(subjects.slice(0, -1)))?.[0];
    return stream !== undefined && makeRoom(await this.options.nc.jetstreamManager(), stream);
  }

  private async compare(stream: string, created: string, lastSeq: number): Promise<void> {
    const { db, schema, logger } = this.options;
    const subjects = `${STREAMS[stream as keyof typeof STREAMS].subjects.slice(0, -1)}%`;
    await db.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`${schema}.outbox`]);
      const [known] = await tx.query<{ created: string; last_seq: string }>(
        `SELECT created, last_seq FROM ${schema}.outbox_streams WHERE stream = $1`,
        [stream],
      );
      if (known?.created === created && Number(known.last_seq) <= lastSeq) return;
      await tx.query(
        `INSERT INTO ${schema}.outbox_streams (stream, created, last_seq) VALUES ($1, $2, $3)
         ON CONFLICT (stream) DO UPDATE SET created = excluded.created, last_seq = excluded.last_seq`,
        [stream, created, lastSeq],
      );
      if (!known) return;
      const again = await tx.query(
        `UPDATE ${schema}.outbox SET published_at = NULL WHERE published_at IS NOT NULL AND subject LIKE $1 RETURNING event_id`,
        [subjects],
      );
      logger.warn({ stream, again: again.length }, 'the stream has lost its store: what is kept of it is told again');
    });
  }

  private async watch(): Promise<void> {
    for await (const { type } of this.options.nc.status()) {
      if (this.closed) return;
      if (type === 'reconnect') this.checkedAt = 0;
    }
  }
}
