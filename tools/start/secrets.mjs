// Creates the secrets of a stack once, in its folder, readable by their owner only.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newPasswords } from '../access/credentials.mjs';
import { replaceFile } from './replace-file.mjs';

const NAME = 'secrets.json';
const word = (bytes = 12) => randomBytes(bytes).toString('base64url');

/** @returns the copies of the file that `keepCopy` has made */
function copiesIn(dir) {
  return readdirSync(dir)
    .filter((one) => one.startsWith(`${NAME}.`) && one.endsWith('Z'))
    .sort()
    .map((one) => join(dir, one));
}

/**
 * Keeps a copy of each version (decision 723), because a person who edits the file may damage it, or remove a key that a backup needs. The
 * names do not show which copy is the newest: the clock may have been wrong.
 */
function keepCopy(dir, text) {
  if (copiesIn(dir).some((copy) => readFileSync(copy, 'utf8') === text)) return;
  replaceFile(join(dir, `${NAME}.${new Date().toISOString().replaceAll(':', '-')}`), text);
}

/** Whether each member of the value has the kind of the model's member, text or object. Members may be missing. */
function fits(value, model) {
  if (typeof model === 'string') return typeof value === 'string';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(model).every(([name, one]) => value[name] === undefined || fits(value[name], one));
}

function newSecrets() {
  return {
    sealing_keys: `local:${randomBytes(32).toString('base64')}`,
    api_key_pepper: randomBytes(32).toString('base64'),
    app_secret: randomBytes(16).toString('hex'),
    verify_token: word(),
    operator_password: word(),
    owner_password: word(),
    passwords: newPasswords(),
  };
}

/** @throws Error with one line; new secrets would not open what the services sealed with the old ones */
function read(dir, model, remedy) {
  const file = join(dir, NAME);
  const copy = copiesIn(dir).at(-1);
  const fail = (problem) => {
    throw new Error(`${file} is ${problem}: ${remedy}${copy ? ` (copies of valid versions are beside it, such as ${copy})` : ''}`);
  };
  if (!existsSync(file)) return copy ? fail('missing') : { text: '', kept: {} };
  const text = readFileSync(file, 'utf8');
  let kept;
  try {
    kept = JSON.parse(text);
  } catch {
    return fail('not valid JSON');
  }
  return fits(kept, model) ? { text, kept } : fail('not a JSON object of secrets');
}

/** Loads the secrets of docker compose, whose PostgreSQL has its data in another volume. @throws Error as `loadSecrets` does */
export function loadComposeSecrets(dir) {
  return loadSecrets(dir, 'it holds the only keys of the data in PostgreSQL, so repair it, and never delete it');
}

/** Reads the secrets that a load has completed, and changes nothing: later steps of docker compose may not write to the folder. */
export function readSecrets(dir) {
  return JSON.parse(readFileSync(join(dir, NAME), 'utf8'));
}

/**
 * Adds the secrets that a file of an older version lacks.
 * @param remedy for a file that cannot be read
 * @throws Error with one line if the file cannot be read
 */
export function loadSecrets(dir, remedy = `restore the file, or remove ${dir} to start with empty data`) {
  const fresh = newSecrets();
  const { text, kept } = read(dir, fresh, remedy);
  const passwords = Object.fromEntries(
    Object.entries(fresh.passwords).map(([server, words]) => [server, { ...words, ...kept.passwords?.[server] }]),
  );
  const secrets = { ...fresh, ...kept, passwords };
  const written = `${JSON.stringify(secrets, null, 2)}\n`;
  if (written !== text) replaceFile(join(dir, NAME), written);
  keepCopy(dir, written);
  return secrets;
}
