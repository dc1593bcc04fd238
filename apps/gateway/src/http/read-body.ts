import { GatewayError } from '@mgw/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJsonBody } from './json-body';

/** `type/subtype`, as far as Fastify looks. */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/**
 * Bodies are read before anybody asks who sends them, and what is wrong with one is told after key or session, limits, plan and
 * permission (product decision 1): until then the fault stands in its place, and BodyGuard throws it. JSON only (product decision 5).
 */
export function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', readJson);
  server.addContentTypeParser('*', (_request, _payload, done) =>
    done(null, new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send Content-Type: application/json.')),
  );
  // Fastify refuses on the spot what is no media type at all.
  server.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const type = headers['content-type'];
    if (type !== undefined && !MEDIA_TYPE.test(type)) headers['content-type'] = 'application/octet-stream';
    done();
  });
  // The rest of a body that is not read to its end is not waited for.
  server.addHook('onSend', ({ body }, reply, _payload, done) => {
    if (isFault(body)) void reply.header('connection', 'close');
    done();
  });
}

export function isFault(body: unknown): body is Error {
  return body instanceof Error;
}

/** Reads the stream itself, because Fastify's own reading answers 413 on the spot. Nothing beyond the limit is kept. */
function readJson(request: FastifyRequest, payload: FastifyRequest['raw'], done: (fault: Error | null, body?: unknown) => void): void {
  const limit = request.routeOptions.bodyLimit;
  const chunks: Buffer[] = [];
  let received = 0;
  const finish = (fault: Error | null, body?: unknown) => {
    payload.off('data', take).off('end', end).off('error', fail);
    done(fault, body);
  };
  const tooLarge = () => {
    chunks.length = 0;
    payload.resume();
    finish(null, new GatewayError('PAYLOAD_TOO_LARGE', 'The body is too large.'));
  };
  const take = (chunk: Buffer) => {
    received += chunk.length;
    if (received > limit) tooLarge();
    else chunks.push(chunk);
  };
  const end = () => finish(null, parsed(Buffer.concat(chunks)));
  // The caller is gone.
  const fail = (fault: Error) => finish(Object.assign(fault, { statusCode: 400 }));
  if (Number(request.headers['content-length']) > limit) tooLarge();
  else payload.on('data', take).on('end', end).on('error', fail);
}

function parsed(bytes: Buffer): unknown {
  // Actions take no body; some clients name its type all the same.
  if (bytes.length === 0) return undefined;
  try {
    return parseJsonBody(bytes);
  } catch (fault) {
    return fault;
  }
}
