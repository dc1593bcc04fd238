import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What comes before any route and so before the error filter. */
const body = (error: string) => ({ success: false, error, error_code: 'VALIDATION_FAILED' });

/** A path that cannot be decoded. */
export function refuseUrl(_fault: Error, request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .status(400)
    .send(body('The path is not percent-encoded UTF-8.'));
}

/** Bytes that are not HTTP, headers that are too large, or a request that does not end. */
export function refuseBytes(fault: Error & { code?: string }, socket: Socket): void {
  if (fault.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = fault.code === 'HPE_HEADER_OVERFLOW' ? 431 : fault.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const text = JSON.stringify(body('The request is not well-formed HTTP, too slow, or its headers are too large.'));
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close`;
  socket.end(`${head}\r\n\r\n${text}`);
}
