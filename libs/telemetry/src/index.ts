export { createLogger, type Logger } from './logger';
export { counter, gauge, gauges, histogram, metricsText } from './metrics';
export { startProbes, type Probes } from './probes';
export {
  activeTraceparent,
  isTracing,
  startSpan,
  startTracing,
  traced,
  withTraceparent,
  type Span,
  type SpanOptions,
  type Tracing,
} from './tracing';
