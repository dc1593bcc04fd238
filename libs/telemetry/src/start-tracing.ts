import type { Logger } from './logger';
import type { Tracing } from './span';
import { recordWith } from './tracing';

/**
 * Starts to record spans in this process and to export them by OTLP/HTTP, as the standard `OTEL_*` variables configure. OpenTelemetry is loaded only
 * here, so that it costs nothing without this call.
 */
export async function startTracing(service: string, logger: Logger): Promise<Tracing> {
  const { OtlpTracing } = await import('./otlp-tracing');
  const tracing = new OtlpTracing(service, logger);
  recordWith(tracing);
  return tracing;
}
