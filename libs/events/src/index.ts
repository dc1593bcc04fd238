export { Signal } from './signal';
export {
  ORIGIN,
  newEvent,
  outboxRow,
  outboxColumns,
  appendToOutbox,
  nothingUnpublished,
  allowDirectPublish,
  type OutboxRow,
} from './outbox';
export { agedEventRows, eventTables } from './tables';
export { WorkerHeartbeat, deadWorkers, isWorkerAlive, type HeartbeatOptions } from './heartbeat';
export { ensureStreams } from './streams';
export { StreamRoom, type PublishedSize } from './stream-room';
export { OutboxRelay } from './relay';
export type { OutboxRelayOptions } from './relay-options';
export { EventConsumer } from './consumer';
export type { EventConsumerOptions } from './consumer-options';
export { DeadLetters, type DeadLetter } from './dead-letters';
export { PermanentFailure } from './failures';
export { traceparentOf } from './trace';
export { EventTail, type TailedEvent } from './tail';
export { StreamProgress } from './stream-progress';
