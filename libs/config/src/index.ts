export { config, ConfigError, type Environment } from './config';
export { env } from './settings';
export { USER_AGENT } from './user-agent';
