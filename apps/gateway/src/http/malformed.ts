import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { helpLink } from '../errors/help-link';
import { isReceivingFile } from './unread-file';

/** Bytes of URL and headers: 4,096 emoji in the query of quick-send take 48 kB (decision 10). */
export const HEAD_LIMIT = 64 * 1024;
/** Time for headers and body of one request, counted from the connection or the previous request. */
export const REQUEST_WITHIN_MS = 14_000;
/** Time for a refused client to read the response. */
export const LINGER_MS = 1_000;

const PROBLEMS: Record<string, { status: number; error: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, error: `The URL and the headers are larger than ${HEAD_LIMIT / 1024} kB.` },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, error: `The request was not complete within ${REQUEST_WITHIN_MS / 1000} seconds.` },
};
const NOT_HTTP = { status: 400, error: 'The request is not well-formed HTTP.' };

/** The common envelope for requests that reach no route and therefore no error filter. */
const body = (error: string) => ({ success: false, error, error_code: 'VALIDATION_FAILED', details: [] });
const LINK = helpLink('VALIDATION_FAILED');

/** Responds to a path that cannot be decoded. */
export function refuseUrl(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  // No hook counts this request (shares.ts), so its response must not wait behind another one.
  if (reply.raw.socket === null) return void request.raw.socket.destroy();
  void reply
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .header('link', LINK)
    .status(400)
    .send(body('The path is not percent-encoded UTF-8.'));
}

/** Responds to bytes that are not HTTP, to headers that are too large, and to a request that does not end in time. */
export function refuseBytes({ code = '' }: Error & { code?: string }, socket: Socket): void {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && isReceivingFile(socket)) return;
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, error } = PROBLEMS[code] ?? NOT_HTTP;
  const text = JSON.stringify(body(error));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    `x-request-id: ${randomUUID()}`,
    'cache-control: no-store',
    `link: ${LINK}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  // Otherwise the client could keep the connection open.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
