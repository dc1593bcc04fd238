// Finds servers and the programs of tests on PATH and in the usual places. Installs missing ones if it runs as root on Debian.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Each program's usual places and its Debian package; `files` where a program's file has other names, the best first. */
const PROGRAMS = {
  postgres: { package: 'postgresql', places: postgresFolders },
  initdb: { package: 'postgresql', places: postgresFolders },
  'nats-server': { package: 'nats-server', places: () => ['/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin'] },
  // The shell without windows starts faster.
  chromium: {
    package: 'chromium-headless-shell',
    files: ['chromium-headless-shell', 'chromium'],
    places: () => ['/usr/bin', '/usr/local/bin', '/snap/bin'],
  },
  // Run the documentation's samples.
  curl: { package: 'curl', places: () => ['/usr/bin'] },
  python3: { package: 'python3', places: () => ['/usr/bin'] },
  php: { package: 'php-cli', places: () => ['/usr/bin'] },
  'redis-server': { package: 'redis-server', places: () => ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'] },
};

export const SERVERS = ['postgres', 'initdb', 'nats-server', 'redis-server'];
/** All that the tests use. */
export const TEST_PROGRAMS = Object.keys(PROGRAMS);
/** Longest wait for another process that installs packages, in seconds. */
const LOCKED_FOR_S = 240;

/** Folders of the installed versions, newest first. */
function postgresFolders() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return [...versions.map((version) => join(root, version, 'bin')), '/usr/local/pgsql/bin', '/opt/homebrew/opt/postgresql/bin'];
}

/** Path of the PostgreSQL that made the data, because no other version reads them; of any if that is not installed. */
export function findPostgres(data) {
  const version = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  const own = [`/usr/lib/postgresql/${version}/bin/postgres`, `/opt/homebrew/opt/postgresql@${version}/bin/postgres`];
  return own.find(isExecutable) ?? findProgram('postgres');
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Path of a program, or null. */
export function findProgram(name) {
  const { files = [name], places } = PROGRAMS[name];
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...places()];
  return files.flatMap((file) => folders.map((folder) => join(folder, file))).find(isExecutable) ?? null;
}

/**
 * Finds the programs, and as root on Debian installs missing ones with apt-get.
 * @throws Error with one line that names the packages to install
 */
export function ensurePrograms(names, say = () => {}) {
  const missing = () => names.filter((name) => findProgram(name) === null);
  const packages = [...new Set(missing().map((name) => PROGRAMS[name].package))];
  if (packages.length === 0) return;
  const instead = missing().some((name) => SERVERS.includes(name)) ? ', or give DATABASE_URL, NATS_URL and REDIS_URL' : '';
  const wanted = `install ${packages.join(' ')} (Debian: apt-get install ${packages.join(' ')})${instead}`;
  if (process.getuid?.() !== 0 || !isExecutable('/usr/bin/apt-get')) throw new Error(`missing: ${missing().join(', ')}. Please ${wanted}.`);
  say(`installing ${packages.join(', ')} with apt-get`);
  // Several test processes may install at the same time, so each waits for apt's lock.
  const apt = (...args) =>
    spawnSync('/usr/bin/apt-get', ['-q', '-y', '-o', `DPkg::Lock::Timeout=${LOCKED_FOR_S}`, ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
      encoding: 'utf8',
      timeout: (LOCKED_FOR_S + 240) * 1_000,
    });
  // Keep existing configuration files: apt must not prompt.
  const install = () => apt('-o', 'Dpkg::Options::=--force-confold', 'install', '--no-install-recommends', ...packages);
  const end = Date.now() + LOCKED_FOR_S * 1_000;
  let result = install();
  let update;
  while (missing().length > 0 && (update === undefined || (isLocked(update) && Date.now() < end))) {
    // `apt-get update` does not wait for its lock.
    if (update !== undefined) spawnSync('sleep', ['2']);
    update = apt('update');
    result = install();
  }
  if (missing().length > 0) throw new Error(`could not install ${packages.join(', ')}: ${lastLine(result)}. Please ${wanted}.`);
}

const isLocked = ({ stderr }) => /Could not get lock|Unable to lock/.test(stderr ?? '');

function lastLine({ stderr, error }) {
  return (stderr ?? '').trim().split('\n').pop() || error?.message || 'apt-get failed';
}
