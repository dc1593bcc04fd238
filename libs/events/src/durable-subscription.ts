import { AckPolicy, DeliverPolicy, nanos, type ConsumerInfo, type JetStreamManager, type NatsConnection } from 'nats';
import type { EventConsumerOptions } from './consumer-options';
import { PendingMessages } from './pending-messages';
import { PendingMessage } from './pending-message';
import { Puller } from './puller';
import type { PulledMessage } from './pulled-message';
import { Signal } from './signal';
import { MAX_AGE_MS, ensureStreams, isMissing, limitsOn } from './streams';

/**
 * JetStream redelivers a message that is not acknowledged for this long, in milliseconds, so a dead replica's messages reach another one. A
 * living replica extends the deadline of messages that wait longer.
 */
const ACK_WAIT_MS = 2_000;
const EXTEND_EVERY_MS = 500;
/** The holder of an ordered consumer's lease makes JetStream redeliver instead; see `redeliverUnacknowledged`. */
const ORDERED_ACK_WAIT_MS = 30_000;
/** The wait that makes the server redeliver everything, and the time that it needs to notice, in milliseconds. */
const REDELIVER_WAIT_MS = 1;
const REDELIVER_AFTER_MS = 180;
/** Lifetime of a request for messages, in milliseconds. A suspended process has no request left when its lease ends. */
const EXPIRES_MS = 3_000;
const ORDERED_EXPIRES_MS = 1_000;
const POLL_MS = 100;
/** Deadline of a request for a consumer's state, in milliseconds: a stop waits for it. */
const INFO_MS = 1_000;
/**
 * The server deletes an unused consumer when everything that it missed has expired. Until then the consumer keeps a full stream from
 * emptying.
 */
const DELETED_AFTER = nanos(MAX_AGE_MS);

/**
 * Pulls messages of a durable consumer. Whatever happens to the connection, the stream or the consumer, it creates what is missing and pulls
 * again.
 */
export class DurableSubscription {
  private puller: Puller | undefined;
  /** Messages that were passed on and are not acknowledged. */
  private readonly held: PendingMessages;
  private readonly ackWaitMs: number;
  /** Messages may have been lost on their way. An ordered consumer has them redelivered before it pulls later ones. */
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
    if (!this.options.ordered) this.working = setInterval(() => this.extendSlow(), EXTEND_EVERY_MS);
    this.ended = this.run();
  }

  /** Counts the messages that no replica has acknowledged. */
  async countUnhandled(): Promise<number> {
    const { num_pending, num_ack_pending } = await this.info();
    return num_pending + num_ack_pending;
  }

  /** Must be called when `mayPull` changed. */
  permissionChanged(): void {
    if (this.mayPull()) this.signal.notify();
    else void this.drain();
  }

  /** Drops its messages, for the replica that pulls next. */
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

  /** Must be called after the last acknowledgement. */
  close(): void {
    clearInterval(this.working);
  }

  private async run(): Promise<void> {
    const { logger, durable } = this.options;
    while (!this.stopped) {
      try {
        if (this.mayPull()) await this.pull();
      } catch (error) {
        logger.warn({ err: error, consumer: durable }, 'pulling events failed; will retry');
      }
      if (!this.stopped) await this.signal.wait(300);
    }
  }

  /** Returns when pulling has ended. */
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

  /** Requests no more, but receives messages in flight. Dropped ones would be redelivered after later messages. */
  private async drain(): Promise<void> {
    await this.puller?.drain();
    // Reading the consumer's state makes the server drop requests without a subscriber; it would deliver messages to them.
    if (this.options.ordered) await this.info().catch(() => undefined);
  }

  /**
   * Makes the server redeliver unacknowledged messages in order, before later ones: a shorter acknowledgement wait ends for all of them at
   * once. Requests of a suspended replica would receive some of them, so they must expire first.
   */
  private async redeliverUnacknowledged(manager: JetStreamManager): Promise<void> {
    const { stream, durable } = this.options;
    const info = () => manager.consumers.info(stream, durable);
    const { num_ack_pending } = await info();
    if (num_ack_pending <= this.held.size) return;
    const expireBy = performance.now() + 2 * ORDERED_EXPIRES_MS;
    while ((await info()).num_waiting > 0 && performance.now() < expireBy) await this.pause(POLL_MS);
    await manager.consumers.update(stream, durable, { ack_wait: nanos(REDELIVER_WAIT_MS) });
    await this.pause(REDELIVER_AFTER_MS);
    await manager.consumers.update(stream, durable, { ack_wait: nanos(this.ackWaitMs) });
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resume) => setTimeout(resume, ms));
  }

  /** A redelivery of a pending message replaces its delivery, because the last one must be acknowledged. */
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
    const settings = { ack_wait: nanos(this.ackWaitMs), inactive_threshold: DELETED_AFTER, max_ack_pending: this.batchSize * 4 };
    try {
      const { config } = await manager.consumers.info(stream, durable);
      const isCurrent = Object.entries(settings).every(([name, value]) => config[name as keyof typeof settings] === value);
      // An earlier version created it, or a replica died during a redelivery.
      if (!isCurrent) await manager.consumers.update(stream, durable, settings);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await manager.consumers.add(stream, {
        durable_name: durable,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ...settings,
        // BatchHandler counts failures: JetStream would silently drop the event after its maximum.
        max_deliver: -1,
        ...(type ? { filter_subject: type.subject } : {}),
      });
    }
  }

  /** Starts again after a reconnection, because the server may have lost its store. */
  private async restartOnReconnect(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (this.stopped) return;
      if (type === 'reconnect') this.puller?.stop('the connection was lost');
    }
  }
}
