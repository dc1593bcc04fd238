import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { GatewayError, type ErrorCode } from '@mgw/contracts';
import { asCallerError, isTimeout } from '@mgw/postgres';
import type { Logger } from '@mgw/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { helpLink } from './help-link';

/** Errors between services. The response shows them as INTERNAL, with `retryable`. */
export const INTERNAL_ONLY: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['OVERLOADED', 'DEADLINE_EXCEEDED', 'REPLY_LOST']);

/** Maximum numbers: characters of the error text, details, and characters of each. */
const MAX_TEXT = 2_000;
const MAX_DETAILS = 50;
const MAX_DETAIL_TEXT = 500;

/** The one place where errors become HTTP (spec §7, decision 2). */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  respond(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = asGatewayError(thrown);
    reply.errorCode = error.error_code;
    reply.errorDetails = error.extras['details'];
    const code = INTERNAL_ONLY.has(error.error_code) ? 'INTERNAL' : error.error_code;
    // A 503 is expected under load, and its request line has it.
    if (code === 'INTERNAL' && error.status !== 503) {
      this.logger.error({ err: thrown, request_id: request.id, route: request.routeOptions.url }, 'request failed');
    }
    const wait = secondsToWait(error.extras);
    if (wait !== null) void reply.header('retry-after', wait);
    void reply.header('link', helpLink(code)).status(error.status).send(bodyOf(error, request));
  }
}

/** `resets_at` is the next midnight of the business, or a later one for a broadcast of another day. */
function secondsToWait({ retry_after_seconds, resets_at }: GatewayError['extras']): number | null {
  if (typeof retry_after_seconds === 'number') return retry_after_seconds;
  return typeof resets_at === 'string' ? Math.max(1, Math.ceil((Date.parse(resets_at) - Date.now()) / 1_000)) : null;
}

function bodyOf(error: GatewayError, request: FastifyRequest): Record<string, unknown> {
  const { retry_after_seconds, ...others } = error.extras;
  // The only body without the envelope (spec §8).
  if (error.error_code === 'RATE_LIMITED' && request.url.startsWith('/api/v1/')) return { error: error.message, retry_after_seconds };
  if (INTERNAL_ONLY.has(error.error_code)) {
    return { success: false, error: 'The service is busy. Try again shortly.', error_code: 'INTERNAL', retryable: error.retryable };
  }
  const extras = error.error_code === 'DAILY_LIMIT_REACHED' ? others : error.extras;
  const outage = error.error_code === 'PLATFORM_UNAVAILABLE' && { retryable: error.retryable };
  const details = error.error_code === 'VALIDATION_FAILED' && { details: shortDetails(error.extras['details']) };
  return { success: false, error: short(error.message, MAX_TEXT), error_code: error.error_code, ...outage, ...extras, ...details };
}

/** Always an array (decision 49). Truncates texts, because they may quote a request of megabytes. */
function shortDetails(details: unknown): { field: string; message: string }[] {
  if (!Array.isArray(details)) return [];
  return (details as { field: string; message: string }[])
    .slice(0, MAX_DETAILS)
    .map(({ field, message }) => ({ field: short(field, MAX_DETAIL_TEXT), message: short(message, MAX_DETAIL_TEXT) }));
}

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text);

/** Maps errors of Nest, Fastify and the gateway's own database to the catalogue. Any other error is a defect and shows no details. */
function asGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (isTimeout(thrown)) return new GatewayError('DEADLINE_EXCEEDED', 'The database did not respond in time.');
  const databaseError = asCallerError(thrown);
  if (databaseError) return databaseError;
  const status = thrown instanceof HttpException ? thrown.getStatus() : (thrown as { statusCode?: number }).statusCode;
  switch (status) {
    case 400:
      return new GatewayError('VALIDATION_FAILED', 'The request is malformed.');
    case 404:
      return new GatewayError('NOT_FOUND', 'No resource has this path.');
    case 405:
      return new GatewayError('METHOD_NOT_ALLOWED', 'This path does not take this method.');
    case 413:
      return new GatewayError('PAYLOAD_TOO_LARGE', 'The body is too large.');
    case 415:
      return new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send Content-Type: application/json.');
    default:
      return new GatewayError('INTERNAL', 'Something went wrong on our side.');
  }
}
