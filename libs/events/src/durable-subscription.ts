import {
  AckPolicy,
  DeliverPolicy,
  ConsumerEvents,
  nanos,
  type ConsumerInfo,
  type ConsumerMessages,
  type JsMsg,
  type NatsConnection,
  type Subscription,
} from 'nats';
import type { EventConsumerOptions } from './consumer';
import { ORDERED_ACK_WAIT_MS } from './lease';
import { OpenMessage } from './open-message';
import { Signal } from './signal';
import { MAX_AGE_MS, ensureStreams, isMissing, limitsOn } from './streams';

/** How long a handler may take before the event is offered again, in milliseconds. */
const ACK_WAIT_MS = 30_000;
/** How long what is on its way may take to come when no more is pulled, in milliseconds. */
const DRAIN_MS = 1_000;
/** How long the answer about a consumer may take, in milliseconds: a stop waits for it. */
const INFO_MS = 1_000;
/** The server deletes a consumer that nobody uses when all it has missed is too old anyway; until then it keeps a full stream from emptying. */
const FORGOTTEN_AFTER = nanos(MAX_AGE_MS);
const TROUBLE = new Set<string>([
  ConsumerEvents.HeartbeatsMissed,
  ConsumerEvents.ConsumerDeleted,
  ConsumerEvents.ConsumerNotFound,
  ConsumerEvents.StreamNotFound,
]);

/**
 * A durable pull consumer that is always there: whatever happens to the connection, the stream or the consumer, it makes what
 * is missing and pulls again.
 */
export class DurableSubscription {
  private messages: ConsumerMessages | undefined;
  /** Those that were handed over and are not settled. */
  private readonly held = new Map<string, OpenMessage>();
  private readonly ackWaitMs: number;
  /** When all that was delivered, and is not at hand, has come back. */
  private returnedAt = 0;
  private readonly signal = new Signal();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  /** @param mayPull of a consumer whose events are for one replica at a time: whether that is this one */
  constructor(
    private readonly options: EventConsumerOptions,
    private readonly batchSize: number,
    private readonly mayPull: () => boolean,
    private readonly take: (message: OpenMessage) => void,
  ) {
    this.ackWaitMs = options.ordered ? ORDERED_ACK_WAIT_MS : ACK_WAIT_MS;
  }

  start(): void {
    void this.restartOnReconnect(this.options.nc);
    this.ended = this.run();
  }

  /** How many messages the durable consumer has not handled. */
  async waiting(): Promise<number> {
    const { num_pending, num_ack_pending } = await this.info();
    return num_pending + num_ack_pending;
  }

  /** How many messages were delivered to whomever and are not acknowledged. */
  async unacknowledged(): Promise<number> {
    return (await this.info()).num_ack_pending;
  }

  /** Says that `mayPull` answers differently now. */
  turn(): void {
    if (this.mayPull()) this.signal.give();
    else void this.drain();
  }

  /** Lets go of what is at hand. */
  async drop(): Promise<void> {
    await this.drain();
    this.held.clear();
    this.returnedAt = performance.now() + this.ackWaitMs;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.drain();
    await this.ended;
  }

  private async run(): Promise<void> {
    const { logger, durable } = this.options;
    while (!this.stopped) {
      try {
        if (this.mayPull()) await this.pull();
      } catch (error) {
        logger.warn({ err: error, consumer: durable }, 'events cannot be heard now; trying again');
      }
      if (!this.stopped) await this.signal.wait(300);
    }
  }

  /** @returns when it came to an end */
  private async pull(): Promise<void> {
    const { nc, durable, stream } = this.options;
    await this.ensureConsumer();
    await this.letReturn();
    const consumer = await nc.jetstream().consumers.get(stream, durable);
    if (this.stopped || !this.mayPull()) return;
    this.messages = await consumer.consume({
      // A message holds one event when there are few, and many when there are many.
      max_messages: this.batchSize / 2,
      // Whoever stops without a word is sent no more before its lease is over.
      expires: 3_000,
      idle_heartbeat: 1_000,
      callback: (message) => this.open(message),
    });
    void this.stopOnTrouble(this.messages);
    if (this.stopped || !this.mayPull()) await this.drain();
    await this.messages.closed();
    // What was on its way is lost.
    if (this.mayPull()) this.returnedAt = performance.now() + this.ackWaitMs;
  }

  /** Pulls no more. What is on its way still comes: dropped, it would be offered again after what was told later. */
  private async drain(): Promise<void> {
    const { messages } = this;
    if (!messages) return;
    const { sub } = messages as unknown as { sub: Subscription };
    const timer = setTimeout(() => messages.stop(), DRAIN_MS);
    await Promise.race([sub.drain().catch(() => messages.stop()), messages.closed()]);
    clearTimeout(timer);
    messages.stop();
    // Asked, the server forgets requests that nobody listens to; it would take messages out of their order for them.
    if (this.options.ordered) await this.info().catch(() => undefined);
  }

  /** What was delivered and is not at hand comes back before anything later is taken. */
  private async letReturn(): Promise<void> {
    const isDue = () => !this.stopped && this.mayPull() && performance.now() < this.returnedAt;
    if (!this.options.ordered || !isDue() || (await this.unacknowledged()) <= this.held.size) return;
    while (isDue()) await this.signal.wait(this.returnedAt - performance.now());
  }

  /** What waits for its turn, or for the database, is offered again meanwhile: it is at hand once, and answered as the last offer asks. */
  private open(message: JsMsg): void {
    const { streamSequence, timestampNanos } = message.info;
    // A store that was lost counts from one again.
    const key = `${streamSequence} ${timestampNanos}`;
    const held = this.held.get(key);
    if (held) return held.offeredAgain(message);
    const open = new OpenMessage(message, () => this.held.delete(key));
    this.held.set(key, open);
    this.take(open);
  }

  private async info(): Promise<ConsumerInfo> {
    const { nc, stream, durable } = this.options;
    return (await nc.jetstreamManager({ timeout: INFO_MS, checkAPI: false })).consumers.info(stream, durable);
  }

  private async ensureConsumer(): Promise<void> {
    const { nc, stream, durable, type } = this.options;
    const manager = await nc.jetstreamManager();
    await ensureStreams(manager, limitsOn(nc));
    const ack_wait = nanos(this.ackWaitMs);
    try {
      const { config } = await manager.consumers.info(stream, durable);
      // A consumer that an earlier version made has other settings.
      if (config.ack_wait !== ack_wait || config.inactive_threshold !== FORGOTTEN_AFTER)
        await manager.consumers.update(stream, durable, { ack_wait, inactive_threshold: FORGOTTEN_AFTER });
    } catch (error) {
      if (!isMissing(error)) throw error;
      await manager.consumers.add(stream, {
        durable_name: durable,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ack_wait,
        inactive_threshold: FORGOTTEN_AFTER,
        // What a backlog may take of memory: a message is a few dozen kilobytes at most, as a rule.
        max_ack_pending: this.batchSize * 4,
        // Attempts are counted by the handler: JetStream itself would drop the event after the last one.
        max_deliver: -1,
        ...(type ? { filter_subject: type.subject } : {}),
      });
    }
  }

  private async stopOnTrouble(messages: ConsumerMessages): Promise<void> {
    for await (const { type } of await messages.status()) {
      if (TROUBLE.has(type)) messages.stop();
    }
  }

  /** The server may have come back without its store. */
  private async restartOnReconnect(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (this.stopped) return;
      if (type === 'reconnect') this.messages?.stop();
    }
  }
}
