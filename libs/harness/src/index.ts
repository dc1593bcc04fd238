export { startHarness, type Harness } from './harness';
export { inboundEvent, statusEvent, acceptedEvent } from './sample-events';
