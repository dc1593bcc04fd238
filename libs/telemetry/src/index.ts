export { createLogger, type Logger } from './logger';
export { counter, gauge, histogram, metricsText } from './metrics';
export { startProbes, type Probes } from './probes';
