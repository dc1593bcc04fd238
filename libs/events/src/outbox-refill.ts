import type { Tx } from '@mgw/postgres';
import type { JetStreamManager } from 'nats';
import type { OutboxRow } from './outbox';
import { isMissing, subjectsOf, type OutboxStreams } from './outbox-streams';
import { Publisher } from './publisher';
import type { OutboxRelayOptions } from './relay-options';
import { Signal } from './signal';
import { makeRoom } from './streams';

/** Rows that one step reads, and bytes of events that it publishes. */
const STEP_ROWS = 5_000;
const STEP_BYTES = 1024 ** 2;
/** A step waits while the outbox holds this many new events. */
const MAX_WAITING = 256;
/** A step begins when no consumer has more unhandled messages than this; a new event waits behind them and one step. */
const MAX_AHEAD = 64;
/** A consumer that handles nothing for this long, in milliseconds, counts as stopped: the refill does not wait for it. */
const STOPPED_AFTER_MS = 3_000;
/** The part of a stream that the refill leaves to new events. */
const ROOM_FOR_NEW = 0.5;
const LAG_PAUSE_MS = 25;
const PAUSE_MS = 1_000;

interface State {
  held: boolean;
  busy: boolean;
  epoch: number;
  at: string;
  seq: string;
  until: string;
  from: string;
  above: string;
}

interface Row extends OutboxRow {
  published_at: string;
  seq: string;
  /** Whether it is missing and NATS accepts its size. */
  fits: boolean;
}

interface Progress {
  handled: number;
  at: number;
}

/**
 * Publishes the events of a lost stream again, in their order and together with new events, which never wait for it. It works in steps; each one
 * begins when the consumers have caught up with the previous one. `outbox_streams` holds the cursor, so any replica can continue. It
 * writes no rows of the outbox.
 */
export class OutboxRefill {
  private readonly streamsToFill = new Set<string>();
  private readonly progress = new Map<string, Progress>();
  private readonly publisher: Publisher;
  private readonly signal = new Signal();
  private running: Promise<void> | undefined;
  private stopped = false;

  constructor(
    private readonly options: OutboxRelayOptions,
    private readonly streams: OutboxStreams,
  ) {
    this.publisher = new Publisher(options, streams);
  }

  /** @param streams that have lost events */
  start(streams: readonly string[]): void {
    for (const stream of streams) this.streamsToFill.add(stream);
    if (this.stopped || this.streamsToFill.size === 0) return;
    this.running ??= this.run().finally(() => (this.running = undefined));
  }

  /** Finishes the step in progress. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.signal.notify();
    await this.running;
  }

  private async run(): Promise<void> {
    const { logger } = this.options;
    while (!this.stopped && this.streamsToFill.size > 0) {
      for (const stream of [...this.streamsToFill]) {
        try {
          if (!this.stopped) await this.stepAndPause(stream);
        } catch (error) {
          logger.warn({ err: error, stream }, 'refilling a stream failed; will retry');
          await this.signal.wait(PAUSE_MS);
        }
      }
    }
  }

  private async stepAndPause(stream: string): Promise<void> {
    // A step that met only events of other streams publishes nothing, so the consumers need no time.
    if ((await this.step(stream)) === 0) return;
    for (let pauseMs = await this.pauseFor(stream); pauseMs > 0 && !this.stopped; pauseMs = await this.pauseFor(stream))
      await this.signal.wait(pauseMs);
  }

  /** @returns the number of published events */
  private async step(stream: string): Promise<number> {
    const { db, schema, logger } = this.options;
    // If PostgreSQL loses its last half second the cursor is older, and some events are published twice.
    const outcome = await db.transaction((tx) => this.fill(tx, stream), { durable: false, mayPause: true });
    if (typeof outcome === 'number') return outcome;
    if (outcome === 'ended') {
      this.streamsToFill.delete(stream);
      logger.info({ stream, schema }, 'the refill of a lost stream is complete');
    }
    if (outcome === 'elsewhere') this.streamsToFill.delete(stream);
    if (outcome === 'refused') await this.signal.wait(PAUSE_MS);
    if (outcome === 'busy') await this.signal.wait(LAG_PAUSE_MS);
    return 0;
  }

