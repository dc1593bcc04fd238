import type { ErrorCode } from '@mgw/contracts';
import type { Logger } from '@mgw/telemetry';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { businessOf, type AuthenticatedRequest } from './caller';
import { untilClosed } from './response-end';

declare module 'fastify' {
  interface FastifyReply {
    /** The internal error code; the response may have a more general one. */
    errorCode: ErrorCode | undefined;
    /** The `details` of the error. */
    errorDetails: unknown;
  }
}

/** Other paths serve documents and the dashboard's files. */
const LOGGED = /^\/(api|webhooks)\//;

/**
 * Logs one line at the end of each request, even when the caller disconnected. It has the route, never the URL: a URL can contain a key,
 * a phone number and a text (guarantees §9).
 */
export function logRequests(fastify: FastifyInstance, logger: Logger): void {
  fastify.decorateReply('errorCode', undefined);
  fastify.decorateReply('errorDetails', undefined);
  fastify.addHook('onRequest', (request, reply, done) => {
    untilClosed(reply.raw, () => log(logger, request, reply));
    done();
  });
}

function log(logger: Logger, request: AuthenticatedRequest, reply: FastifyReply): void {
  const { headersSent, statusCode, writableFinished } = reply.raw;
  const level = headersSent && statusCode >= 500 ? 'warn' : 'info';
  const route = request.routeOptions.url;
  if (!logger.isLevelEnabled(level) || !LOGGED.test(route ?? request.url)) return;
  const line = {
    request_id: request.id,
    ...callerOf(request),
    method: request.method,
    route,
    status: headersSent ? statusCode : undefined,
    ms: Math.round(reply.elapsedTime),
    error_code: reply.errorCode,
    aborted: writableFinished ? undefined : true,
  };
  logger[level](line, 'request');
}

function callerOf(request: AuthenticatedRequest): { business_id?: number | null; api_key_id?: number } {
  const { user } = request;
  if (!user) return {};
  return { business_id: businessOf(request), ...('api_key_id' in user && { api_key_id: user.api_key_id }) };
}
