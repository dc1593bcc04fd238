import type { EventType } from '@mgw/contracts';
import { within } from '@mgw/deadlines';
import { gauges } from '@mgw/telemetry';
import { BatchHandler } from './batch-handler';
import type { EventConsumerOptions } from './consumer-options';
import { DurableSubscription } from './durable-subscription';
import type { WorkerHeartbeat } from './heartbeat';
import { Lease } from './lease';
import { Load } from './load';
import type { ReceivedEvent } from './pending-message';
import { Signal } from './signal';

/** How long an ordered consumer may take to handle its waiting events at a stop, in milliseconds. */
const FINISH_MS = 3_000;
/** Bytes of events in one transaction, unless it has a single event. */
const MAX_BATCH_BYTES = 512 * 1024;
/** Pause between two checks for dead letters to replay, in milliseconds. */
const REPLAY_POLL_MS = 2_000;
const FLUSH_WITHIN_MS = 1_000;

/**
 * Consumes events of a stream: at least once from JetStream, once in effect by the inbox (guarantees §4).
 *
 * The path of an event: `DurableSubscription` pulls its message, `waiting` queues it, and `BatchHandler` applies a batch in one
 * transaction, then acknowledges, redelivers, or sets aside. An ordered consumer does so only while it holds the `Lease`.
 */
export class EventConsumer<E extends EventType = EventType> {
  private readonly waiting: ReceivedEvent[] = [];
  private readonly signal = new Signal();
  private readonly lease: Lease | undefined;
  private readonly worker: WorkerHeartbeat | undefined;
  private readonly subscription: DurableSubscription;
  private readonly batches: BatchHandler;
  private readonly batchSize: number;
  private readonly load: Load;
  /** The lease was lost, and `waiting` still holds events from before. */
  private leaseLost = false;
  private replayAt = 0;
  private stopped = false;
  private finishUntil = 0;
  private ended: Promise<void> = Promise.resolve();
  private readonly removeGauge: () => void;

  private readonly options: EventConsumerOptions;

  constructor(options: EventConsumerOptions<E>) {
    this.options = options;
    this.batchSize = options.concurrency ?? 128;
    this.load = new Load(options);
    if (options.ordered) {
      this.worker = options.worker;
      this.lease = new Lease(options, this.worker, () => this.leaseChanged());
    }
    this.batches = new BatchHandler(
      options,
      () => this.mayContinue(),
      (received) => this.waiting.unshift(...received),
    );
    this.subscription = new DurableSubscription(
      options,
      this.batchSize,
      () => this.mayHandle(),
      (message) => {
        this.waiting.push(...message.events);
        this.signal.notify();
      },
    );
    const { durable } = options;
    const help = 'Messages that a consumer has not handled, of all its replicas together; a message has one event or many';
    this.removeGauge = gauges('mgw_events_waiting', help, 'consumer', async () => ({
      [durable]: await this.subscription.countUnhandled(),
    }));
  }

  start(): void {
    this.worker?.start();
    this.lease?.start();
    this.subscription.start();
    this.ended = this.run();
  }

  /** Finishes the batch in progress and returns waiting events to JetStream. An ordered consumer handles them first. */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.lease) this.finishUntil = performance.now() + FINISH_MS;
    this.removeGauge();
    await this.subscription.stop();
    this.signal.notify();
    await this.ended;
    if (!this.lease) for (const { message } of this.waiting.splice(0)) message.redeliverAfter(0);
    this.subscription.close();
    await this.flush();
    await this.lease?.stop();
    await this.worker?.stop();
  }

  private async run(): Promise<void> {
    while (!this.stopped || (this.waiting.length > 0 && this.mayContinue())) {
      // Compares the clock: after a suspension no timer has fired yet.
      if (!this.mayHandle() && this.leaseLost) await this.dropWaiting();
      const batch = this.nextBatch();
      if (batch.length > 0) {
        await this.batches.handle(batch);
        await this.load.pause(batch.length, this.waiting.length >= this.batchSize || this.stopped);
      }
      await this.replay();
      if (this.waiting.length === 0) await this.signal.wait(Math.max(0, Math.min(this.replayAt - performance.now(), this.batches.dueInMs)));
    }
  }

  /** Retries are handled alone. */
  private nextBatch(): ReceivedEvent[] {
    const due = this.batches.takeDue();
    if (due) return [due];
    const batch: ReceivedEvent[] = [];
    let [taken, bytes] = [0, 0];
    for (const next of this.waiting) {
      if (batch.length === this.batchSize || (batch.length > 0 && bytes + next.bytes > MAX_BATCH_BYTES)) break;
      taken += 1;
      if (this.batches.queueBehindFailed(next)) continue;
      batch.push(next);
      bytes += next.bytes;
    }
    this.waiting.splice(0, taken);
    return batch;
  }

  /** Replays a dead letter between two batches, never during one; an ordered consumer needs the lease for it. */
  private async replay(): Promise<void> {
    if (this.stopped || performance.now() < this.replayAt) return;
    const more = this.mayHandle() && (await this.batches.replay());
    this.replayAt = more ? 0 : performance.now() + REPLAY_POLL_MS;
  }

  private mayHandle(): boolean {
    return this.lease === undefined || (this.lease.isHeld && !this.leaseLost);
  }

  private mayContinue(): boolean {
    return this.mayHandle() && (!this.stopped || performance.now() < this.finishUntil);
  }

  /** The lease was won or lost. */
  private leaseChanged(): void {
    if (!this.lease?.isHeld) this.leaseLost = true;
    this.subscription.permissionChanged();
    this.signal.notify();
  }

  /**
   * Drops the events from before the lease was lost. The next holder makes JetStream redeliver them in order; returned one by one, they
   * might arrive in another order.
   */
  private async dropWaiting(): Promise<void> {
    await this.subscription.dropHeld();
    this.batches.dropWaiting();
    this.waiting.length = 0;
    this.leaseLost = false;
    this.subscription.permissionChanged();
  }

  /** Makes sure that acknowledgements arrive before the next holder requests unacknowledged messages. */
  private async flush(): Promise<void> {
    await within(FLUSH_WITHIN_MS, () => this.options.nc.flush()).catch(() => undefined);
  }
}
