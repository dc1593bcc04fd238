/**
 * The attributes of a span, named by OpenTelemetry's semantic conventions or `mgw.*`. They hold routes, subjects, hosts and codes only: nothing
 * that a person wrote or is (guarantees §9), and no message id, since the platform's ids contain the phone number.
 */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface SpanOptions {
  kind: 'server' | 'client' | 'producer' | 'consumer';
  /** The W3C `traceparent` that the span continues; null starts a new trace; absent continues the active one. */
  parent?: string | null | undefined;
  attributes: Attributes;
}

/** One step of a trace. */
export interface Span {
  /** For work that this span causes elsewhere; undefined while tracing is off. */
  readonly traceparent: string | undefined;
  set(attributes: Attributes): void;
  /** @param failure a code, or the thrown value, whose text stays out of the trace */
  fail(failure: unknown): void;
  /** Runs `work`, and everything that it starts, with this span active. */
  run<T>(work: () => T): T;
  end(): void;
}

/** Records spans, once it is configured. */
export interface Tracing {
  start(name: string, options: SpanOptions): Span;
  active(): string | undefined;
  /** Runs `work`, and everything that it starts, as this service; spans outside of it belong to the first one. */
  asService<T>(service: string, work: () => T): T;
  within<T>(traceparent: string | null | undefined, work: () => T): T;
  /** Exports the recorded spans; never throws. */
  close(): Promise<void>;
}
