import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';

/** Wrong logins are counted by account, known or not: an address that nobody has is throttled like any other. */
export function accountSubject(email: string): string {
  return `account:${createHash('sha256').update(email).digest('hex')}`;
}

/** And by the caller's network address; IPv6 by /64, because whoever has one address there has them all. */
export function addressSubject(ip: string): string {
  if (!ipaddr.isValid(ip)) return `address:${ip}`;
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv6 ? `address:${address.parts.slice(0, 4).join(':')}` : `address:${address.toString()}`;
}
