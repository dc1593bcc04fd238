// npm start (spec §13): from a fresh clone to a working product, in the foreground until Ctrl-C. `npm start -- --help` lists its options.
// Variables: GATEWAY_PORT (8080), SIMULATOR_PORT (8090), DATABASE_URL, NATS_URL, REDIS_URL (default: own servers),
// LOCAL_DIR (.local: data, secrets, logs), and any variable of the services (docs).
import { rmSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { ensureDependencies, ensureNode, run } from '../setup/dependencies.mjs';
import { readOptions } from '../setup/options.mjs';
import { onNpmDeath } from './npm-parent.mjs';
import { prepareDataFolder } from './data-folder.mjs';
import { Stack } from './stack.mjs';
import { demoPage } from './page.mjs';
import { endLeftovers } from './processes-file.mjs';
import { replaceFile } from './replace-file.mjs';
import { seedDemo } from './seed.mjs';
import { watchSources } from './watch.mjs';

const options = readOptions('npm start --', {
  verbose: { about: 'prints the log lines of every service' },
  watch: { about: 'builds changed sources and restarts the affected services (npm run dev)' },
  standalone: { about: 'all services in one process, on the same data (docs/operations.md#one-process)' },
  replicas: {
    value: 'N',
    least: 1,
    fallback: 1,
    about: 'N processes of each service (.local/processes.json has the ports of further gateways)',
  },
  heap: { value: 'MB', least: 1, about: 'heap limit of each service (256, as in the images)' },
  'no-build': { about: 'runs the existing build (tests)' },
  throwaway: { about: 'stops when standard input closes, and deletes its folder then (tests)' },
  'keep-folder': { about: 'with --throwaway: leaves the folder for the next start (tests)' },
});
const began = Date.now();
const say = (line) => console.log(`▸ ${line}`);

let dir;
/** A path to print: relative, or absolute if the data folder is outside the project. */
const printedPath = (file) => (relative('.', dir).startsWith('..') ? resolve(dir, file) : relative('.', resolve(dir, file)));
let stack;
let stopping = false;
let isAbandoned = false;
async function stop(code, reason) {
  // A second Ctrl-C skips the services' graceful shutdown.
  if (stopping) return stack?.kill();
  stopping = true;
  if (reason) console.error(`✗ ${reason}`);
  if (stack) {
    say('stopping');
    await stack.stop();
  }
  if (isAbandoned && dir && !options['keep-folder']) rmSync(dir, { recursive: true, force: true });
  process.exit(code);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(0));
onNpmDeath(() => stopping || void stop(0));
if (options.throwaway) {
  const abandon = () => {
    isAbandoned = true;
    if (!stopping) void stop(0);
  };
  process.stdin.once('end', abandon).resume();
}

try {
  ensureNode(say);
  process.chdir(`${import.meta.dirname}/../..`);
  dir = resolve(process.env.LOCAL_DIR || '.local');
  await endLeftovers(dir);
  prepareDataFolder(dir, say);
  ensureDependencies(say);
  if (!options['no-build']) {
    say('building');
    if (run('nx', ['run-many', '-t', 'build', '--outputStyle=static'], { quiet: true }) !== 0)
      throw new Error('the build failed: see the lines above');
  }
  stack = new Stack({
    dir,
    say,
    verbose: options.verbose,
    replicas: options.replicas,
    standalone: options.standalone,
    keepsSimulator: !options.throwaway,
    heapMb: options.heap,
    onDeath: (reason) => void stop(1, reason),
  });
  await stack.start();
  say('seeding the demo businesses');
  const demo = await seedDemo(stack);
  replaceFile(resolve(dir, 'demo.json'), `${JSON.stringify(demo, null, 2)}\n`);
  stack.superviseAll();
  console.log(
    demoPage(demo, {
      seconds: ((Date.now() - began) / 1000).toFixed(1),
      stop: 'Ctrl-C',
      more: `Everything else is in ${printedPath('demo.json')}, the services' log in ${printedPath('stack.log')}`,
    }),
  );
  if (options.watch) watchSources({ say, restart: async (apps) => (await stack.restart(apps)) && seedDemo(stack) });
} catch (error) {
  // During a stop, this error is its consequence: do not report it.
  if (!stopping) await stop(1, error.message);
}
