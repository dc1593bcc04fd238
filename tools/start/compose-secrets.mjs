// For docker compose: the stack's secrets, made once and kept in a volume, as a file of variables. node compose-secrets.mjs <folder>
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSecrets } from './secrets.mjs';

const dir = process.argv[2];
const secrets = loadSecrets(dir);
const variables = {
  SEALING_KEYS: secrets.sealing_keys,
  API_KEY_PEPPER: secrets.api_key_pepper,
  META_APP_SECRET: secrets.app_secret,
  SIM_VERIFY_TOKEN: secrets.verify_token,
};
const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
writeFileSync(join(dir, 'stack.env'), `${lines.join('\n')}\n`, { mode: 0o600 });
