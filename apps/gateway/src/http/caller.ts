import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { KeyAccess } from '../api-keys/key-access';
import type { SessionUser } from '../sessions/session-user';

export type AuthenticatedRequest = FastifyRequest & { user?: KeyAccess | SessionUser };

/** The business that a request acts for; null before it is authenticated, and for operators. */
export function businessOf({ user }: AuthenticatedRequest): number | null {
  if (!user) return null;
  return 'api_key_id' in user ? user.business.id : user.business_id;
}

/** The party that shares of the process's memory are counted for: a business, an operator, or a network without credentials. */
export function holderOf(request: AuthenticatedRequest): string {
  const business = businessOf(request);
  if (business !== null) return `business:${business}`;
  return request.user && 'user_id' in request.user ? `operator:${request.user.user_id}` : `network:${networkOf(request.ip)}`;
}

/** An address as shares are counted: IPv6 by /64, because a host there usually owns the whole /64. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString();
}
