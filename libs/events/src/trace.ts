import type { EventEnvelope } from '@mgw/contracts';

/** Header of events that were told in a trace, a value for each: W3C trace context. */
export const TRACE_HEADER = 'traceparent';

/** Beside the events, not in them: an event is the same bytes on every repeat. */
const traces = new WeakMap<EventEnvelope, string>();

/** Of the handling of an event, for what follows from it: see `withTraceparent`. Undefined when it is not traced. */
export function traceparentOf(event: EventEnvelope): string | undefined {
  return traces.get(event);
}

export function setTraceparent(event: EventEnvelope, traceparent: string | undefined): void {
  if (traceparent !== undefined) traces.set(event, traceparent);
}

/** What a trace says of an event. */
export function spanAttributes(subject: string, operation: 'publish' | 'process'): Record<string, string> {
  return {
    'messaging.system': 'nats',
    'messaging.destination.name': subject,
    'messaging.operation.type': operation === 'publish' ? 'send' : operation,
    'messaging.operation.name': operation,
  };
}
