// Passwords and addresses of the services for the servers of a local stack.
import { randomBytes } from 'node:crypto';
import { passwordVariable } from './nats.mjs';
import { SERVICES } from './services.mjs';

/** Begins with a letter, because NATS parses some texts with digits as numbers. */
const password = () => `p${randomBytes(24).toString('hex')}`;

/** @returns {{postgres: Record<string, string>, nats: Record<string, string>, redis: Record<string, string>}} by server and app; Redis has an administrator too */
export function newPasswords() {
  const forAll = () => Object.fromEntries(Object.keys(SERVICES).map((app) => [app, password()]));
  return { postgres: forAll(), nats: forAll(), redis: { admin: password(), gateway: password() } };
}

/** Variables of the NATS server's configuration. */
export function natsEnvironment({ nats }) {
  return Object.fromEntries(Object.entries(nats).map(([app, word]) => [passwordVariable(app), word]));
}

function withUser(address, user, word) {
  const url = new URL(address);
  Object.assign(url, { username: user, password: word });
  return url.href;
}

/**
 * @param {string} app
 * @param {{postgres?: string, nats?: string, redis?: string}} servers addresses of the servers with these passwords
 * @returns {Record<string, string>} DATABASE_URL, NATS_URL and REDIS_URL, as far as the app has a user there
 */
export function addressesOf(app, servers, passwords) {
  const service = SERVICES[app];
  if (!service) return {};
  return {
    ...(servers.postgres && { DATABASE_URL: withUser(servers.postgres, service.schema, passwords.postgres[app]) }),
    ...(servers.nats && { NATS_URL: withUser(servers.nats, app, passwords.nats[app]) }),
    ...(servers.redis && passwords.redis[app] && { REDIS_URL: withUser(servers.redis, app, passwords.redis[app]) }),
  };
}
