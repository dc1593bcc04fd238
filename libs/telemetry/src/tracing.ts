import type { Span, SpanOptions, Tracing } from './span';

let tracing: Tracing | undefined;

const NO_SPAN: Span = { traceparent: undefined, set: () => undefined, fail: () => undefined, run: (work) => work(), end: () => undefined };

/** Sets the recorder of this process. */
export function recordWith(recorder: Tracing): void {
  tracing = recorder;
}

export function isTracing(): boolean {
  return tracing !== undefined;
}

/** Starts a span that the caller ends. */
export function startSpan(name: string, options: SpanOptions): Span {
  return tracing ? tracing.start(name, options) : NO_SPAN;
}

/** Runs `work` in a span, which ends with it and fails if it throws. */
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

/** Runs a service's code in a process of several: its spans name the service. */
export function asService<T>(service: string, work: () => T): T {
  return tracing ? tracing.asService(service, work) : work();
}

/** The traceparent of the active span, to store with work that continues later. */
export function activeTraceparent(): string | undefined {
  return tracing?.active();
}

/** Continues a stored trace; without one, `work` belongs to no trace. */
export function withTraceparent<T>(traceparent: string | null | undefined, work: () => T): T {
  return tracing ? tracing.within(traceparent, work) : work();
}
