import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isFault, UnreadBody } from './read-body';

/** The last guard of every controller: only an authorized caller's body is read, and only then are its faults reported (decision 1). */
@Injectable()
export class BodyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { body } = request;
    if (isFault(body)) throw body;
    if (body instanceof UnreadBody) request.body = await body.read(http.getResponse<FastifyReply>().raw);
    return true;
  }
}
