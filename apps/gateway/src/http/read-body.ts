import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '@mgw/contracts';
import { afterReading } from '@mgw/deadlines';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseJsonBody } from '../requests/json-body';
import { ByteBudget } from './byte-budget';
import { holderOf, type AuthenticatedRequest } from './caller';
import { FairQueue } from './fair-queue';
import { LINGER_MS, REQUEST_WITHIN_MS } from './malformed';
import { untilClosed } from './response-end';
import { takesFile, UnreadFile } from './unread-file';

/** Limit of a body on most routes (decision 5). */
export const BODY_LIMIT = 64 * 1024;
/** Limit of a body on routes that take lists of people and rates. */
const LARGE_BODY_LIMIT = 5 * 1024 * 1024;
const LARGE_BODY_BY_KEY_LIMIT = 4 * 1024 * 1024;
const LISTS = /^\/api\/(client\/(broadcasts(\/check)?|suppressions\/import)|admin\/rate-card)$/;
const LISTS_BY_KEY = /^\/api\/v1\/(broadcasts|suppressions\/import)$/;
/**
 * Limit of a body without credentials, such as a login: the longest password takes 3 kB if JSON escapes every character. Each of these
 * requests has a place among the requests in flight (shares.ts), which bounds their bytes together (decision 737).
 */
const ANONYMOUS_BODY_LIMIT = 4 * 1024;

/** @param anonymous whether the route takes callers without credentials */
export function bodyLimitOf(url: string, anonymous = false): number {
  if (anonymous) return ANONYMOUS_BODY_LIMIT;
  if (LISTS.test(url)) return LARGE_BODY_LIMIT;
  return LISTS_BY_KEY.test(url) ? LARGE_BODY_BY_KEY_LIMIT : BODY_LIMIT;
}

export const sizeText = (bytes: number): string => (bytes < 1024 * 1024 ? `${bytes / 1024} kB` : `${bytes / 1024 / 1024} MB`);

/**
 * Bytes of the bodies in flight, from the first byte until the response is ready. Parsing multiplies the size of a body, so at most one
 * body above 64 kB is parsed and held at a time.
 */
const BUDGETS = {
  small: () => new ByteBudget(8 * 1024 * 1024, 2 * 1024 * 1024),
  large: () => new ByteBudget(4 * LARGE_BODY_LIMIT, LARGE_BODY_LIMIT),
};
/** JSON values in a body. An empty array takes three bytes on the wire and twenty times that in memory. */
const MAX_VALUES = 10_000;
const MAX_LARGE_VALUES = 500_000;
const MAX_ANONYMOUS_VALUES = 100;
/** The slowest allowed arrival of a body, in bytes per interval. */
export const PACE_EVERY_MS = 3_000;
const PACE = 1;
const LARGE_PACE = 64 * 1024;
/** How long a large body waits for the previous one. */
const LARGE_TURN_WITHIN_MS = 8_000;

/** `type/subtype`, as Fastify parses it. */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/**
 * Leaves bodies unread until BodyGuard has passed key or session, limits, plan and permission (decision 1, guarantees N1). Accepts JSON
 * only (decision 5).
 */
export function readBodies(server: FastifyInstance): void {
  const pools: Pools = { small: BUDGETS.small(), large: BUDGETS.large(), turns: new FairQueue(), held: new WeakMap() };
  server.removeAllContentTypeParsers();
  const unread = (request: FastifyRequest, payload: FastifyRequest['raw'], isJson: boolean) => {
    const isFile = takesFile(request);
    if (!isFile && !isJson) return new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send Content-Type: application/json.');
    if (isEncoded(request)) return new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without Content-Encoding.');
    return isFile ? new UnreadFile(payload) : new UnreadBody(request, payload, pools);
  };
  server.addContentTypeParser('application/json', (request, payload, done) => done(null, unread(request, payload, true)));
  server.addContentTypeParser('*', (request, payload, done) => done(null, unread(request, payload, false)));
  // Fastify itself refuses an invalid media type, before the guards.
  server.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const type = headers['content-type'];
    if (type !== undefined && !MEDIA_TYPE.test(type)) headers['content-type'] = 'application/octet-stream';
    done();
  });
  server.addHook('onSend', (request, reply, _payload, done) => {
    if (isIncomplete(request) && (reply.statusCode === 408 || isLong(request))) closeAfter(reply);
    pools.held.get(request)?.();
    done();
  });
}

/** Nothing is decompressed: a few bytes could become gigabytes. */
export const isEncoded = ({ headers }: FastifyRequest): boolean => !/^(identity)?$/i.test(headers['content-encoding']?.trim() ?? '');

interface Pools {
  small: ByteBudget;
  large: ByteBudget;
  turns: FairQueue;
  /** Drops the body of a request, and releases what the request holds for it. */
  held: WeakMap<FastifyRequest, () => void>;
}

