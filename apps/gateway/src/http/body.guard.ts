import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isFault } from './read-body';

/** The last guard of every controller: only who may call is told what is wrong with the body (product decision 1). */
@Injectable()
export class BodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (isFault(body)) throw body;
    return true;
  }
}
