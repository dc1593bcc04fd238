// Creates the local stack's secrets once, in the data folder, readable by its owner only.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newPasswords } from '../access/credentials.mjs';

const word = (bytes = 12) => randomBytes(bytes).toString('base64url');

/** Adds the secrets that a file of an older version lacks. */
export function loadSecrets(dir) {
  const file = join(dir, 'secrets.json');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '{}';
  const kept = JSON.parse(text);
  const fresh = {
    sealing_keys: `local:${randomBytes(32).toString('base64')}`,
    api_key_pepper: randomBytes(32).toString('base64'),
    app_secret: randomBytes(16).toString('hex'),
    verify_token: word(),
    operator_password: word(),
    owner_password: word(),
    passwords: newPasswords(),
  };
  const passwords = Object.fromEntries(
    Object.entries(fresh.passwords).map(([server, words]) => [server, { ...words, ...kept.passwords?.[server] }]),
  );
  const secrets = { ...fresh, ...kept, passwords };
  const written = `${JSON.stringify(secrets, null, 2)}\n`;
  if (written !== text) writeFileSync(file, written, { mode: 0o600 });
  return secrets;
}
