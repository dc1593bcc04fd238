import type { EventEnvelope, EventType, StreamName } from '@mgw/contracts';
import { within, type Database, type Tx } from '@mgw/postgres';
import { gauges, type Logger } from '@mgw/telemetry';
import type { NatsConnection } from 'nats';
import { BatchHandler } from './batch-handler';
import { DurableSubscription } from './durable-subscription';
import { WorkerHeartbeat } from './heartbeat';
import { Lease } from './lease';
import { Load } from './load';
import type { Offered } from './open-message';
import { Signal } from './signal';

/** How long a stop may take to finish what waits, in milliseconds. */
const FINISH_MS = 3_000;
/** Bytes of events in one transaction at most, unless it is one event. */
const MOST_BATCH_BYTES = 512 * 1024;
/** How long a dead letter that somebody asks for waits for its turn at most, in milliseconds, while there is no other work. */
const REPLAY_LOOK_MS = 2_000;
const FLUSH_WITHIN_MS = 1_000;

export interface EventConsumerOptions {
  nc: NatsConnection;
  db: Database;
  /** Where `inbox` and `dead_letters` are. */
  schema: string;
  logger: Logger;
  /** Name of the durable consumer; replicas with the same name share the events. */
  durable: string;
  stream: StreamName;
  /** Only this type; absent: every type of the stream. */
  type?: EventType;
  /**
   * Events of one key are handled in the order in which they were told, whatever the number of replicas: one of them at a time
   * hears them, by a lease in `consumer_leases`. Without it each replica takes what it can.
   */
  ordered?: boolean;
  /** Events in one transaction at most. */
  concurrency?: number;
  /** Nobody waits for the effect: it rests at a lower load already, for fewer and larger transactions. */
  patient?: boolean;
  /** Attempts of one process, with the database there, before an event goes to the dead letters. */
  maxDeliver?: number;
  /** Deadline of the handler for one batch, in milliseconds. What it has written by then is undone. */
  handleWithinMs?: number;
  /**
   * The effect of all events, or of these, is fenced by a key or a state of its own, so that having it again changes nothing:
   * they need no inbox, which costs as much as most effects do.
   */
  guarded?: boolean | ((event: EventEnvelope) => boolean);
  /** `handle` is a single statement, guarded or remembering the events in the inbox itself: it needs no transaction around it. */
  oneStatement?: boolean;
  /**
   * The effect of events that were not handled before, in the transaction that remembers them. A throw undoes all of it.
   * @returns events that it has put into the outbox, if it says
   */
  handle(events: EventEnvelope[], tx: Tx): Promise<EventEnvelope[] | void>;
  /** After the commit of an effect, with what `handle` returned: the moment to wake what works on it. */
  committed?(told: EventEnvelope[]): void;
}

/** Hears events: at least once from JetStream, once in effect by the inbox (guarantees §4). */
export class EventConsumer {
  private readonly waiting: Offered[] = [];
  private readonly signal = new Signal();
  private readonly lease: Lease | undefined;
  private readonly worker: WorkerHeartbeat | undefined;
  private readonly subscription: DurableSubscription;
  private readonly batches: BatchHandler;
  private readonly batchSize: number;
  private readonly load: Load;
  /** The lease was lost, and what was at hand then is at hand still. */
  private lapsed = false;
  private replayAt = 0;
  private stopped = false;
  private finishUntil = 0;
  private ended: Promise<void> = Promise.resolve();
  private readonly forget: () => void;

  constructor(private readonly options: EventConsumerOptions) {
    this.batchSize = options.concurrency ?? 128;
    this.load = new Load(options);
    if (options.ordered) {
      this.worker = new WorkerHeartbeat(options);
      this.lease = new Lease(options, this.worker, () => this.turn());
    }
    this.batches = new BatchHandler(
      options,
      () => this.goesOn(),
      (offered) => this.waiting.unshift(...offered),
    );
    this.subscription = new DurableSubscription(
      options,
      this.batchSize,
      () => this.isOurs(),
      (message) => {
        this.waiting.push(...message.offered);
        this.signal.give();
      },
    );
    const { durable } = options;
    const help = 'Messages, of one event or many, that a consumer has not handled, of all its replicas together';
    this.forget = gauges('mgw_events_waiting', help, 'consumer', async () => ({ [durable]: await this.subscription.waiting() }));
  }

  start(): void {
    this.worker?.start();
    this.lease?.start();
    this.subscription.start();
    this.ended = this.run();
  }

  /** Finishes the batch under way and gives back what waits; where order matters, what waits is finished too. */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.lease) this.finishUntil = performance.now() + FINISH_MS;
    this.forget();
    await this.subscription.stop();
    this.signal.give();
    await this.ended;
    if (!this.lease) for (const { message } of this.waiting.splice(0)) message.again(0);
    this.subscription.close();
    await this.flush();
    await this.lease?.stop();
    await this.worker?.stop();
  }

  private async run(): Promise<void> {
    while (!this.stopped || (this.waiting.length > 0 && this.goesOn())) {
      // By the clock: after a standstill nothing has said so yet.
      if (!this.isOurs() && this.lapsed) await this.drop();
      const batch = this.nextBatch();
      if (batch.length > 0) {
        await this.batches.handle(batch);
        await this.load.rest(batch.length, this.waiting.length >= this.batchSize || this.stopped);
      }
      await this.replay();
      if (this.waiting.length === 0) await this.signal.wait(Math.max(0, Math.min(this.replayAt - performance.now(), this.batches.dueInMs)));
    }
  }

  /** One that failed and is due again comes alone. */
  private nextBatch(): Offered[] {
    const due = this.batches.takeDue();
    if (due) return [due];
    const batch: Offered[] = [];
    let [taken, bytes] = [0, 0];
    for (const next of this.waiting) {
      if (batch.length === this.batchSize || (batch.length > 0 && bytes + next.bytes > MOST_BATCH_BYTES)) break;
      taken += 1;
      if (this.batches.holds(next)) continue;
      batch.push(next);
      bytes += next.bytes;
    }
    this.waiting.splice(0, taken);
    return batch;
  }

  /** A dead letter that somebody has asked for, between what comes: never beside it, and of an ordered consumer by who holds the lease. */
  private async replay(): Promise<void> {
    if (this.stopped || performance.now() < this.replayAt) return;
    const more = this.isOurs() && (await this.batches.replay());
    this.replayAt = more ? 0 : performance.now() + REPLAY_LOOK_MS;
  }

  private isOurs(): boolean {
    return this.lease === undefined || (this.lease.isHeld && !this.lapsed);
  }

  private goesOn(): boolean {
    return this.isOurs() && (!this.stopped || performance.now() < this.finishUntil);
  }

  /** The lease was won or lost. */
  private turn(): void {
    if (!this.lease?.isHeld) this.lapsed = true;
    this.subscription.turn();
    this.signal.give();
  }

  /**
   * Drops what was at hand when the lease was lost: it belongs to the replica that has the lease next, which takes it back in order.
   * Given back one by one, JetStream may deliver it in another order.
   */
  private async drop(): Promise<void> {
    await this.subscription.drop();
    this.batches.drop();
    this.waiting.length = 0;
    this.lapsed = false;
    this.subscription.turn();
  }

  /** Acknowledgements reach the server before the next replica takes back what is not acknowledged. */
  private async flush(): Promise<void> {
    await within(FLUSH_WITHIN_MS, () => this.options.nc.flush()).catch(() => undefined);
  }
}
