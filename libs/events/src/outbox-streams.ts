import { STREAMS } from '@mgw/contracts';
import { onRow, type Tx } from '@mgw/postgres';
import type { JetStreamManager, StreamInfo } from 'nats';
import { Link } from './link';
import type { OutboxRelayOptions } from './relay-options';
import { ensureStreams, limitsOn, makeRoom, streamOf } from './streams';

/** An event that JetStream has acknowledged. */
export interface Published {
  event_id: string;
  stream: string;
  /** The sequence of its message. */
  seq: number;
  /** The numbering that the sequence belongs to; see `OutboxStreams`. */
  epoch: number;
}

export interface KnownStream {
  created: string;
  last_seq: string;
  epoch: number;
}

/** A stream, as last compared. */
interface Compared {
  epoch: number;
  /** Whether it has lost events within `RECENTLY`. */
  lostRecently: boolean;
}

/** Pause between two comparisons without a reconnection, in milliseconds. */
const CHECK_EVERY_MS = 60_000;
/** Missing events that are published again before new ones. The refill publishes the others in the background. */
const MAX_FIRST = 20_000;
/** How long a process that starts considers a loss. */
const RECENTLY = `interval '10 seconds'`;
/** SQL: now that the transaction locks what all replicas need, it may pause as briefly as others (decision 791). */
const PAUSE_LIMIT = `set_config('idle_in_transaction_session_timeout', NULL, true)`;
/** Overlap in case a failover of PostgreSQL sets its clock back. */
const CLOCK_SKEW = `interval '2 seconds'`;

/** SQL over `outbox o`: whether an event published before the loss is missing from the stream. */
export function isMissing(numberedFrom: string, above: string, subjects: string): string {
  return `(o.subject LIKE ${subjects} AND
    (o.published_at < ${numberedFrom}::timestamptz OR o.published_seq IS NULL OR o.published_seq > ${above}::bigint))`;
}

export function subjectsOf(stream: string): string {
  return `${STREAMS[stream as keyof typeof STREAMS].subjects.slice(0, -1)}%`;
}

/**
 * Records the last acknowledged sequence of each stream, and detects that a stream has lost events: it was created again, or it ends below
 * that sequence. A loss begins a new epoch, and acknowledgements of an earlier epoch mark nothing. Events that consumers may not have
 * handled are published again: the last 20,000 before new events, the others by `OutboxRefill`.
 */
export class OutboxStreams {
  readonly link: Link;
  private checkedAt = -Infinity;
  /** The number of reconnections when the streams were last compared. */
  private comparedAt: number | undefined;
  /** The epoch of each stream, as last compared. */
  private readonly known = new Map<string, number>();
  /** Streams that reach their consumers' position, and the number of reconnections when that was seen. */
  private readonly consumersReachedAt = new Map<string, number>();

  /** @param changed called when the connection breaks or is restored */
  constructor(
    private readonly options: OutboxRelayOptions,
    changed: () => void,
  ) {
    this.link = new Link(options.nc, () => {
      this.checkedAt = -Infinity;
      changed();
    });
  }

  close(): void {
    this.link.close();
  }

  epochs(): Map<string, number> {
    return new Map(this.known);
  }

  /**
   * Compares the streams once a minute and after every reconnection, because a server loses its store only with a restart.
   * @returns whether events have to be published again, or had to be a few seconds ago
   */
  async check(): Promise<boolean> {
    if (performance.now() - this.checkedAt < CHECK_EVERY_MS) return false;
    const { reconnections } = this.link;
    const startedAt = performance.now();
    let lost = false;
    for (const [stream, { epoch, lostRecently }] of await this.compareAll()) {
      const before = this.known.get(stream);
      this.known.set(stream, epoch);
      lost ||= lostRecently || (before !== undefined && before !== epoch);
    }
    this.comparedAt = reconnections;
    if (reconnections === this.link.reconnections) this.checkedAt = startedAt;
    return lost;
  }

