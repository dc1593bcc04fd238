import {
  applyDecorators,
  createParamDecorator,
  Injectable,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import type { FastifyRequest } from 'fastify';
import { BodyGuard } from '../http/body.guard';
import { RequestShares } from './request-shares';
import { EVERYBODY, rolesOf } from './route-roles';
import { SameOriginGuard } from './same-origin.guard';
import type { SessionUser } from './session-user';
import { AuthGuard } from '@nestjs/passport';
import { noSession } from '../requests/refusals';
import { SESSION_STRATEGY } from './session.strategy';

/** Responds 401 to every request without a valid session (spec §10). */
@Injectable()
class SessionGuard extends AuthGuard(SESSION_STRATEGY) {
  override handleRequest<User>(error: unknown, user: User | false): User {
    if (error) throw error;
    if (!user) throw noSession();
    return user;
  }
}

@Injectable()
class RolesGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { method, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    const allowed = rolesOf(method, routeOptions.url ?? '') ?? [];
    const { role, totp, totp_required } = userOf(context);
    if (totp_required && !totp && allowed !== EVERYBODY)
      throw new GatewayError('TOTP_SETUP_REQUIRED', 'Set up two-step login on your account page first.');
    if (allowed.includes(role)) return true;
    throw new GatewayError('PERMISSION_DENIED', `Only ${allowed.join(' or ')} may do this.`);
  }
}

/** Routes behind the dashboard login; ROUTE_ROLES has their roles. */
export const NeedsSession = () =>
  applyDecorators(UseGuards(SameOriginGuard, SessionGuard, RolesGuard, BodyGuard), UseInterceptors(RequestShares));

/** The user of the session. Declare it as BusinessUser if operators have no access. */
export const CurrentUser = createParamDecorator((_: unknown, context: ExecutionContext) => userOf(context));

function userOf(context: ExecutionContext): SessionUser {
  return context.switchToHttp().getRequest<FastifyRequest & { user: SessionUser }>().user;
}
