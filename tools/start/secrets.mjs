// Secrets of the local stack: made once, kept in the data folder, readable by its owner only.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const word = (bytes = 12) => randomBytes(bytes).toString('base64url');

export function loadSecrets(dir) {
  const file = join(dir, 'secrets.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const secrets = {
    sealing_keys: `local:${randomBytes(32).toString('base64')}`,
    api_key_pepper: randomBytes(32).toString('base64'),
    app_secret: randomBytes(16).toString('hex'),
    verify_token: word(),
    operator_password: word(),
    owner_password: word(),
  };
  writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  return secrets;
}
