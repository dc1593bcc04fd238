// Creates the secrets of a stack once, in its folder, readable by their owner only.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newPasswords } from '../access/credentials.mjs';
import { replaceFile } from './replace-file.mjs';

const word = (bytes = 12) => randomBytes(bytes).toString('base64url');

/** @returns the newest copy of a file, which `keepCopy` has made */
function newestCopy(dir, name) {
  const last = readdirSync(dir)
    .filter((one) => one.startsWith(`${name}.`) && one.endsWith('Z'))
    .sort()
    .at(-1);
  return last && join(dir, last);
}

/** Keeps a copy of each version (decision 723), because a person who edits the file may damage it, or remove a key that a backup needs. */
function keepCopy(dir, name, text) {
  const newest = newestCopy(dir, name);
  if (newest && readFileSync(newest, 'utf8') === text) return;
  replaceFile(join(dir, `${name}.${new Date().toISOString().replaceAll(':', '-')}`), text);
}

/** @throws Error with one line; new secrets would not open what the services sealed with the old ones */
function read(dir, name, remedy) {
  const file = join(dir, name);
  const newest = newestCopy(dir, name);
  const copy = newest ? ` (its last valid version is ${newest})` : '';
  const fail = (problem) => {
    throw new Error(`${file} is ${problem}: ${remedy}${copy}`);
  };
  if (!existsSync(file)) return newest ? fail('missing') : '{}';
  const text = readFileSync(file, 'utf8');
  try {
    JSON.parse(text);
    return text;
  } catch {
    return fail('not valid JSON');
  }
}

/** Loads those of docker compose, whose PostgreSQL has its data in another volume. @throws Error as `loadSecrets` does */
export function loadComposeSecrets(dir) {
  return loadSecrets(dir, 'it holds the only keys of the data in PostgreSQL, so repair it, and never delete it');
}

/**
 * Adds the secrets that a file of an older version lacks.
 * @param remedy for a file that cannot be read
 * @throws Error with one line if the file cannot be read
 */
export function loadSecrets(dir, remedy = `restore the file, or remove ${dir} to start with empty data`) {
  const name = 'secrets.json';
  const text = read(dir, name, remedy);
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
  if (written !== text) replaceFile(join(dir, name), written);
  keepCopy(dir, name, written);
  return secrets;
}
