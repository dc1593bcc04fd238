export { databaseSettings, sealingSettings, serviceSettings } from './settings';
export { migrateService, runService, startService, type RunningService, type ServiceOptions } from './run';
export { deadLetters, runDeadLetters, type DeadLettersOptions } from './dead-letters';
export { nestOptions } from './nest-options';
export { LOGGER, NATS } from './service.module';
export { ageOfFirst, countUpTo, figuresController } from './figures';
export { sealingCheck } from './sealing-check';
export { retention, retentionSettings, type RetentionPlan } from './retention';
