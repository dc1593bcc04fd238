import { AckPolicy, DeliverPolicy, ConsumerEvents, nanos, type ConsumerMessages, type JsMsg, type NatsConnection } from 'nats';
import type { EventConsumerOptions } from './consumer';
import { Signal } from './signal';
import { ensureStreams, isMissing, limitsOn } from './streams';

/** How long a handler may take before the event is offered again, in milliseconds. */
const ACK_WAIT_MS = 30_000;
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
  private readonly signal = new Signal();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: EventConsumerOptions,
    private readonly batchSize: number,
    private readonly take: (message: JsMsg) => void,
  ) {}

  start(): void {
    void this.restartOnReconnect(this.options.nc);
    this.ended = this.run();
  }

  /** How many messages the durable consumer has not handled. */
  async waiting(): Promise<number> {
    const { nc, stream, durable } = this.options;
    const { num_pending, num_ack_pending } = await (await nc.jetstreamManager()).consumers.info(stream, durable);
    return num_pending + num_ack_pending;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.messages?.stop();
    this.signal.give();
    await this.ended;
  }

  private async run(): Promise<void> {
    const { logger, durable, stream } = this.options;
    while (!this.stopped) {
      try {
        await this.ensureConsumer();
        const consumer = await this.options.nc.jetstream().consumers.get(stream, durable);
        if (this.stopped) return;
        this.messages = await consumer.consume({
          // A message holds one event when there are few, and many when there are many.
          max_messages: this.batchSize / 2,
          expires: 5_000,
          idle_heartbeat: 1_000,
          callback: (message) => this.take(message),
        });
        void this.stopOnTrouble(this.messages);
        await this.messages.closed();
      } catch (error) {
        logger.warn({ err: error, consumer: durable }, 'events cannot be heard now; trying again');
      }
      if (!this.stopped) await this.signal.wait(300);
    }
  }

  private async ensureConsumer(): Promise<void> {
    const { nc, stream, durable, type } = this.options;
    const manager = await nc.jetstreamManager();
    await ensureStreams(manager, limitsOn(nc));
    try {
      await manager.consumers.info(stream, durable);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await manager.consumers.add(stream, {
        durable_name: durable,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ack_wait: nanos(ACK_WAIT_MS),
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
