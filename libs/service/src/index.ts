export { databaseSettings, serviceSettings } from './settings';
export { migrateService, runService, type RunningService, type ServiceOptions } from './run';
export { LOGGER, NATS } from './service.module';
