import { setTimeout as pause } from 'node:timers/promises';
import { RepeatedWarning } from '@mgw/telemetry';
import { AckPolicy, DeliverPolicy, nanos, type ConsumerInfo, type JetStreamManager, type NatsConnection } from 'nats';
import type { EventConsumerOptions } from './consumer-options';
import { PendingMessages } from './pending-messages';
import { PendingMessage } from './pending-message';
import { Puller } from './puller';
import type { PulledMessage } from './pulled-message';
import { Signal } from './signal';
import { MAX_AGE_MS, ensureStreams, isNotFound, limitsOn } from './streams';

/**
 * JetStream redelivers a message that is not acknowledged for this long, in milliseconds, so a dead replica's messages reach another one. A
 * living replica extends the deadline of messages that wait longer.
 */
const ACK_WAIT_MS = 2_000;
const EXTEND_EVERY_MS = 500;
/** The holder of an ordered consumer's lease makes JetStream redeliver instead; see `receiveMissed`. */
const ORDERED_ACK_WAIT_MS = 30_000;
/** The wait that makes the server redeliver everything. */
const REDELIVER_WAIT_MS = 1;
/** Wait after shortening the acknowledgement wait, in milliseconds. A busy server needs longer, so each attempt doubles it. */
const REDELIVER_AFTER_MS = 180;
const REDELIVER_AFTER_AT_MOST_MS = 1_500;
/** Lifetime of a request for redelivered messages, in milliseconds: the server sends them at once. */
const MISSED_EXPIRES_MS = 250;
/** Lifetime of a request for messages, in milliseconds. A suspended process has no request left when its lease ends. */
const EXPIRES_MS = 3_000;
const ORDERED_EXPIRES_MS = 1_000;
/** An idle consumer pulls this often, and receives messages for a moment: the server sends those that have gathered at once. */
const IDLE_MS = 1_000;
const IDLE_EXPIRES_MS = 25;
const POLL_MS = 100;
const REQUEST_POLL_MS = 5;
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
  /** Messages that were received and are not acknowledged. */
  private readonly held: PendingMessages;
  private readonly ackWaitMs: number;
  /** Messages may have been lost on their way. An ordered consumer has them redelivered before it pulls later ones. */
  private mayHaveMissed = true;
  /** Received messages that wait for missed ones of an ordered consumer; undefined while none is missed. */
  private gathered: PendingMessage[] | undefined;
  private received = 0;
  private isNextTooLarge = false;
  /** Whether a request waits because the consumer is idle. */
  private isWaiting = false;
  /** Whether the last request left messages in the stream. */
  private hasMore = false;
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
    this.gathered = undefined;
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
    const failed = new RepeatedWarning(this.options.logger, 'pulling events failed; will retry', { consumer: this.options.durable });
    while (!this.stopped) {
      try {
        if (this.mayPull()) await this.pull();
      } catch (error) {
        failed.warn(error);
      }
      if (!this.stopped) await this.signal.wait(300);
    }
  }

  /** Returns when pulling has ended. */
  private async pull(): Promise<void> {
    const { nc, durable, stream, ordered, logger } = this.options;
    const manager = await nc.jetstreamManager();
    await this.ensureConsumer(manager);
    if (this.stopped || !this.mayPull()) return;
    const puller = (this.puller = new Puller({
      nc,
      stream,
      durable,
      expiresMs: ordered ? ORDERED_EXPIRES_MS : EXPIRES_MS,
      onMessage: (message) => this.open(message),
      onRequestEnd: (isTooLarge) => {
        this.isNextTooLarge = isTooLarge;
        this.refill();
      },
    }));
    if (ordered && this.mayHaveMissed) await this.receiveMissed(manager, puller);
    this.refill();
    const reason = await puller.closed;
    if (!this.mayPull() || this.stopped) return;
    logger.info({ consumer: durable, reason }, 'pulling events was interrupted');
    this.mayHaveMissed = true;
  }

  /** Requests messages, an idle consumer after a pause if the last request received all. */
  private refill(): void {
    if (this.options.isIdle === undefined) this.request();
    else if (!this.isWaiting && this.mayRequest) void this.requestUnlessIdle(this.options.isIdle);
  }

  private get mayRequest(): boolean {
    return this.puller !== undefined && !this.gathered && !this.puller.isRequesting && !this.stopped && this.mayPull();
  }

  private async requestUnlessIdle(isIdle: () => Promise<boolean>): Promise<void> {
    this.isWaiting = true;
    const idle = await isIdle().catch(() => false);
    if (idle && !this.hasMore && !this.isNextTooLarge) await pause(IDLE_MS);
    this.isWaiting = false;
    this.request(idle ? IDLE_EXPIRES_MS : undefined);
  }

  /** Requests as many messages as there is room for. */
  private request(expiresMs?: number): void {
    const { puller } = this;
    if (!puller || !this.mayRequest) return;
    if (this.isNextTooLarge) {
      if (this.held.isHalfEmpty) puller.request(1);
      return;
    }
    const free = this.held.requestable();
    if (!free) return;
    this.hasMore = false;
    puller.request(free.messages, free.bytes, expiresMs);
  }

  /**
   * Receives messages whose consumer died or whose delivery was lost, and passes them on in stream order. Later ones wait: if the server
   * sends some first, because it is slow or omitted a redelivery, their order is restored here.
   */
  private async receiveMissed(manager: JetStreamManager, puller: Puller): Promise<void> {
    // They stayed unacknowledged when receiving was interrupted, so the server redelivers them.
    for (const { key } of this.gathered ?? []) this.held.delete(key);
    this.gathered = [];
    try {
      let waitMs = REDELIVER_AFTER_MS;
      for (; this.isPulling(puller) && (await this.countMissed(manager)) > 0; waitMs = Math.min(2 * waitMs, REDELIVER_AFTER_AT_MOST_MS)) {
        await this.redeliverUnacknowledged(manager, waitMs);
        while (this.isPulling(puller) && (await this.requestMissed(puller, await this.countMissed(manager))));
      }
    } catch (error) {
      puller.stop('receiving missed messages failed');
      throw error;
    }
    if (!this.isPulling(puller)) return;
    this.passOn();
    this.gathered = undefined;
    this.mayHaveMissed = false;
  }

  private isPulling(puller: Puller): boolean {
    return !this.stopped && this.mayPull() && !puller.isClosed;
  }

  /** Counts the messages that the server has delivered, that are not acknowledged, and that this process does not have. */
  private async countMissed(manager: JetStreamManager): Promise<number> {
    const before = [...this.held.values()];
    const { num_ack_pending, delivered } = await manager.consumers.info(this.options.stream, this.options.durable);
    // A message that was acknowledged or arrived meanwhile must not hide a missed one. Those of a stream that was lost do not count.
    const isHeld = (one: PendingMessage) => this.held.get(one.key) === one && one.streamSequence <= delivered.stream_seq;
    return num_ack_pending - before.filter(isHeld).length;
  }

  /** @returns whether more may come */
  private async requestMissed(puller: Puller, missed: number): Promise<boolean> {
    // Checked after the count: a request of a replica that was suspended meanwhile would take messages from the next holder.
    if (missed <= 0 || !this.isPulling(puller)) return false;
    const { messages, bytes } = this.held.free;
    if (messages <= 0 || !this.held.isHalfEmpty) {
      // Only events in progress can make room. Without any, the lowest sequences must go on.
      if (this.gathered?.length === this.held.size) this.passOn();
      await pause(POLL_MS);
      return true;
    }
    const { received } = this;
    if (this.isNextTooLarge) puller.request(1, undefined, MISSED_EXPIRES_MS);
    else puller.request(Math.min(missed, messages), bytes, MISSED_EXPIRES_MS);
    while (puller.isRequesting && !puller.isClosed) await pause(REQUEST_POLL_MS);
    return this.received > received || this.isNextTooLarge;
  }

  /** Passes the gathered messages on. */
  private passOn(): void {
    const inOrder = (this.gathered ?? []).sort((one, other) => one.streamSequence - other.streamSequence);
    this.gathered = [];
    for (const message of inOrder) this.onMessage(message);
  }

  /** Requests no more, but receives messages in flight. Dropped ones would be redelivered after later messages. */
  private async drain(): Promise<void> {
    await this.puller?.drain();
    // Reading the consumer's state makes the server drop requests without a subscriber; it would deliver messages to them.
    if (this.options.ordered) await this.info().catch(() => undefined);
  }

  /**
   * Makes the server redeliver unacknowledged messages before later ones: a shorter acknowledgement wait ends for all of them at once.
   * Requests of a suspended replica would receive some of them, so they must expire first.
   */
  private async redeliverUnacknowledged(manager: JetStreamManager, waitMs: number): Promise<void> {
    const { stream, durable } = this.options;
    const expireBy = performance.now() + 2 * ORDERED_EXPIRES_MS;
    while ((await manager.consumers.info(stream, durable)).num_waiting > 0 && performance.now() < expireBy) await pause(POLL_MS);
    await manager.consumers.update(stream, durable, { ack_wait: nanos(REDELIVER_WAIT_MS) });
    await pause(waitMs);
    await manager.consumers.update(stream, durable, { ack_wait: nanos(this.ackWaitMs) });
  }

  /** A redelivery of a pending message replaces its delivery, because the last one must be acknowledged. */
  private open(message: PulledMessage): void {
    const { key } = message;
    this.received += 1;
    this.hasMore = message.undelivered > 0;
    const held = this.held.get(key);
    if (held) return held.redelivered(message);
    const open = new PendingMessage(message, () => {
      this.held.delete(key);
      this.refill();
    });
    this.held.add(open);
    if (this.gathered) this.gathered.push(open);
    else this.onMessage(open);
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
      if (!isNotFound(error)) throw error;
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
