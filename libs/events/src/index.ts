/*
 * The path of an event:
 *
 * 1. Publish: `newEvent` creates it, and `appendToOutbox` commits it together with its fact (outbox.ts). `OutboxRelay` (relay.ts) publishes it
 *    through `Publisher` (publisher.ts) from memory or from the outbox, and marks it once JetStream has acknowledged it.
 * 2. Stream: JetStream stores it for 72 hours (streams.ts). `StreamRoom` stops publishers before a stream is full. `OutboxStreams` detects a
 *    lost stream, and `OutboxRefill` publishes its events again.
 * 3. Consume: `EventConsumer` (consumer.ts) pulls messages by `DurableSubscription`; an ordered one only while it holds the `Lease`.
 *    `BatchHandler` (batch-handler.ts) handles a batch in one transaction with the inbox.
 * 4. Acknowledge, redeliver or set aside: after the commit `PendingMessage` acknowledges. A failed event is redelivered, or retried in its
 *    `RetryLanes` if order matters, and goes to the `DeadLetters` after its last attempt. An operator may replay it from there.
 *
 * `EventTail` shows events live to people, outside of this path.
 */
export { Signal } from './signal';
export { newEvent, outboxRow, outboxRows, appendToOutbox, unpublishedBefore, allowDirectPublish, type OutboxRow } from './outbox';
export { expiredEventRows, eventTables } from './tables';
export { WorkerHeartbeat, deadWorkers, isWorkerAlive } from './heartbeat';
export { ensureStreams } from './streams';
export { StreamRoom, type PublishedSize } from './stream-room';
export { OutboxRelay } from './relay';
export type { OutboxRelayOptions } from './relay-options';
export { EventConsumer } from './consumer';
export type { EventConsumerOptions } from './consumer-options';
export { DeadLetters, type DeadLetter } from './dead-letters';
export { PermanentFailure } from './failures';
export { traceparentOf } from './trace';
export { EventTail, type TailedEvent, type TailStart } from './tail';
export { StreamProgress } from './stream-progress';
export { eraseEvents } from './erase-events';
