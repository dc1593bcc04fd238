// Creates the local stack's secrets once, in the data folder, readable by its owner only.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newPasswords } from '../access/credentials.mjs';
import { replaceFile } from './replace-file.mjs';

const word = (bytes = 12) => randomBytes(bytes).toString('base64url');

function parsed(text, file, dir) {
  try {
    return JSON.parse(text);
  } catch {
    // New secrets would not open what the services sealed with the old ones.
    throw new Error(`${file} is not valid JSON: restore the file, or remove ${dir} to start with empty data`);
  }
}

/** Adds the secrets that a file of an older version lacks. @throws Error with one line if the file cannot be read */
export function loadSecrets(dir) {
  const file = join(dir, 'secrets.json');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '{}';
  const kept = parsed(text, file, dir);
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
  if (written !== text) replaceFile(file, written);
  return secrets;
}
