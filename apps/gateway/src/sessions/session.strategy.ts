import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-custom';
import { sessionToken } from './session-cookie';
import type { SessionUser } from './session-user';
import { SessionsStore } from './sessions.store';

export const SESSION_STRATEGY = 'dashboard-session';

/** Header of a request that an idle page sends by itself. A caller can only shorten its session with it. */
const UNATTENDED_HEADER = 'x-unattended';

interface Unattended {
  unattended?: boolean;
}
/** Marks a method that browsers call by themselves: such calls do not keep a session alive (spec §10). */
export const IsUnattended = () => RouteConfig({ unattended: true } satisfies Unattended);
export const isUnattendedRoute = ({ routeOptions }: FastifyRequest): boolean => (routeOptions.config as Unattended).unattended === true;
/** Whether the browser or an idle page sent the request by itself. */
export const isUnattended = (request: FastifyRequest): boolean =>
  isUnattendedRoute(request) || request.headers[UNATTENDED_HEADER] !== undefined;

/** Authenticates a dashboard user by the cookie `token` (spec §5.8). */
@Injectable()
export class SessionStrategy extends PassportStrategy(Strategy, SESSION_STRATEGY) {
  constructor(private readonly sessions: SessionsStore) {
    super();
  }

  async validate(request: FastifyRequest): Promise<SessionUser | false> {
    const token = sessionToken(request.headers.cookie);
    return (token !== null && (await this.sessions.find(token, !isUnattended(request)))) || false;
  }
}
