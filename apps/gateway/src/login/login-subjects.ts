import { createHash } from 'node:crypto';
import { networkOf } from '../http/caller';

/** Wrong logins count per account. An unknown email address counts like a known one. */
export function accountSubject(email: string): string {
  return `account:${createHash('sha256').update(email).digest('hex')}`;
}

/** Wrong logins also count per network of the caller. */
export function addressSubject(ip: string): string {
  return `address:${networkOf(ip)}`;
}
