// The users of Redis: deploy/redis/users.acl with the passwords put in, as hashes.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const USERS = new URL('../../deploy/redis/users.acl', import.meta.url);

/** @param {string} password of the gateway */
export function redisUsers(password) {
  return readFileSync(USERS, 'utf8').replace('>${REDIS_PASSWORD_GATEWAY}', `#${createHash('sha256').update(password).digest('hex')}`);
}
