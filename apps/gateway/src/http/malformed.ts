import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { helpLink } from '../errors/help-link';

/** URL and headers in bytes: 4,096 emoji in the query of quick-send are 48 kB (product decision 10). */
export const HEAD_LIMIT = 64 * 1024;
/** Headers and body of one request, from its connection or the end of the request before. */
export const REQUEST_WITHIN_MS = 14_000;
/** How long a client that was refused may still read why. */
export const LINGER_MS = 1_000;

const FAULTS: Record<string, { status: number; error: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, error: `The URL and the headers are larger than ${HEAD_LIMIT / 1024} kB.` },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, error: `The request did not come whole within ${REQUEST_WITHIN_MS / 1000} seconds.` },
};
const NO_HTTP = { status: 400, error: 'The request is not well-formed HTTP.' };

/** What comes before any route and so before the error filter. */
const body = (error: string) => ({ success: false, error, error_code: 'VALIDATION_FAILED', details: [] });
const LINK = helpLink('VALIDATION_FAILED');

/** A path that cannot be decoded. */
export function refuseUrl(_fault: Error, request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .header('link', LINK)
    .status(400)
    .send(body('The path is not percent-encoded UTF-8.'));
}

/** Bytes that are not HTTP, headers that are too large, or a request that does not end. */
export function refuseBytes(fault: Error & { code?: string }, socket: Socket): void {
  if (fault.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, error } = FAULTS[fault.code ?? ''] ?? NO_HTTP;
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
  // It would stay open for as long as the client likes.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
