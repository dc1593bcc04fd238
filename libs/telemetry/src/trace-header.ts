/** The header of events and requests that belong to a trace: W3C trace context. */
export const TRACE_HEADER = 'traceparent';
