import { AckPolicy, DeliverPolicy, nanos, type ConsumerInfo, type JetStreamManager, type NatsConnection } from 'nats';
import type { EventConsumerOptions } from './consumer-options';
import { PendingMessages } from './pending-messages';
import { PendingMessage } from './pending-message';
import { Puller } from './puller';
import type { PulledMessage } from './pulled-message';
import { Signal } from './signal';
import { MAX_AGE_MS, ensureStreams, isMissing, limitsOn } from './streams';

/**
 * Without a sign of life for this long, messages are delivered to another replica, in milliseconds: this is how a dead replica's messages
 * come back. A living replica gives that sign for what waits longer.
 */
const ACK_WAIT_MS = 2_000;
const WORKING_EVERY_MS = 500;
/** Ordered consumers take back what a dead replica held when they take over; see `letReturn`. */
const ORDERED_ACK_WAIT_MS = 30_000;
/** The wait that makes the server deliver everything again, and how long it needs to notice, in milliseconds. */
const RETURN_WAIT_MS = 1;
const RETURN_AFTER_MS = 180;
/** How long a request for messages lives, in milliseconds. Of a process that stands still no request is left when its lease ends. */
const EXPIRES_MS = 3_000;
const ORDERED_EXPIRES_MS = 1_000;
const LOOK_EVERY_MS = 100;
/** Deadline of the response about a consumer, in milliseconds: a stop waits for it. */
const INFO_MS = 1_000;
/**
 * The server deletes a consumer that nobody uses when everything it has missed is too old anyway. Until then the consumer keeps a full
 * stream from emptying.
 */
const FORGOTTEN_AFTER = nanos(MAX_AGE_MS);

/**
 * A durable pull consumer that is always there: whatever happens to the connection, the stream or the consumer, it makes what
 * is missing and pulls again.
 */
export class DurableSubscription {
  private puller: Puller | undefined;
  /** Those that were handed over and are not settled. */
  private readonly held: PendingMessages;
  private readonly ackWaitMs: number;
  /** Messages may have been delivered that never came; where order matters they are delivered again before anything later is taken. */
  private mayHaveMissed = true;
  private isNextTooLarge = false;
  private working: NodeJS.Timeout | undefined;
  private readonly signal = new Signal();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  /** @param mayPull whether this replica may pull; an ordered consumer is pulled by one replica at a time */
  constructor(
    private readonly options: EventConsumerOptions,
    private readonly batchSize: number,
    private readonly mayPull: () => boolean,
    private readonly onMessage: (message: PendingMessage) => void,
  ) {
    this.held = new PendingMessages(batchSize);
    this.ackWaitMs = options.ordered ? ORDERED_ACK_WAIT_MS : ACK_WAIT_MS;
  }

  start(): void {
    void this.restartOnReconnect(this.options.nc);
    if (!this.options.ordered) this.working = setInterval(() => this.extendSlow(), WORKING_EVERY_MS);
    this.ended = this.run();
  }

  /** How many messages the durable consumer has not handled. */
  async countUnhandled(): Promise<number> {
    const { num_pending, num_ack_pending } = await this.info();
    return num_pending + num_ack_pending;
  }

  /** `mayPull` has changed. */
  permissionChanged(): void {
    if (this.mayPull()) this.signal.notify();
    else void this.drain();
  }

  /** Drops what it holds, for the replica that pulls next. */
  async dropHeld(): Promise<void> {
    await this.drain();
    this.held.clear();
    this.mayHaveMissed = true;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.signal.notify();
    await this.drain();
    await this.ended;
  }

  /** When everything that was handed over is settled. */
  close(): void {
    clearInterval(this.working);
  }

  private async run(): Promise<void> {
    const { logger, durable } = this.options;
    while (!this.stopped) {
      try {
        if (this.mayPull()) await this.pull();
      } catch (error) {
        logger.warn({ err: error, consumer: durable }, 'pulling events failed; trying again');
      }
      if (!this.stopped) await this.signal.wait(300);
    }
  }

