// npm run dev: builds changed sources and restarts the affected services.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';

/** Editors write several files at once. */
const DEBOUNCE_MS = 150;
/** The build writes this file. */
const GENERATED = /schema\.d\.ts$/;

/** Calls `restart` with the apps that a change affects, one change at a time; `undefined` means all apps. */
export function watchSources({ restart, say }) {
  const changed = new Set();
  let timer;
  let work = Promise.resolve();

  const rebuild = async () => {
    if (changed.size === 0) return;
    const projects = [...changed];
    changed.clear();
    say('building');
    const affectsAll = projects.includes('libs');
    if (!(await build(affectsAll ? [] : ['-p', projects.join()]))) return say('the build failed: see the lines above; what ran goes on');
    try {
      // The gateway serves the dashboard.
      await restart(affectsAll ? undefined : new Set(projects.map((app) => (app === 'dashboard' ? 'gateway' : app))));
      say('ready');
    } catch (error) {
      say(`${error.message}; waiting for the next change`);
    }
  };
  const onChange = (folder) => (_event, file) => {
    if (!file || GENERATED.test(file)) return;
    changed.add(folder === 'libs' ? 'libs' : file.split('/')[0]);
    clearTimeout(timer);
    timer = setTimeout(() => (work = work.then(rebuild)), DEBOUNCE_MS);
  };
  for (const folder of ['apps', 'libs']) watch(folder, { recursive: true }, onChange(folder));
  say('watching apps and libs');
}

/**
 * @param which Nx options that select projects; none selects all
 * @returns whether the build succeeded; prints its output if not
 */
async function build(which) {
  const child = spawn('node_modules/.bin/nx', ['run-many', '-t', 'build', ...which, '--outputStyle=static'], {
    env: { ...process.env, NX_DAEMON: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('exit', resolve);
  });
  if (code !== 0) process.stderr.write(output);
  return code === 0;
}
