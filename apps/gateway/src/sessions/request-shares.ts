import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { GatewayError } from '@mgw/contracts';
import { Shares, type Release, type SharesOptions } from '@mgw/shares';
import type { FastifyRequest } from 'fastify';
import { finalize, from, switchMap, type Observable } from 'rxjs';
import type { SessionUser } from './session-user';
import { isUnattended } from './session.strategy';

/** Longest wait for a slot, in milliseconds. A read waits for two: the user's and the business's. */
const SLOT_WITHIN_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;

/** A single user gets six slots and a single business twelve. Each further one reduces the shares of all a little. */
const USERS: SharesOptions = { places: 768, largest: 6 / 768, waiting: { room: 1_536, largest: 12 / 1_536 } };
const BUSINESSES: SharesOptions = { places: 192, largest: 12 / 192, waiting: { room: 768, largest: 48 / 768 } };

/** Marks a read whose handler bounds it per business: a page with many pictures would use up the slots. */
export const HasOwnShare = () => RouteConfig({ ownShare: true });

/**
 * Bounds the concurrent reads of the dashboard API per user and per business (guarantees §10, N2). A further read waits briefly and is
 * then refused. The live tail has its own bound.
 */
@Injectable()
export class ReadShares implements NestInterceptor {
  private readonly users = new Shares(USERS);
  private readonly businesses = new Shares(BUSINESSES);

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user: SessionUser }>();
    const { ownShare } = request.routeOptions.config as { ownShare?: boolean };
    if (request.method !== 'GET' || ownShare || isUnattended(request)) return next.handle();
    return from(this.take(request.user)).pipe(switchMap((release) => next.handle().pipe(finalize(release))));
  }

  /** @throws GatewayError RATE_LIMITED */
  private async take({ user_id, business_id }: SessionUser): Promise<Release> {
    const own = await this.users.take(String(user_id), SLOT_WITHIN_MS);
    if (own === null) throw refused('You have');
    const shared = await this.businesses.take(business_id === null ? 'operators' : String(business_id), SLOT_WITHIN_MS);
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