  /** Compares the streams, and records which events have to be published again. */
  async compareAll(): Promise<Map<string, Compared>> {
    const { nc, streams } = this.options;
    const manager = await nc.jetstreamManager();
    await ensureStreams(manager, limitsOn(nc));
    const compared = new Map<string, Compared>();
    for (const stream of streams) compared.set(stream, await this.compare(manager, stream));
    return compared;
  }

  /** Publishes, or waits, on a connection whose streams have been compared: on a new one, lost events must be published before new ones. */
  whileCompared<T>(publish: () => Promise<T>): Promise<T> {
    if (this.comparedAt !== this.link.reconnections)
      return Promise.reject(new Error('NATS has reconnected: its streams are compared first'));
    return this.link.whileUp(publish);
  }

  /**
   * Marks events as published, and raises the recorded sequence of each stream.
   * @returns false if a stream has lost events meanwhile: nothing is marked, and these events are published again
   */
  async mark(tx: Tx, events: Published[]): Promise<boolean> {
    const { schema } = this.options;
    const reached = new Map<string, Published>();
    for (const event of events) {
      const key = `${event.stream} ${event.epoch}`;
      if (event.seq > (reached.get(key)?.seq ?? 0)) reached.set(key, event);
    }
    const streams = [...reached.values()];
    const [marked] = await tx.query<{ current: boolean }>(
      `WITH known AS (
         SELECT s.stream, n.seq FROM ${schema}.outbox_streams s
         JOIN unnest($1::text[], $2::bigint[], $3::integer[]) AS n (stream, seq, epoch) ON n.stream = s.stream AND n.epoch = s.epoch
         ORDER BY s.stream FOR UPDATE OF s
       ), current AS MATERIALIZED (
         SELECT count(*) = cardinality($1::text[]) AS current FROM known
       ), marked AS (
         UPDATE ${schema}.outbox o SET published_at = clock_timestamp(), published_seq = n.seq
         FROM unnest($4::text[], $5::bigint[]) AS n (event_id, seq)
         WHERE o.event_id = n.event_id AND (SELECT current FROM current) AND ${onRow('o.published_at IS NULL')}
       ), raised AS (
         UPDATE ${schema}.outbox_streams s SET last_seq = greatest(s.last_seq, known.seq) FROM known WHERE s.stream = known.stream
       )
       SELECT current, ${PAUSE_LIMIT} FROM current`,
      [
        streams.map(({ stream }) => stream),
        streams.map(({ seq }) => seq),
        streams.map(({ epoch }) => epoch),
        events.map(({ event_id }) => event_id),
        events.map(({ seq }) => seq),
      ],
    );
    const current = marked?.current === true;
    if (!current) this.checkedAt = -Infinity;
    return current;
  }

  /** @param subject the subject of an event that a full stream refused */
  async makeRoom(subject: string): Promise<boolean> {
    const stream = streamOf(subject);
    return stream !== undefined && makeRoom(await this.options.nc.jetstreamManager(), stream);
  }

  /**
   * A server that lost the end of a stream may still hold its consumers' positions, and would deliver no message below them.
   * @returns the number of messages that the stream needs before new events
   */
  async countMissingBeforeNew(stream: string): Promise<number> {
    const { reconnections } = this.link;
    if (this.consumersReachedAt.get(stream) === reconnections) return 0;
    const manager = await this.options.nc.jetstreamManager();
    let delivered = 0;
    for await (const consumer of manager.consumers.list(stream)) delivered = Math.max(delivered, consumer.delivered.stream_seq);
    // Read after the consumers: they may receive more until then.
    const { state } = await manager.streams.info(stream);
    if (state.last_seq < delivered) return delivered - state.last_seq;
    this.consumersReachedAt.set(stream, reconnections);
    return 0;
  }

