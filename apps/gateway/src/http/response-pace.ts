import { atMost } from '@mgw/caching';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';
import { siteOf, type AuthenticatedRequest } from './caller';
import { disconnect, untilClosed } from './response-end';
import { releasePlace } from './shares';

/** Responses of one site in a second, after the ones that it gets at once. */
const REFUSALS = { each: 100, atOnce: 500 };
/** The dashboard loads about 40 files for a page, and a company may have one address. */
const PAGES = { each: 400, atOnce: 5_000 };
/** The longest wait of a response. The connection closes if it would be longer: the client has many times as many requests in flight. */
const LONGEST_WAIT_MS = 5_000;

/** Says how long each holder's next response waits, so that they keep a rate. */
export class ResponsePace {
  /** The moment up to which a holder has used the rate, in milliseconds. */
  private readonly usedUntil = new LRUCache<string, number>(atMost(10_000));
  private readonly eachMs: number;
  private readonly atOnceMs: number;

  constructor({ each, atOnce }: { each: number; atOnce: number }) {
    this.eachMs = 1_000 / each;
    this.atOnceMs = atOnce * this.eachMs;
  }

  /**
   * @param now milliseconds of a clock that is never set back
   * @returns milliseconds until the response may be sent; null if that is too long
   */
  next(holder: string, now: number): number | null {
    const usedUntil = Math.max(this.usedUntil.get(holder) ?? 0, now - this.atOnceMs) + this.eachMs;
    if (usedUntil - now > LONGEST_WAIT_MS) return null;
    this.usedUntil.set(holder, usedUntil);
    return Math.max(0, usedUntil - now);
  }
}

/**
 * Slows down clients that repeat refused requests, and strangers that load pages, before they keep the process busy (decision 799). Each
 * request takes a turn of the event loop from all others. Call it after `shareConnections`.
 * @param exempt the path of the platform's callbacks: those of all businesses share its addresses, and they have turns of their own
 */
export function paceResponses(fastify: FastifyInstance, exempt: string): void {
  const refusals = new ResponsePace(REFUSALS);
  const pages = new ResponsePace(PAGES);

  const paceOf = ({ user, method, routeOptions }: AuthenticatedRequest, { statusCode }: FastifyReply): ResponsePace | undefined => {
    if (routeOptions.url === exempt || statusCode >= 500) return undefined;
    if (statusCode === 429) return refusals;
    // A limit counts the requests of a known caller.
    if (user !== undefined) return undefined;
    if (statusCode >= 400) return refusals;
    return method === 'GET' ? pages : undefined;
  };

  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const pace = paceOf(request, reply);
    const wait = pace ? pace.next(siteOf(request.ip), performance.now()) : 0;
    if (wait === 0) return done();
    // Other clients of the network may need it.
    releasePlace(request);
    if (wait === null) disconnect(reply.raw);
    const send = () => {
      clearTimeout(timer);
      reply.raw.off('close', send);
      done();
    };
    const timer = setTimeout(send, wait ?? 0);
    untilClosed(reply.raw, send);
  });
}
