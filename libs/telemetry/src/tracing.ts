import type { Logger } from './logger';

/**
 * What a span says, under the names of OpenTelemetry's semantic conventions, or `mgw.*`. Only what is known before anybody asked:
 * routes, subjects, hosts, codes. Nothing that somebody wrote or is (guarantees §9), and no message id: the platform's hold the phone number.
 */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface SpanOptions {
  kind: 'server' | 'client' | 'producer' | 'consumer';
  /** The W3C `traceparent` that it continues; null: it begins a trace; absent: what is active here. */
  parent?: string | null | undefined;
  attributes: Attributes;
}

/** One step of a trace. */
export interface Span {
  /** To hand on to whatever is done for its sake; undefined while nothing is traced. */
  readonly traceparent: string | undefined;
  set(attributes: Attributes): void;
  /** @param failure a code, or what was thrown; its text stays out of the trace */
  fail(failure: unknown): void;
  /** Makes it active in `work` and in all that this begins. */
  run<T>(work: () => T): T;
  end(): void;
}

/** What records spans, once it is configured. */
export interface Tracing {
  start(name: string, options: SpanOptions): Span;
  active(): string | undefined;
  within<T>(traceparent: string | null | undefined, work: () => T): T;
  /** Sends off what was recorded; never throws. */
  close(): Promise<void>;
}

let tracing: Tracing | undefined;

const NO_SPAN: Span = { traceparent: undefined, set: () => undefined, fail: () => undefined, run: (work) => work(), end: () => undefined };

/**
 * From now on this process records spans and exports them by OTLP/HTTP, as the standard `OTEL_*` variables of its environment say.
 * OpenTelemetry is loaded here and nowhere else: without this call it costs nothing.
 */
export async function startTracing(service: string, logger: Logger): Promise<Tracing> {
  const { OtlpTracing } = await import('./otlp-tracing');
  return (tracing = new OtlpTracing(service, logger));
}

export function isTracing(): boolean {
  return tracing !== undefined;
}

/** The caller ends it. */
export function startSpan(name: string, options: SpanOptions): Span {
  return tracing ? tracing.start(name, options) : NO_SPAN;
}

/** Runs `work` as a span, which ends with it and fails when it throws. */
export function traced<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  return tracing ? recorded(tracing.start(name, options), work) : work(NO_SPAN);
}

async function recorded<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await span.run(() => work(span));
  } catch (failure) {
    span.fail(failure);
    throw failure;
  } finally {
    span.end();
  }
}

/** Of the span that is active here, for what is stored and goes on later. */
export function activeTraceparent(): string | undefined {
  return tracing?.active();
}

/** Goes on with a trace that was stored; with none, `work` belongs to no trace. */
export function withTraceparent<T>(traceparent: string | null | undefined, work: () => T): T {
  return tracing ? tracing.within(traceparent, work) : work();
}
