import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { GatewayError } from '@mgw/contracts';
import { Shares, type Release } from '@mgw/shares';
import type { FastifyRequest } from 'fastify';
import { finalize, from, switchMap, type Observable } from 'rxjs';
import type { SessionUser } from './session-user';
import { isUnattendedRoute } from './session.strategy';

/** Longest wait for a place, in milliseconds. A request waits for two: the user's and the business's. */
const PLACE_WITHIN_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;

interface Pools {
  users: Shares;
  businesses: Shares;
}
/** Places of a single user and of a single business. Each further one reduces the shares of all a little. */
const pools = (user: number, business: number): Pools => ({ users: divided(768, user), businesses: divided(192, business) });

/** A holder may let four times as many requests wait as it has places, all together four times as many as there are places. */
function divided(places: number, each: number): Shares {
  return new Shares({ places, largest: each / places, waiting: { room: 4 * places, largest: each / places } });
}

/**
 * Marks a request whose handler bounds it per business: a page with many pictures would use up the places, and a send waits for WhatsApp.
 */
export const HasOwnShare = () => RouteConfig({ ownShare: true });

/**
 * Bounds the concurrent requests of the dashboard API per user and per business (guarantees §10, N2): searches are expensive, and changes
 * of one row wait for each other with a connection each (decision 702). A further one waits briefly and is then refused. The live tail has
 * its own bound.
 */
@Injectable()
export class RequestShares implements NestInterceptor {
  private readonly reads = pools(6, 12);
  private readonly writes = pools(12, 24);

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user: SessionUser }>();
    const { ownShare } = request.routeOptions.config as { ownShare?: boolean };
    if (ownShare || isUnattendedRoute(request)) return next.handle();
    const taken = this.take(request.user, request.method === 'GET' ? this.reads : this.writes);
    return from(taken).pipe(switchMap((release) => next.handle().pipe(finalize(release))));
  }

  /** @throws GatewayError RATE_LIMITED */
  private async take({ user_id, business_id }: SessionUser, { users, businesses }: Pools): Promise<Release> {
    const own = await users.take(String(user_id), PLACE_WITHIN_MS);
    if (own === null) throw refused('You have');
    const shared = await businesses.take(business_id === null ? 'operators' : String(business_id), PLACE_WITHIN_MS);
    if (shared === null) {
      own();
      throw refused('Your business has');
    }
    return () => {
      shared();
      own();
    };
  }
}

function refused(subject: string): GatewayError {
  return new GatewayError('RATE_LIMITED', `${subject} too many requests running at once. Try again in ${RETRY_AFTER_SECONDS} seconds.`, {
    retry_after_seconds: RETRY_AFTER_SECONDS,
  });
}