  private async compare(manager: JetStreamManager, stream: string): Promise<Compared> {
    const { db, schema } = this.options;
    const known = await this.find(db, stream);
    // Read after `known`, whose sequences were acknowledged before: a stream without a loss holds them.
    const info = await manager.streams.info(stream);
    if (known !== undefined && !hasLost(known, info)) return known;
    return db.transaction(
      async (tx) => {
        await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`${schema}.outbox`]);
        return this.compareLocked(tx, stream, manager);
      },
      { mayPause: true },
    );
  }

  /** Under the outbox lock. */
  private async compareLocked(tx: Tx, stream: string, manager: JetStreamManager): Promise<Compared> {
    const { schema, logger } = this.options;
    const known = await this.find(tx, stream, 'FOR UPDATE');
    const info = await manager.streams.info(stream);
    if (known === undefined) {
      const sql = `INSERT INTO ${schema}.outbox_streams (stream, created, last_seq) VALUES ($1, $2, $3)`;
      await tx.query(sql, [stream, info.created, info.state.last_seq]);
      return { epoch: 0, lostRecently: false };
    }
    if (!hasLost(known, info)) return known;
    const isNew = known.created !== info.created;
    const { first, more } = await this.recordLoss(tx, stream, info, isNew);
    logger.warn({ stream, is_new: isNew, last_seq: info.state.last_seq, first, more }, 'a stream has lost events: publishing them again');
    return { epoch: known.epoch + 1, lostRecently: true };
  }

  private async find(tx: Tx, stream: string, lock = ''): Promise<(KnownStream & Compared) | undefined> {
    const sql = `SELECT created, last_seq, epoch, numbered_from > clock_timestamp() - ${RECENTLY} AS "lostRecently"
      FROM ${this.options.schema}.outbox_streams WHERE stream = $1 ${lock}`;
    return (await tx.query<KnownStream & Compared>(sql, [stream]))[0];
  }

  /**
   * Unmarks the last 20,000 events that consumers may not have handled, and leaves those before them to the refill. During a refill the
   * range keeps its beginning, because refilled events may be lost now.
   */
  private async recordLoss(
    tx: Tx,
    stream: string,
    { created, state }: StreamInfo,
    isNew: boolean,
  ): Promise<{ first: number; more: boolean }> {
    const { schema } = this.options;
    const [lost] = await tx.query<{ at: string; until: string; numbered_from: string; above: string }>(
      `UPDATE ${schema}.outbox_streams SET created = $2, last_seq = $3, epoch = epoch + 1,
         numbered_from = CASE WHEN $4 THEN clock_timestamp() ELSE numbered_from END,
         refill_above = CASE WHEN $4 THEN 0 WHEN refill_until IS NULL THEN $3 ELSE least(refill_above, $3) END,
         refill_at = handled_until - ${CLOCK_SKEW}, refill_seq = 0, refill_until = clock_timestamp()
       WHERE stream = $1
       RETURNING refill_at::text AS at, refill_until::text AS until, numbered_from::text, refill_above AS above`,
      [stream, created, state.last_seq, isNew],
    );
    const [result] = await tx.query<{ first: string; more: boolean }>(
      `WITH recent AS MATERIALIZED (
         SELECT o.event_id, o.published_at, ${isMissing('$4', '$5', '$6')} AS missing FROM ${schema}.outbox o
         WHERE o.published_at > $2::timestamptz AND o.published_at <= $3::timestamptz
         ORDER BY o.published_at DESC, o.seq DESC LIMIT ${MAX_FIRST}
       ), first AS (
         UPDATE ${schema}.outbox o SET published_at = NULL FROM recent r WHERE o.event_id = r.event_id AND r.missing RETURNING 1
       ), rest AS (
         SELECT count(*) = ${MAX_FIRST} AS more, min(published_at) AS until FROM recent
       ), kept AS (
         UPDATE ${schema}.outbox_streams s SET refill_at = CASE WHEN more THEN refill_at END, refill_until = CASE WHEN more THEN until END
         FROM rest WHERE s.stream = $1
       )
       SELECT (SELECT count(*) FROM first) AS first, more FROM rest`,
      [stream, lost?.at, lost?.until, lost?.numbered_from, lost?.above, subjectsOf(stream)],
    );
    return { first: Number(result?.first ?? 0), more: result?.more === true };
  }
}

/** @param known read before the info, so its sequences were acknowledged by then */
export function hasLost(known: KnownStream, { created, state }: StreamInfo): boolean {
  return known.created !== created || state.last_seq < Number(known.last_seq);
}
