export { databaseSettings, sealingSettings, serviceSettings } from './settings';
export { runCommand, type Command, type Service } from './command';
export { startService, type RunningService, type RunSettings, type ServiceOptions } from './run';
export { runStandalone } from './standalone';
export { deadLetters } from './dead-letters';
export { nestOptions } from './nest-options';
export { LOGGER, NATS } from './service.module';
export { operatorControllers } from './operator-controllers';
export { countUpTo, metricsController } from './service-metrics';
export { sealingChecks, storedSecrets } from './stored-secrets';
export { retention, retentionSettings } from './retention';
export { BackgroundLoop } from './background-loop';
export { ConsumerFactory, EventConsumers } from './event-consumers';
export { WantedEvents } from './wanted-events';
export { outboxRelay, sealerOf } from './providers';
export {
  BATCH,
  ERASED,
  erasedId,
  hadName,
  isEventOfPerson,
  isOfPerson,
  namesPerson,
  PAGE_ROWS,
  personalDataController,
  type PersonalData,
} from './personal-data';
