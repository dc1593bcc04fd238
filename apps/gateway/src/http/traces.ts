import { isTracing, startSpan, type Span } from '@mgw/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { untilClosed } from './response-end';

/** Only a request id that looks random goes into a trace: a caller may put anything into its own id. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Starts a span for each request within the caller's trace. It is named by the route, because paths contain message ids. */
export function traceRequests(fastify: FastifyInstance): void {
  if (!isTracing()) return;
  const spans = new WeakMap<FastifyRequest, Span>();
  fastify.addHook('onRequest', (request, reply, done) => {
    const span = begin(request);
    spans.set(request, span);
    untilClosed(reply.raw, () => end(span, reply));
    done();
  });
  // Enter the span only after the body was read, because reading it loses the async context.
  fastify.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.run(done);
    else done();
  });
}

function begin({ id, method, headers, routeOptions }: FastifyRequest): Span {
  const route = routeOptions.url;
  const { traceparent } = headers;
  return startSpan(route === undefined ? method : `${method} ${route}`, {
    kind: 'server',
    parent: typeof traceparent === 'string' ? traceparent : null,
    attributes: { 'http.request.method': method, 'http.route': route, 'mgw.request_id': UUID.test(id) ? id : undefined },
  });
}

function end(span: Span, { raw }: FastifyReply): void {
  if (raw.headersSent) span.set({ 'http.response.status_code': raw.statusCode });
  if (!raw.writableFinished) span.fail('aborted');
  else if (raw.statusCode >= 500) span.fail(String(raw.statusCode));
  span.end();
}