  /** @returns when it came to an end */
  private async pull(): Promise<void> {
    const { nc, durable, stream, ordered, logger } = this.options;
    const manager = await nc.jetstreamManager();
    await this.ensureConsumer(manager);
    if (ordered && this.mayHaveMissed) await this.redeliverUnacknowledged(manager);
    if (this.stopped || !this.mayPull()) return;
    this.mayHaveMissed = false;
    this.puller = new Puller({
      nc,
      stream,
      durable,
      expiresMs: ordered ? ORDERED_EXPIRES_MS : EXPIRES_MS,
      onMessage: (message) => this.open(message),
      onRequestEnd: (isTooLarge) => {
        this.isNextTooLarge = isTooLarge;
        this.refill();
      },
    });
    this.refill();
    const reason = await this.puller.closed;
    if (!this.mayPull() || this.stopped) return;
    logger.info({ consumer: durable, reason }, 'pulling events was interrupted');
    this.mayHaveMissed = true;
  }

  /** Requests as many messages as there is room for. */
  private refill(): void {
    const { puller } = this;
    if (!puller || puller.isRequesting || this.stopped || !this.mayPull()) return;
    if (this.isNextTooLarge) {
      if (this.held.isHalfEmpty) puller.request(1);
      return;
    }
    const room = this.held.room();
    if (room) puller.request(room.messages, room.bytes);
  }

  /** Pulls no more. What is on its way still comes: dropped, it would be received again after what was told later. */
  private async drain(): Promise<void> {
    await this.puller?.drain();
    // The server forgets requests without a listener when it is asked about the consumer; it would deliver messages to them.
    if (this.options.ordered) await this.info().catch(() => undefined);
  }

  /**
   * Makes the server deliver again, in order and before anything later, what was delivered and not acknowledged: a shorter wait for
   * acknowledgements is over for all of it. Requests of a replica that stands still would take some of it, so they expire first.
   */
  private async redeliverUnacknowledged(manager: JetStreamManager): Promise<void> {
    const { stream, durable } = this.options;
    const info = () => manager.consumers.info(stream, durable);
    const { num_ack_pending } = await info();
    if (num_ack_pending <= this.held.size) return;
    const expireBy = performance.now() + 2 * ORDERED_EXPIRES_MS;
    while ((await info()).num_waiting > 0 && performance.now() < expireBy) await this.pause(LOOK_EVERY_MS);
    await manager.consumers.update(stream, durable, { ack_wait: nanos(RETURN_WAIT_MS) });
    await this.pause(RETURN_AFTER_MS);
    await manager.consumers.update(stream, durable, { ack_wait: nanos(this.ackWaitMs) });
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resume) => setTimeout(resume, ms));
  }

  /** A message that is held may be delivered again: it is held once, and acknowledged as its last delivery. */
  private open(message: PulledMessage): void {
    const { key } = message;
    const held = this.held.get(key);
    if (held) return held.redelivered(message);
    const open = new PendingMessage(message, () => {
      this.held.delete(key);
      this.refill();
    });
    this.held.add(key, open);
    this.onMessage(open);
  }

  private extendSlow(): void {
    for (const message of this.held.values()) message.extendIfSlow();
  }

  private async info(): Promise<ConsumerInfo> {
    const { nc, stream, durable } = this.options;
    return (await nc.jetstreamManager({ timeout: INFO_MS, checkAPI: false })).consumers.info(stream, durable);
  }

  private async ensureConsumer(manager: JetStreamManager): Promise<void> {
    const { nc, stream, durable, type } = this.options;
    await ensureStreams(manager, limitsOn(nc));
    const settings = { ack_wait: nanos(this.ackWaitMs), inactive_threshold: FORGOTTEN_AFTER, max_ack_pending: this.batchSize * 4 };
    try {
      const { config } = await manager.consumers.info(stream, durable);
      const isCurrent = Object.entries(settings).every(([name, value]) => config[name as keyof typeof settings] === value);
      // An earlier version made it, or a replica died while it let messages return.
      if (!isCurrent) await manager.consumers.update(stream, durable, settings);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await manager.consumers.add(stream, {
        durable_name: durable,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ...settings,
        // The handler counts attempts: JetStream itself would drop the event after the last one.
        max_deliver: -1,
        ...(type ? { filter_subject: type.subject } : {}),
      });
    }
  }

  /** The server may have come back without its store. */
  private async restartOnReconnect(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (this.stopped) return;
      if (type === 'reconnect') this.puller?.stop('the connection was lost');
    }
  }
}
