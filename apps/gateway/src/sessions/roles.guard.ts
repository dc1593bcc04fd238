import {
  applyDecorators,
  createParamDecorator,
  Injectable,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { GatewayError } from '@mgw/contracts';
import type { FastifyRequest } from 'fastify';
import { BodyGuard } from '../http/body.guard';
import { ReadShares } from './read-shares';
import { SameOriginGuard } from './same-origin.guard';
import type { Role, SessionUser } from './session-user';
import { SessionGuard } from './session.guard';

/** The roles that may call. On a method it replaces the controller's. */
export const Roles = Reflector.createDecorator<Role[]>();

@Injectable()
export class RolesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const allowed = this.reflector.getAllAndOverride(Roles, [context.getHandler(), context.getClass()]);
    if (allowed.includes(userOf(context).role)) return true;
    throw new GatewayError('PERMISSION_DENIED', `Only ${allowed.join(' or ')} may do this.`);
  }
}

/** A controller behind the dashboard login, for users with one of these roles. */
export function SessionOf(...roles: Role[]) {
  return applyDecorators(Roles(roles), UseGuards(SameOriginGuard, SessionGuard, RolesGuard, BodyGuard), UseInterceptors(ReadShares));
}

/** The user of the session. Declare it as BusinessUser if operators have no access. */
export const CurrentUser = createParamDecorator((_: unknown, context: ExecutionContext) => userOf(context));

function userOf(context: ExecutionContext): SessionUser {
  return context.switchToHttp().getRequest<FastifyRequest & { user: SessionUser }>().user;
}