  /** @returns the number of published events, or why it published none */
  private async fill(tx: Tx, stream: string): Promise<number | 'busy' | 'refused' | 'ended' | 'elsewhere'> {
    const { schema } = this.options;
    const [state] = await tx.query<State>(
      `SELECT pg_try_advisory_xact_lock(hashtext($1)) AS held, epoch, refill_at::text AS at, refill_seq AS seq, refill_until::text AS until,
         numbered_from::text AS from, refill_above AS above,
         (SELECT count(*) = ${MAX_WAITING} FROM (SELECT FROM ${schema}.outbox WHERE published_at IS NULL LIMIT ${MAX_WAITING}) waiting) AS busy
       FROM ${schema}.outbox_streams WHERE stream = $2 AND refill_until IS NOT NULL`,
      [`${schema}.outbox.refill`, stream],
    );
    // Another replica refills it, or has completed it.
    if (!state?.held) return 'elsewhere';
    if (state.busy) return 'busy';
    if (state.epoch !== this.streams.epochs().get(stream)) return 'refused';
    const rows = await this.read(tx, stream, state);
    const last = rows.at(-1);
    if (last === undefined) {
      await tx.query(
        `UPDATE ${schema}.outbox_streams SET refill_at = NULL, refill_until = NULL, numbered_from = greatest(numbered_from, refill_until)
         WHERE stream = $1 AND epoch = $2`,
        [stream, state.epoch],
      );
      return 'ended';
    }
    const missing = rows.filter(({ fits }) => fits);
    const done = new Set((await this.publisher.publish(missing)).map(({ event_id }) => event_id));
    const failed = rows.findIndex((row) => row.fits && !done.has(row.event_id));
    const reached = failed === -1 ? last : rows[failed - 1];
    if (reached !== undefined) {
      const sql = `UPDATE ${schema}.outbox_streams SET refill_at = $2::timestamptz, refill_seq = $3 WHERE stream = $1 AND epoch = $4`;
      await tx.query(sql, [stream, reached.published_at, reached.seq, state.epoch]);
    }
    return failed === -1 ? done.size : 'refused';
  }

  /** Reads the next missing events within the budget in bytes, and the last row of the step. */
  private read(tx: Tx, stream: string, state: State): Promise<Row[]> {
    const { schema } = this.options;
    return tx.query<Row>(
      `WITH next AS MATERIALIZED (
         SELECT o.event_id, o.published_at, o.seq, octet_length(o.body) AS bytes, ${isMissing('$4', '$5', '$6')} AS missing FROM ${schema}.outbox o
         WHERE (o.published_at, o.seq) > ($1::timestamptz, $2::bigint) AND o.published_at <= $3::timestamptz
         ORDER BY o.published_at, o.seq LIMIT ${STEP_ROWS}
       ), budgeted AS (
         SELECT *, sum(CASE WHEN missing AND bytes <= $7 THEN bytes ELSE 0 END) OVER counted AS bytes_to_here, row_number() OVER counted AS nth
         FROM next WINDOW counted AS (ORDER BY published_at, seq)
       ), step AS MATERIALIZED (
         SELECT * FROM budgeted WHERE bytes_to_here <= ${STEP_BYTES} OR nth = 1
       )
       SELECT s.published_at::text, s.seq, s.event_id, s.missing AND s.bytes <= $7 AS fits, o.subject, o.ordering_key, o.traceparent, o.body
       FROM step s LEFT JOIN ${schema}.outbox o ON o.event_id = CASE WHEN s.missing AND s.bytes <= $7 THEN s.event_id END
       WHERE s.missing OR s.nth = (SELECT max(nth) FROM step) ORDER BY s.nth`,
      [state.at, state.seq, state.until, state.from, state.above, subjectsOf(stream), this.publisher.maxBody],
    );
  }

  /** @returns milliseconds to wait; 0 when the consumers have caught up and the stream has room for new events too */
  private async pauseFor(stream: string): Promise<number> {
    const manager = await this.options.nc.jetstreamManager();
    const { config, state } = await manager.streams.info(stream);
    if (config.max_bytes > 0 && state.bytes > config.max_bytes * ROOM_FOR_NEW) return (await makeRoom(manager, stream)) ? 0 : PAUSE_MS;
    return (await this.isBehind(manager, stream)) ? LAG_PAUSE_MS : 0;
  }

  private async isBehind(manager: JetStreamManager, stream: string): Promise<boolean> {
    let isBehind = false;
    for await (const { name, config, num_pending, num_ack_pending, ack_floor } of manager.consumers.list(stream)) {
      if (config.durable_name === undefined) continue;
      const before = this.progress.get(name);
      const now = performance.now();
      const hasMoved = before?.handled !== ack_floor.consumer_seq;
      if (hasMoved) this.progress.set(name, { handled: ack_floor.consumer_seq, at: now });
      const isStopped = !hasMoved && before !== undefined && now - before.at > STOPPED_AFTER_MS;
      if (num_pending + num_ack_pending > MAX_AHEAD && !isStopped) isBehind = true;
    }
    return isBehind;
  }
}