/** A JSON body that has not been read yet. */
export class UnreadBody {
  constructor(
    private readonly request: AuthenticatedRequest,
    private readonly payload: FastifyRequest['raw'],
    private readonly pools: Pools,
  ) {}

  /**
   * Reads and parses the body. The request holds it until its response is ready, not until the response closes: a response may wait behind
   * another one on its connection, and a handler goes on without its caller (decision 766).
   * @throws GatewayError for a body that is too large, too slow or not acceptable, and when too much is in flight
   */
  async read(response: ServerResponse): Promise<unknown> {
    const { request, pools } = this;
    const limit = request.user ? request.routeOptions.bodyLimit : ANONYMOUS_BODY_LIMIT;
    const declared = request.headers['content-length'];
    if (Number(declared) > limit) throw bodyTooLarge(limit);
    const holder = holderOf(request);
    const large = Number(declared ?? limit) > BODY_LIMIT;
    const held: (() => void)[] = [];
    pools.held.set(request, () => {
      request.body = undefined;
      for (const release of held.splice(0)) release();
    });
    const take = request.user && ((size: number) => void held.push(pools[large ? 'large' : 'small'].take(holder, size)));
    if (declared !== undefined) take?.(Number(declared));
    const reserve = declared === undefined ? take : undefined;
    const bytes = await collect(this.payload, { limit, pace: large ? LARGE_PACE : PACE, reserve });
    if (large) {
      const gone = new AbortController();
      untilClosed(response, () => gone.abort(disconnected()));
      held.push(await pools.turns.take(holder, LARGE_TURN_WITHIN_MS, gone.signal));
      gone.signal.throwIfAborted();
    }
    // Some clients send a content type although the action takes no body.
    return bytes.length === 0 ? undefined : parseJsonBody(bytes, mostValues(limit));
  }
}

function mostValues(limit: number): number {
  if (limit === ANONYMOUS_BODY_LIMIT) return MAX_ANONYMOUS_VALUES;
  return limit > BODY_LIMIT ? MAX_LARGE_VALUES : MAX_VALUES;
}

interface Reading {
  limit: number;
  pace: number;
  /** Reserves each chunk of a body without Content-Length; throws when too much is in flight. */
  reserve: ((size: number) => void) | undefined;
}

/** Reads the stream to its end, and keeps at most `limit` bytes. */
function collect(payload: FastifyRequest['raw'], { limit, pace, reserve }: Reading): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    let receivedBefore = 0;
    const finish = (complete: () => void) => {
      clearInterval(timer);
      payload.off('data', take).off('end', end).off('error', fail).off('close', gone);
      complete();
    };
    const fail = (error: Error) => finish(() => reject(Object.assign(error, { statusCode: 400 })));
    const gone = () => fail(disconnected());
    const refuse = (error: unknown) => {
      chunks.length = 0;
      finish(() => reject(error as Error));
    };
    const take = (chunk: Buffer) => {
      received += chunk.length;
      if (received > limit) return refuse(bodyTooLarge(limit));
      try {
        reserve?.(chunk.length);
      } catch (error) {
        return refuse(error);
      }
      chunks.push(chunk);
    };
    const end = () => finish(() => resolve(Buffer.concat(chunks)));
    const checkPace = () => {
      if (!payload.complete && received - receivedBefore < pace) refuse(tooSlow());
      receivedBefore = received;
    };
    const timer = setInterval(() => afterReading(checkPace), PACE_EVERY_MS).unref();
    if (payload.destroyed) return gone();
    payload.on('data', take).on('end', end).on('error', fail).on('close', gone);
  });
}

export function isFault(body: unknown): body is Error {
  return body instanceof Error;
}

function disconnected(): Error {
  return Object.assign(new Error('the caller disconnected'), { statusCode: 400 });
}

function bodyTooLarge(limit: number): GatewayError {
  return new GatewayError('PAYLOAD_TOO_LARGE', `The body is too large: this endpoint takes at most ${sizeText(limit)}.`);
}

function tooSlow(): GatewayError {
  const seconds = REQUEST_WITHIN_MS / 1_000;
  return new GatewayError('VALIDATION_FAILED', `The body arrived too slowly. Send it without pauses, within ${seconds} seconds.`, {}, 408);
}

/** Whether part of the body has not arrived. */
function isIncomplete({ raw, headers }: FastifyRequest): boolean {
  return !raw.complete && (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined);
}

/** Whether the body is too long to discard it for the sake of the connection. */
const isLong = ({ headers }: FastifyRequest): boolean => Number(headers['content-length'] ?? Infinity) > BODY_LIMIT;

/**
 * Closes the connection after the response, but first discards incoming bytes for a moment. Otherwise a reset could hide the response
 * from a client that is still writing.
 */
function closeAfter(reply: FastifyReply): void {
  void reply.header('connection', 'close');
  const socket = reply.raw.socket as Socket | null;
  if (!socket) return;
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}
