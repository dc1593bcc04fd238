export { migratedDatabase, startHarness, type Harness } from './harness';
export { NO_COUNTS, sampleConversation } from './sample-conversation';
export { inboundEvent, statusEvent, acceptedEvent } from './sample-events';
export { metricsRead, rowsRead } from './rows-read';
export { eraseFrom, exportedRows, FORMER_OWNER, OWNER, PASSED } from './people';
