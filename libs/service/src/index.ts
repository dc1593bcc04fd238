export { databaseSettings, sealingSettings, serviceSettings } from './settings';
export { runCommand, type Command, type Service } from './command';
export { startService, type RunningService, type RunSettings, type ServiceOptions } from './run';
export { deadLetters } from './dead-letters';
export { nestOptions } from './nest-options';
export { LOGGER, NATS } from './service.module';
export { ageOfFirst, countUpTo, figuresController } from './figures';
export { sealingCheck } from './sealing-check';
export { retention, retentionSettings, type RetentionPlan } from './retention';
