import { createHash } from 'node:crypto';
import { networkOf } from '../http/caller';

/** Wrong logins are counted by account, known or not: an unknown email address is throttled like any other. */
export function accountSubject(email: string): string {
  return `account:${createHash('sha256').update(email).digest('hex')}`;
}

/** Wrong logins are also counted by the caller's network. */
export function addressSubject(ip: string): string {
  return `address:${networkOf(ip)}`;
}
