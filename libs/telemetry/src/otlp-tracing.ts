import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  diag,
  trace,
  type Span as OtelSpan,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from './logger';
import type { Attributes, Span, SpanOptions, Tracing } from './span';

/** Time to export the last spans at a stop, in milliseconds. */
const FLUSH_WITHIN_MS = 2_000;
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, producer: SpanKind.PRODUCER, consumer: SpanKind.CONSUMER };

type Active = AsyncLocalStorage<SpanContext | undefined>;

/** Spans by OpenTelemetry's SDK: sampled, queued within bounds and exported with a deadline, as its own variables configure. */
export class OtlpTracing implements Tracing {
  private readonly current: Active = new AsyncLocalStorage();
  private readonly processor = new BatchSpanProcessor(new OTLPTraceExporter());
  private readonly tracers = new Map<string, Tracer>();
  /** The tracer of the service whose code runs. */
  private readonly own = new AsyncLocalStorage<Tracer>();
  private readonly first: Tracer;

  constructor(
    service: string,
    private readonly logger: Logger,
  ) {
    const problem = (message: string) => logger.warn({ problem: message }, 'OpenTelemetry reported a problem');
    diag.setLogger({ error: problem, warn: problem, info: problem, debug: problem, verbose: problem }, { logLevel: DiagLogLevel.WARN });
    this.first = this.tracerOf(service);
  }

  asService<T>(service: string, work: () => T): T {
    return this.own.run(this.tracerOf(service), work);
  }

  start(name: string, { kind, parent, attributes }: SpanOptions): Span {
    const continued = parent === undefined ? this.current.getStore() : read(parent);
    const context = continued ? trace.setSpanContext(ROOT_CONTEXT, continued) : ROOT_CONTEXT;
    const tracer = this.own.getStore() ?? this.first;
    return new RecordedSpan(tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, context), this.current);
  }

  active(): string | undefined {
    const context = this.current.getStore();
    return context && write(context);
  }

  within<T>(traceparent: string | null | undefined, work: () => T): T {
    return this.current.run(read(traceparent), work);
  }

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not within ${FLUSH_WITHIN_MS} ms`)), FLUSH_WITHIN_MS);
    });
    await Promise.race([this.processor.shutdown(), late]).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'the last spans could not be exported');
    });
    clearTimeout(timer);
  }

  /** Each service is a resource of its own; all share one queue of spans. */
  private tracerOf(service: string): Tracer {
    const known = this.tracers.get(service);
    if (known) return known;
    const own = resourceFromAttributes({
      'service.name': service,
      'service.namespace': 'messaging-gateway',
      'service.instance.id': randomUUID(),
    });
    const provider = new BasicTracerProvider({
      resource: defaultResource()
        .merge(own)
        .merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [this.processor],
    });
    const tracer = provider.getTracer('messaging-gateway');
    this.tracers.set(service, tracer);
    return tracer;
  }
}

class RecordedSpan implements Span {
  readonly traceparent: string;

  constructor(
    private readonly span: OtelSpan,
    private readonly current: Active,
  ) {
    this.traceparent = write(span.spanContext());
  }

  set(attributes: Attributes): void {
    this.span.setAttributes({ ...attributes });
  }

  fail(failure: unknown): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.setAttribute('error.type', typeOf(failure));
  }

  run<T>(work: () => T): T {
    return this.current.run(this.span.spanContext(), work);
  }

  end(): void {
    this.span.end();
  }
}

/** @returns undefined if the text is not a traceparent */
function read(traceparent: string | null | undefined): SpanContext | undefined {
  const context = traceparent ? parseTraceParent(traceparent) : null;
  return context ? { ...context, isRemote: true } : undefined;
}

function write({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** A code or the name of a class, because error messages may contain anything. */
function typeOf(failure: unknown): string {
  if (typeof failure === 'string') return failure;
  const { error_code, code, name } = (failure ?? {}) as { error_code?: unknown; code?: unknown; name?: unknown };
  return ([error_code, code, name].find((known) => typeof known === 'string' && known !== '') as string | undefined) ?? 'unknown';
}
