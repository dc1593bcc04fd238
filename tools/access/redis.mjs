// The users of Redis: deploy/redis/users.acl with the passwords put in, as hashes.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const USERS = new URL('../../deploy/redis/users.acl', import.meta.url);

/** @param {Record<string, string>} passwords by user */
export function redisUsers(passwords) {
  const hashed = (user) => createHash('sha256').update(passwords[user.toLowerCase()]).digest('hex');
  return readFileSync(USERS, 'utf8').replaceAll(/>\$\{REDIS_PASSWORD_(\w+)\}/g, (_, user) => `#${hashed(user)}`);
}
