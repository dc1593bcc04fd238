import type { EventEnvelope, EventType, StreamName } from '@mgw/contracts';
import type { Database, Tx } from '@mgw/postgres';
import type { Logger } from '@mgw/telemetry';
import type { NatsConnection } from 'nats';
import type { WorkerHeartbeat } from './heartbeat';

export interface EventConsumerOptions<E extends EventType = EventType> {
  nc: NatsConnection;
  db: Database;
  /** The schema with the tables `inbox` and `dead_letters`. */
  schema: string;
  logger: Logger;
  /** Name of the durable consumer; replicas with the same name share its events. */
  durable: string;
  stream: StreamName;
  /** Consumes this type only; absent: every type of the stream. */
  type?: E;
  /**
   * Handles the events of one key in the order in which they were published. One replica at a time consumes, by a lease in
   * `consumer_leases`. Without it every replica consumes.
   */
  ordered?: boolean;
  /** Proves that this process is alive, for the lease of an ordered consumer. */
  worker: WorkerHeartbeat;
  /** Events in one transaction at most. */
  concurrency?: number;
  /** Latency-tolerant: starts batching at a lower load, for fewer and larger transactions. */
  latencyTolerant?: boolean;
  /** Whether nothing needs the events now: then the consumer pulls once a second, and many events share a wake-up and a statement. */
  isIdle?(): Promise<boolean>;
  /** Failed attempts of one process, with a working database, before an event goes to the dead letters. */
  maxDeliver?: number;
  /** Deadline of the handler for one batch, in milliseconds; the transaction is then rolled back. */
  handleWithinMs?: number;
  /** A key or a state of the effect makes a second handling harmless, so the events need no inbox. An inbox costs as much as most effects. */
  idempotent?: boolean;
  /** The same for some events; replaces `idempotent`. */
  isIdempotent?(event: EventEnvelope<E>): boolean;
  /** `handle` runs a single statement that is idempotent, or writes the inbox itself, so it needs no transaction. */
  singleStatement?: boolean;
  /**
   * Applies events that were not handled before, in the transaction that writes the inbox. An error rolls all of it back. With
   * `singleStatement`, `tx` is the database: there is no transaction, and only `handle` may write the inbox.
   * @returns events for `afterCommit`
   */
  handle(events: EventEnvelope<E>[], tx: Tx): Promise<EventEnvelope[] | void>;
  /** Runs after the commit, with what `handle` returned: publishes it, or wakes whatever works on the effect. */
  afterCommit?(events: EventEnvelope[]): void;
}
