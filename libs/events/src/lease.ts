import { RepeatedWarning } from '@mgw/telemetry';
import type { EventConsumerOptions } from './consumer-options';
import { deadWorkers, type WorkerHeartbeat } from './heartbeat';
import { Signal } from './signal';

/** Pause between two checks of another replica's lease, in milliseconds; shorter if its worker's time ends sooner. */
const CHECK_EVERY_MS = 250;
/** Margin after the end of the worker's time. */
const LATE_MS = 10;

/**
 * Lets one replica at a time pull a consumer's events. The lease is a row that names a worker: it is free when that worker is dead (see
 * WorkerHeartbeat), and a clean stop deletes it.
 *
 * Two replicas never pull at once: a worker's own clock ends before the database frees its lease, and a worker that was dead continues
 * under a new id. A replica that was suspended within a transaction may commit it after another one took over. The new holder begins with
 * the same unacknowledged events in the same order, so one of the two commits has no effect.
 */
export class Lease {
  private readonly signal = new Signal();
  /** The worker id in the row. */
  private heldBy: string | undefined;
  private checkInMs = 0;
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  /** @param changed called when the lease is won or lost */
  constructor(
    private readonly options: EventConsumerOptions,
    private readonly worker: WorkerHeartbeat,
    private readonly changed: () => void,
  ) {
    worker.onChange(() => this.workerChanged());
  }

  get isHeld(): boolean {
    return this.heldBy !== undefined && this.heldBy === this.worker.id;
  }

  start(): void {
    this.ended = this.run();
  }

  /** Releases the lease for the next replica. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.signal.notify();
    await this.ended;
    const { heldBy } = this;
    if (heldBy === undefined || !this.isHeld) return;
    const { db, schema, durable, logger } = this.options;
    try {
      await db.query(`DELETE FROM ${schema}.consumer_leases WHERE consumer = $1 AND worker_id = $2`, [durable, heldBy]);
    } catch (error) {
      logger.warn({ err: error, consumer: durable }, 'releasing a lease failed; it ends when its worker expires');
    }
  }

  private async run(): Promise<void> {
    const { durable, logger } = this.options;
    const failed = new RepeatedWarning(logger, 'claiming a lease failed; will retry', { consumer: durable });
    while (!this.stopped) {
      this.checkInMs = CHECK_EVERY_MS;
      try {
        const { id } = this.worker;
        if (id !== undefined && this.heldBy !== id && (await this.claim(id))) {
          this.heldBy = id;
          if (this.isHeld) this.changed();
        }
      } catch (error) {
        failed.warn(error);
      }
      await this.signal.wait(this.checkInMs);
    }
  }

  /**
   * Compares the holder with the one that was found dead, so only one of two replicas succeeds. It locks and rereads the worker's row, so a
   * renewal that is being committed still counts.
   */
  private async claim(id: string): Promise<boolean> {
    const { db, schema, durable } = this.options;
    const [found] = await db.query<{ worker_id: string; alive_ms: number }>(
      `SELECT l.worker_id, coalesce(extract(epoch FROM w.alive_until - clock_timestamp()) * 1000, 0)::float8 AS alive_ms
       FROM ${schema}.consumer_leases l LEFT JOIN ${schema}.workers w ON w.worker_id = l.worker_id WHERE l.consumer = $1`,
      [durable],
    );
    // The response to an earlier claim was lost after its commit.
    if (found?.worker_id === id) return true;
    if (found && found.alive_ms > 0) {
      this.checkInMs = Math.min(CHECK_EVERY_MS, found.alive_ms + LATE_MS);
      return false;
    }
    const taken = found
      ? await db.query(
          `WITH ${deadWorkers(schema, 'SELECT $3::text AS worker')}
           UPDATE ${schema}.consumer_leases SET worker_id = $2
           WHERE consumer = $1 AND worker_id = $3 AND EXISTS (SELECT FROM dead) RETURNING 1`,
          [durable, id, found.worker_id],
        )
      : await db.query(
          `INSERT INTO ${schema}.consumer_leases (consumer, worker_id) VALUES ($1, $2)
           ON CONFLICT (consumer) DO NOTHING RETURNING 1`,
          [durable, id],
        );
    return taken.length > 0;
  }

  private workerChanged(): void {
    if (this.heldBy === undefined || this.heldBy === this.worker.id) return;
    this.heldBy = undefined;
    this.changed();
  }
}
