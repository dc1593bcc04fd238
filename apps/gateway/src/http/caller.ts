import { atMost } from '@mgw/caching';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** The part of a key's or a session's identity that the HTTP layer counts and logs by. */
type Caller =
  | { api_key_id: number; api_key_name: string; sends_as: number; business: { id: number } }
  | { user_id: number; business_id: number | null };

/** A request after its guards; `user` is absent before them. `refusedKey` is a valid key that its address or its business excludes. */
export type AuthenticatedRequest = FastifyRequest & { user?: Caller; refusedKey?: Caller };

/** The business that a request acts for; null before it is authenticated, and for operators. */
export function businessOf({ user }: AuthenticatedRequest): number | null {
  if (!user) return null;
  return 'api_key_id' in user ? user.business.id : user.business_id;
}

/** The holder whose use of memory is bounded: a business, an operator, or a network without credentials. */
export function holderOf(request: AuthenticatedRequest): string {
  const business = businessOf(request);
  if (business !== null) return `business:${business}`;
  return request.user && 'user_id' in request.user ? `operator:${request.user.user_id}` : `network:${networkOf(request.ip)}`;
}

/** The networks of recent addresses: every request needs its network, and parsing an address takes up to 5 µs. */
const networks = new LRUCache<string, string>(atMost(1_000));

/** The network that an address counts for. It is the /64 for IPv6, because a host usually owns all of it. */
export function networkOf(ip: string): string {
  const known = networks.get(ip);
  if (known !== undefined) return known;
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  const network = address instanceof ipaddr.IPv6 ? `${address.parts.slice(0, 4).map(hex).join(':')}::/64` : address.toString();
  networks.set(detached(ip), network);
  return network;
}

/** The same text on its own. A part of a header that is kept would keep the whole header, because V8 does not copy it. */
export function detached(part: string): string {
  return Buffer.from(part, 'latin1').toString('latin1');
}

const hex = (part: number): string => part.toString(16);

/** The larger network that an IPv6 address also counts for: many providers give a customer a /48, which is 65,536 times a /64. */
export function siteOf(ip: string): string {
  return siteOfNetwork(networkOf(ip));
}

/** Like `siteOf`, for what `networkOf` returned. */
export function siteOfNetwork(network: string): string {
  return network.split(':').slice(0, 3).join(':');
}
