import type { EventEnvelope, EventType, StreamName } from '@mgw/contracts';
import type { Database, Tx } from '@mgw/postgres';
import { gauges, type Logger } from '@mgw/telemetry';
import type { NatsConnection } from 'nats';
import { BatchHandler } from './batch-handler';
import { DurableSubscription } from './durable-subscription';
import { Load } from './load';
import { OpenMessage, type Offered } from './open-message';
import { Signal } from './signal';

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
  /** Events in one transaction at most. */
  concurrency?: number;
  /** Nobody waits for the effect: it rests at a lower load already, for fewer and larger transactions. */
  patient?: boolean;
  /** Attempts before an event goes to the dead letters. */
  maxDeliver?: number;
  /**
   * The effect of all events, or of these, is fenced by a key or a state of its own, so that having it again changes nothing:
   * they need no inbox, which costs as much as most effects do.
   */
  guarded?: boolean | ((event: EventEnvelope) => boolean);
  /** `handle` is a single statement, guarded or remembering the events in the inbox itself: it needs no transaction around it. */
  oneStatement?: boolean;
  /**
   * The effect of events that were not handled before, in the transaction that remembers them. Events of one key come in the
   * order in which they were told, as far as one replica sees them. A throw undoes all of it.
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
  private readonly subscription: DurableSubscription;
  private readonly batches: BatchHandler;
  private readonly batchSize: number;
  private readonly load: Load;
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();
  private readonly forget: () => void;

  constructor(options: EventConsumerOptions) {
    this.batchSize = options.concurrency ?? 128;
    this.load = new Load(options);
    this.batches = new BatchHandler(options);
    this.subscription = new DurableSubscription(options, this.batchSize, (message) => {
      this.waiting.push(...new OpenMessage(message).offered);
      this.signal.give();
    });
    const { durable } = options;
    const help = 'Messages, of one event or many, that a consumer has not handled, of all its replicas together';
    this.forget = gauges('mgw_events_waiting', help, 'consumer', async () => ({ [durable]: await this.subscription.waiting() }));
  }

  start(): void {
    this.subscription.start();
    this.ended = this.run();
  }

  /** Finishes the batch under way and gives back what waits. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.forget();
    await this.subscription.stop();
    this.signal.give();
    await this.ended;
    for (const { message } of this.waiting.splice(0)) message.again(0);
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const batch = this.waiting.splice(0, this.batchSize);
      if (batch.length > 0) {
        await this.batches.handle(batch);
        await this.load.rest(batch.length, this.waiting.length >= this.batchSize || this.stopped);
      } else await this.signal.wait(5_000);
    }
  }
}
