export { TRACE_HEADER } from './trace-header';
export { createLogger, logLevel, type Logger } from './logger';
export { counter, gauge, gauges, histogram, metricsText } from './metrics';
export { startProbes, type Probes } from './probes';
export { RepeatedWarning } from './repeated-warning';
export { type Span, type SpanOptions, type Tracing } from './span';
export { startTracing } from './start-tracing';
export { activeTraceparent, asService, isTracing, startSpan, traced, withTraceparent } from './tracing';
