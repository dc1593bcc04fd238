import { createHash } from 'node:crypto';

/** The stored form of a token. A plain hash is enough, because a token has 256 random bits. */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
