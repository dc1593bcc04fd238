import { createHash } from 'node:crypto';
import { networkOf, siteOf } from '../http/caller';

/** Wrong logins count per account. An unknown email address counts like a known one. */
export function accountSubject(email: string): string {
  return `account:${createHash('sha256').update(email).digest('hex')}`;
}

/** A password that is right for one account of an address is a guess at its other accounts (decision 718). */
export function guessSubject({ id }: { id: number }): string {
  return `guess:${id}`;
}

/** Wrong logins also count per network of the caller. */
export function addressSubject(ip: string): string {
  return `address:${networkOf(ip)}`;
}

/** The site whose share of concurrent password hashes a login uses (guarantees N2): an IPv4 address, or a /48 of IPv6, which one caller may own. */
export function hashHolder(ip: string): string {
  return `site:${siteOf(ip)}`;
}

/** Whether the subject is a network, whatever it counts. */
export function isNetwork(subject: string): boolean {
  return /^(link:)?address:/.test(subject);
}
