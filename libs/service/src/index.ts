export { databaseSettings, serviceSettings } from './settings';
export { migrateService, runService, startService, type RunningService, type ServiceOptions } from './run';
export { LOGGER, NATS } from './service.module';
export { figuresController } from './figures';
export { sealingCheck } from './sealing-check';
export { retention, retentionSettings, type RetentionPlan } from './retention';
