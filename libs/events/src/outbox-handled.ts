import type { JetStreamManager } from 'nats';
import type { OutboxRelayOptions } from './relay-options';
import { handledByAll } from './streams';
import { hasLost, type KnownStream, type OutboxStreams } from './outbox-streams';

/** Pause between two checks of a stream's consumers, in milliseconds. */
const CHECK_EVERY_MS = 2_000;
/** How long after the loss of a stream a stopped service may take to create its consumer again. */
const RETURN_WITHIN = '1 hour';

interface Candidate {
  /** Database time. Every event marked as published before it is at or below the sequence. */
  time: string;
  seq: number;
  epoch: number;
  /** When the stream was created. */
  created: string;
}

/**
 * Tracks up to which publication time every durable consumer of a stream has handled its events (`outbox_streams.handled_until`). If the
 * stream is lost, older events are not published again. It reads the time and the stream's last sequence, and stores the time once all
 * consumers have acknowledged that sequence. It may lag behind: an older time only means that more events are published again.
 */
export class OutboxHandled {
  private readonly candidates = new Map<string, Candidate>();
  /** Streams that received events since their last candidate. */
  private readonly published = new Set<string>();
  private checkAt = -Infinity;
  private checking: Promise<void> = Promise.resolve();
  private isChecking = false;

  constructor(
    private readonly options: OutboxRelayOptions,
    private readonly streams: OutboxStreams,
  ) {}

  notePublished(stream: string): void {
    this.published.add(stream);
  }

  /** Starts a check when it is due. */
  check(): void {
    if (this.isChecking || performance.now() < this.checkAt || this.published.size + this.candidates.size === 0) return;
    this.isChecking = true;
    this.checking = this.checkAll()
      .catch((error: unknown) => this.options.logger.debug({ err: error }, 'reading what consumers have handled failed; will retry'))
      .finally(() => {
        this.isChecking = false;
        this.checkAt = performance.now() + CHECK_EVERY_MS;
      });
  }

  /** Waits for a check in progress. */
  async close(): Promise<void> {
    await this.checking;
  }

  private async checkAll(): Promise<void> {
    const manager = await this.options.nc.jetstreamManager();
    for (const stream of new Set([...this.published, ...this.candidates.keys()])) {
      const candidate = this.candidates.get(stream);
      const isCurrent = candidate?.epoch === this.streams.epochs().get(stream);
      if (candidate === undefined || !isCurrent) await this.propose(manager, stream);
      else if (await hasHandled(manager, stream, candidate)) await this.store(stream, candidate);
    }
  }

  /** Reads the time first: events marked before it were acknowledged before the sequence is read. */
  private async propose(manager: JetStreamManager, stream: string): Promise<void> {
    const { db, schema } = this.options;
    const [known] = await db.nonDurable.query<KnownStream & { time: string; waits: boolean }>(
      `SELECT clock_timestamp()::text AS time, created, last_seq, epoch,
         refill_until IS NOT NULL OR numbered_from > clock_timestamp() - interval '${RETURN_WITHIN}' AS waits
       FROM ${schema}.outbox_streams WHERE stream = $1`,
      [stream],
    );
    // During a refill, events that it has not published yet are not handled. After a loss, the consumer of a stopped service is missing.
    if (known === undefined || known.waits) return;
    this.published.delete(stream);
    const info = await manager.streams.info(stream);
    if (hasLost(known, info)) return this.notePublished(stream);
    this.candidates.set(stream, { time: known.time, seq: info.state.last_seq, epoch: known.epoch, created: info.created });
  }

  private async store(stream: string, { time, epoch }: Candidate): Promise<void> {
    const { db, schema } = this.options;
    await db.nonDurable.query(
      `UPDATE ${schema}.outbox_streams SET handled_until = greatest(handled_until, $2::timestamptz)
       WHERE stream = $1 AND epoch = $3 AND refill_until IS NULL`,
      [stream, time, epoch],
    );
    this.candidates.delete(stream);
  }
}

/** Whether every durable consumer has handled everything up to the sequence. */
async function hasHandled(manager: JetStreamManager, stream: string, { seq, created }: Candidate): Promise<boolean> {
  const { state } = await manager.streams.info(stream);
  const handled = await handledByAll(manager, stream, state);
  // Consumers of a stream that lost its events have nothing left to handle either. So check last that it is still the same stream.
  const info = await manager.streams.info(stream);
  return handled !== undefined && handled >= seq && info.created === created && info.state.last_seq >= seq;
}
