// Installs the packages of package-lock.json if they are missing or older than the file. Needs only Node and npm.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs';

/** @throws Error with one line if npm fails, or would empty the packages of another checkout */
export function ensureDependencies(say = () => {}) {
  const marker = 'node_modules/.package-lock.json';
  if (existsSync(marker) && statSync(marker).mtimeMs >= statSync('package-lock.json').mtimeMs) return;
  if (lstatSync('node_modules', { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(
      `node_modules is a link to ${readlinkSync('node_modules')}: npm ci would replace the packages there. Remove the link, and packages are installed here.`,
    );
  say('installing packages (npm ci)');
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { encoding: 'utf8', timeout: 600_000 });
  if (npm.status !== 0)
    throw new Error(`npm ci failed: ${(npm.stderr || npm.error?.message || '').trim().split('\n').slice(-3).join(' | ')}`);
}

/** The compiler for `run`. The package `typescript` has one of the same name, which lint and the types of the API import. */
export const TSC = '../typescript-native/bin/tsc';

/**
 * Runs a program of the project's packages. Prints its output; with `quiet`, only if it fails.
 * @param options.nodeFlags flags of Node itself
 * @returns its exit code
 */
export function run(program, args, { env = {}, quiet = false, nodeFlags = [] } = {}) {
  const options = {
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    encoding: 'utf8',
    env: { ...process.env, NX_DAEMON: 'false', ...env },
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeFlags, `node_modules/.bin/${program}`, ...args], options);
  if (quiet && status !== 0) process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`);
  return status ?? 1;
}

/** Refuses a Node older than `engines`, and recommends a current one. @throws Error */
export function ensureNode(say = () => {}) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new Error(`Node ${process.versions.node} is too old: install Node 24 (20.19 or newer works)`);
  if (major < 22) say(`Node ${process.versions.node} no longer gets security fixes: install Node 24`);
}
