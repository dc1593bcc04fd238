export { config, ConfigError, type Environment, type SettingDoc } from './config';
export { env } from './settings';
export { USER_AGENT } from './user-agent';
