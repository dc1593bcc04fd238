import { applyDecorators, createParamDecorator, Injectable, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { GatewayError, isForSending, type Permission } from '@mgw/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyAccess } from '../api-keys/key-access';
import { BodyGuard } from '../http/body.guard';
import { RateLimitService } from '../limits/rate-limit.service';
import { API_KEY_STRATEGY, invalidApiKey } from './api-key.strategy';

/** The permission that an endpoint needs (spec §5.5). Endpoints without one accept any valid key (spec §5.6). */
export const Needs = Reflector.createDecorator<Permission>();

type ApiRequest = FastifyRequest & { user: KeyAccess };
const keyOf = (context: ExecutionContext): KeyAccess => context.switchToHttp().getRequest<ApiRequest>().user;

@Injectable()
class ApiKeyGuard extends AuthGuard(API_KEY_STRATEGY) {
  override handleRequest<User>(error: unknown, user: User | false): User {
    if (error) throw error;
    if (!user) throw invalidApiKey();
    return user;
  }
}

@Injectable()
class RateLimitGuard implements CanActivate {
  constructor(private readonly limits: RateLimitService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const { limit, remaining, resetSeconds, retryAfterSeconds } = await this.limits.take(keyOf(context));
    void reply.headers({ 'ratelimit-limit': limit, 'ratelimit-remaining': remaining, 'ratelimit-reset': resetSeconds });
    if (retryAfterSeconds === 0) return true;
    throw new GatewayError('RATE_LIMITED', 'Rate limit exceeded. Wait before you try again.', { retry_after_seconds: retryAfterSeconds });
  }
}

/** Refuses keys without the permission, and Starter keys at send endpoints (spec §5.4). */
@Injectable()
class PermissionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const needed = this.reflector.get(Needs, context.getHandler()) as Permission | undefined;
    if (needed === undefined) return true;
    const { permissions, business } = keyOf(context);
    if (business.plan === 'Starter' && isForSending(needed))
      throw new GatewayError('PLAN_NOT_ALLOWED', 'The Starter plan cannot send messages through the API.');
    if (permissions.includes('*') || permissions.includes(needed)) return true;
    throw new GatewayError('PERMISSION_DENIED', `This API key lacks the permission "${needed}".`);
  }
}

/** Guards a controller of the REST API, in the order of decision 1: key, limits, plan, permission, input. */
export function RestApi() {
  return applyDecorators(UseGuards(ApiKeyGuard, RateLimitGuard, PermissionGuard, BodyGuard));
}

export const CurrentKey = createParamDecorator((_: unknown, context: ExecutionContext) => keyOf(context));

export interface Caller {
  party: KeyAccess;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** For endpoints that also read or set headers. The response body is still the method's result. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const http = context.switchToHttp();
  return { party: keyOf(context), request: http.getRequest<ApiRequest>(), reply: http.getResponse<FastifyReply>() };
});
