import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { Shares, type Release, type SharesOptions } from '@mgw/shares';
import type { FastifyRequest } from 'fastify';
import { finalize, from, switchMap, type Observable } from 'rxjs';
import type { SessionUser } from './session-user';
import { isUnattended } from './session.strategy';

/** Longest wait for a place, in milliseconds; a person has two to wait for. */
const PLACE_WITHIN_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;

/** Alone a person has six places and a business twelve; each further one leaves a little less for all. */
const PEOPLE: SharesOptions = { places: 768, largest: 6 / 768, waiting: { room: 1_536, largest: 12 / 1_536 } };
const BUSINESSES: SharesOptions = { places: 192, largest: 12 / 192, waiting: { room: 768, largest: 48 / 768 } };

/**
 * Bounds the reads of the dashboard API that run at once: of each person, and of each business (guarantees §10, N2). One more waits
 * briefly and is then refused. The live tail has a bound of its own.
 */
@Injectable()
export class ReadShares implements NestInterceptor {
  private readonly people = new Shares(PEOPLE);
  private readonly businesses = new Shares(BUSINESSES);

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user: SessionUser }>();
    if (request.method !== 'GET' || isUnattended(request)) return next.handle();
    return from(this.take(request.user)).pipe(switchMap((release) => next.handle().pipe(finalize(release))));
  }

  /** @throws GatewayError RATE_LIMITED */
  private async take({ user_id, business_id }: SessionUser): Promise<Release> {
    const own = await this.people.take(String(user_id), PLACE_WITHIN_MS);
    if (own === null) throw refused('You have');
    const shared = await this.businesses.take(business_id === null ? 'operators' : String(business_id), PLACE_WITHIN_MS);
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

function refused(who: string): GatewayError {
  return new GatewayError('RATE_LIMITED', `${who} too many requests running at once. Try again in ${RETRY_AFTER_SECONDS} seconds.`, {
    retry_after_seconds: RETRY_AFTER_SECONDS,
  });
}
