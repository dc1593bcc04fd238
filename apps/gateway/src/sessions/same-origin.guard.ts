import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import type { FastifyRequest } from 'fastify';
import { takesFile } from '../http/unread-file';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Accepts writes only from the dashboard's own pages or from programs (spec §10). Another site can make a browser send the cookie, but it
 * cannot forge `Origin` or remove `Sec-Fetch-Site`. A program sends neither, and has the cookie because it logged in. `SameSite=Lax`
 * alone would allow sibling subdomains.
 */
@Injectable()
export class SameOriginGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (READS.has(request.method)) return true;
    if (!takesFile(request)) requireJson(request);
    if (!isSameOrigin(request.headers)) throw new GatewayError('PERMISSION_DENIED', 'This request must come from the dashboard itself.');
    return true;
  }
}

/** A form of another site cannot send JSON; it can send some files, but with its `Origin`. A DELETE without a body needs no content type. */
function requireJson({ method, headers }: FastifyRequest): void {
  const type = headers['content-type'];
  const bodiless = method === 'DELETE' && type === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (!bodiless && !/^application\/json\s*(;|$)/i.test(type ?? ''))
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send Content-Type: application/json.');
}

/** Compares hosts only: behind a proxy that terminates TLS the gateway does not know the scheme. */
function isSameOrigin({ origin, host, 'sec-fetch-site': site }: FastifyRequest['headers']): boolean {
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined) return site === undefined;
  return URL.canParse(origin) && new URL(origin).host === host;
}
