// Creates the secrets of a docker compose stack once, in a volume, and one folder per service and server with only its own secrets.
// node compose-secrets.mjs <folder of the stack> <parent of the folders> [id of the owning user]
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressesOf, natsEnvironment } from '../access/credentials.mjs';
import { redisUsers } from '../access/redis.mjs';
import { SERVICES } from '../access/services.mjs';
import { replaceFile } from './replace-file.mjs';
import { loadComposeSecrets } from './secrets.mjs';

const [dir, access, owner] = process.argv.slice(2);

function refuse(problem) {
  console.error(problem);
  process.exit(1);
}

const environment = process.env.NODE_ENV || 'development';
// The services refuse these words too. Without this check the installation would not be marked as production.
const ENVIRONMENTS = ['production', 'development', 'test', 'benchmark'];
if (!ENVIRONMENTS.includes(environment)) refuse(`NODE_ENV must be one of ${ENVIRONMENTS.join(', ')}; nothing was changed`);
const profiles = (process.env.COMPOSE_PROFILES ?? '').split(',').map((profile) => profile.trim());
// Compose would start no service, or leave those of an older version running, and succeed.
if (environment === 'production' && !profiles.includes('separate') && !profiles.includes('small'))
  refuse(
    'COMPOSE_PROFILES selects no services: add COMPOSE_PROFILES=separate, or small for one process, to .env.local, and start again (docs/operations.md#docker-compose); nothing was changed',
  );

// Without its own variables a real installation would start with those of the local stack: the simulator, and demo users in its database.
const mark = join(dir, 'production');
if (environment === 'production') replaceFile(mark, '');
else if (existsSync(mark))
  refuse(
    `this installation runs with NODE_ENV=production, and now NODE_ENV is "${environment}": export COMPOSE_ENV_FILES with the path of its .env.local, and start again (docs/operations.md#docker-compose); nothing was changed`,
  );

const SERVERS = { postgres: 'postgresql://postgres:5432/gateway', nats: 'nats://nats:4222', redis: 'redis://redis:6379' };
let secrets;
try {
  secrets = loadComposeSecrets(dir);
} catch ({ message }) {
  refuse(message);
}
const made = { SEALING_KEYS: secrets.sealing_keys, API_KEY_PEPPER: secrets.api_key_pepper };

const variables = {
  'platform-simulator': { META_APP_SECRET: secrets.app_secret, SIM_VERIFY_TOKEN: secrets.verify_token },
  nats: natsEnvironment(secrets.passwords),
};
for (const [app, { secrets: names }] of Object.entries(SERVICES))
  variables[app] = { ...addressesOf(app, SERVERS, secrets.passwords), ...Object.fromEntries(names.map((name) => [name, made[name]])) };

for (const [name, values] of Object.entries(variables)) {
  mkdirSync(join(access, name), { recursive: true });
  const lines = Object.entries(values).map(([variable, value]) => `${variable}='${value}'`);
  writeFileSync(join(access, name, 'env'), `${lines.join('\n')}\n`, { mode: 0o600 });
}
mkdirSync(join(access, 'redis'), { recursive: true });
// Contains hashes only. Redis reads it with its own account.
writeFileSync(join(access, 'redis', 'users.acl'), redisUsers(secrets.passwords.redis), { mode: 0o644 });

if (owner) {
  const all = [dir, access].flatMap((root) => [root, ...readdirSync(root, { recursive: true }).map((path) => join(root, path))]);
  for (const path of all) chownSync(path, Number(owner), Number(owner));
}
