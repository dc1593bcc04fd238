import type { EventEnvelope } from '@mgw/contracts';

/** Kept outside the events: an event must have the same bytes each time it is published. */
const traces = new WeakMap<EventEnvelope, string>();

/** The trace of an event's handling, for `withTraceparent`; undefined when the event is not traced. */
export function traceparentOf(event: EventEnvelope): string | undefined {
  return traces.get(event);
}

export function setTraceparent(event: EventEnvelope, traceparent: string | undefined): void {
  if (traceparent !== undefined) traces.set(event, traceparent);
}

/** Attributes of a span that publishes or handles an event. */
export function spanAttributes(subject: string, operation: 'publish' | 'process'): Record<string, string> {
  return {
    'messaging.system': 'nats',
    'messaging.destination.name': subject,
    'messaging.operation.type': operation === 'publish' ? 'send' : operation,
    'messaging.operation.name': operation,
  };
}
