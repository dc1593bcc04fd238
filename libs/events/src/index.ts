export { Signal } from './signal';
export { newEvent, outboxRow, appendToOutbox, type OutboxRow } from './outbox';
export { eventTablesUp, eventTablesDown } from './tables';
export { ensureStreams } from './streams';
export { OutboxRelay, type OutboxRelayOptions } from './relay';
export { EventConsumer, type EventConsumerOptions } from './consumer';
export { EventTail, type TailedEvent } from './tail';
