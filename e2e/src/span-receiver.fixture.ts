import { startReceiver } from '@mgw/testing';

/** A span in OTLP's JSON. */
interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
}
interface WireExport {
  resourceSpans: { resource: { attributes: WireSpan['attributes'] }; scopeSpans: { spans: WireSpan[] }[] }[];
}

export interface ReceivedSpan extends Omit<WireSpan, 'attributes'> {
  /** `service.name` */
  service: string;
  attributes: Record<string, unknown>;
}

export interface SpanReceiver {
  url: string;
  spans(): ReceivedSpan[];
  /** The spans from the root to this one, as `service: name`. */
  wayTo(span: ReceivedSpan): string[];
  /** The exported text without ids and times, whose digits would match phone numbers. */
  text(): string;
  /** Makes the collector accept requests without a response. */
  answerNothing(): void;
  close(): Promise<void>;
}

const KINDS = ['', 'internal', 'server', 'client', 'producer', 'consumer'];
const MADE = /^(traceId|spanId|parentSpanId|\w+UnixNano)$/;

/** A collector that stores traces from OTLP/HTTP. */
export async function startSpanReceiver(): Promise<SpanReceiver> {
  const receiver = await startReceiver();
  receiver.respond((_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  const exports = () => receiver.requests.map(({ body }) => JSON.parse(body) as WireExport);
  const spans = () =>
    exports().flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ resource, scopeSpans }) => {
        const service = String(valuesOf(resource.attributes)['service.name']);
        return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service, attributes: valuesOf(span.attributes) })));
      }),
    );
  return {
    url: receiver.url,
    spans,
    wayTo: (span) => {
      const known = new Map(spans().map((one) => [one.spanId, one]));
      const way: string[] = [];
      for (let at: ReceivedSpan | undefined = span; at; at = known.get(at.parentSpanId ?? '')) {
        way.unshift(`${at.service}: ${at.name} (${KINDS[at.kind]})`);
      }
      return way;
    },
    text: () => JSON.stringify(exports(), (key, value: unknown) => (MADE.test(key) ? undefined : value)),
    answerNothing: () => receiver.respond(() => undefined),
    close: () => receiver.close(),
  };
}

function valuesOf(attributes: WireSpan['attributes']): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
