import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import type { FastifyRequest } from 'fastify';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Writes come from our own pages or from no browser at all (product §2). A page elsewhere can make a browser send our
 * cookie, but it can neither forge `Origin` nor take `Sec-Fetch-Site` away; a program that sends neither holds the cookie
 * because it logged in. `SameSite=Lax` alone would let sibling subdomains through.
 */
@Injectable()
export class SameOriginGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (READS.has(request.method)) return true;
    requireJson(request);
    if (!isSameOrigin(request.headers)) throw new GatewayError('PERMISSION_DENIED', 'This request must come from the dashboard itself.');
    return true;
  }
}

/** A form on another page can send anything but JSON. A DELETE without a body has nothing to declare. */
function requireJson({ method, headers }: FastifyRequest): void {
  const type = headers['content-type'];
  const bodiless = method === 'DELETE' && type === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (!bodiless && !/^application\/json\s*(;|$)/i.test(type ?? ''))
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send Content-Type: application/json.');
}

/** The scheme is left out of the comparison: behind a proxy that ends TLS we do not see it, and `Host` names the same site. */
function isSameOrigin({ origin, host, 'sec-fetch-site': site }: FastifyRequest['headers']): boolean {
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined) return site === undefined;
  return URL.canParse(origin) && new URL(origin).host === host;
}
