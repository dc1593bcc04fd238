export { migratedDatabase, startHarness, type Harness } from './harness';
export { inboundEvent, statusEvent, acceptedEvent } from './sample-events';
export { metricsRead, rowsRead, type RowsRead } from './rows-read';
