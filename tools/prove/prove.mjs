// npm run prove: the fault run. Puts the whole product under load, injects faults that a seed chooses, then compares the witnesses.
// `npm run prove -- --help` lists its options.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readOptions } from '../setup/options.mjs';
import { setUp } from './account.mjs';
import { faults } from './faults.mjs';
import { Load } from './load.mjs';
import { Callbacks, Platform } from './platform.mjs';
import { Product } from './product.mjs';
import { Random } from './random.mjs';
import { Receivers } from './receivers.mjs';
import { report } from './report.mjs';
import { BREAKS, SABOTAGE } from './sabotage.mjs';
import { untilQuiet } from './quiet.mjs';
import { collect } from './witnesses.mjs';

const { minutes, rounds, sabotage, ...options } = readOptions('npm run prove --', {
  seed: { value: 'N', least: 0, about: 'repeats faults and their order (default: a new seed, printed)' },
  minutes: { value: 'M', least: 0, fallback: 2, about: 'duration of the faults (2)' },
  rounds: { value: 'N', least: 1, about: 'number of faults, instead of --minutes' },
  replicas: { value: 'N', least: 1, fallback: 2, about: 'replicas of each service (2)' },
  standalone: { about: 'one process runs all services; it has no replicas' },
  rate: { value: 'N', least: 1, fallback: 10, about: 'sends a second (10)' },
  only: { value: 'TEXT,...', fallback: '', about: 'only faults whose name contains one of these' },
  sabotage: { value: 'NAME', about: 'breaks the product or falsifies a witness, so that the run must fail (see sabotage.mjs)' },
  witnesses: { value: 'FILE', about: 'writes the logs of all witnesses as JSON' },
  check: { value: 'FILE', about: 'checks such a file instead of running the product' },
});
const seed = options.seed ?? Math.floor(Math.random() * 2 ** 32);
const known = Object.keys({ ...SABOTAGE, ...BREAKS });
if (sabotage !== undefined && !known.includes(sabotage)) throw new Error(`--sabotage is one of ${known.join(', ')}`);
const wanted = options.only.split(',');
const kinds = Object.entries(faults(options)).filter(([name]) => wanted.some((text) => name.includes(text)));
if (kinds.length === 0) throw new Error(`--only matches none of ${Object.keys(faults(options)).join(', ')}`);

const begun = Date.now();
const log = (line) => console.log(`${((Date.now() - begun) / 1_000).toFixed(1).padStart(6)} s  ${line}`);

function printVerdict(run) {
  SABOTAGE[sabotage]?.falsify(run);
  process.exitCode = report(run) === 0 ? 0 : 1;
}

/** Injects every kind once before it repeats one. */
async function disturb(run, random) {
  const injected = [];
  const end = Date.now() + (rounds === undefined ? minutes * 60_000 : Infinity);
  for (
    let row = [];
    injected.length < (rounds ?? Infinity) && Date.now() < end && run.product.running;
    await pause(random.between(1_000, 4_000))
  ) {
    if (row.length === 0) row = random.shuffled(kinds);
    const [name, inject] = row.pop();
    log(name);
    const fault = { name, at: Date.now() };
    injected.push(fault);
    await inject(run).catch((error) => (fault.problem = error.message));
    fault.until = Date.now();
    run.product.watch();
  }
  return injected;
}

async function main() {
  const random = new Random(seed);
  const [callbacks, receivers] = [await Callbacks.listen(new Random(seed + 2)), await Receivers.listen()];
  console.log(`seed ${seed}`);
  const product = await Product.start({ ...options, callbackUrl: callbacks.url });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void product.stop().then(() => process.exit(1)));
  try {
    callbacks.gateways = () => product.gateways();
    const platform = new Platform(product.demo.simulator_url);
    const run = { product, platform, callbacks, receivers, random };
    const account = await setUp(product, receivers);
    // Load and callbacks have their own random numbers, so that the machine's speed does not change the faults.
    const load = new Load({ ...run, ...account, random: new Random(seed + 1), rate: options.rate });
    const reading = setInterval(() => {
      product.watch();
      void platform.read().catch((error) => log(error.message));
    }, 2_000);
    await load.start();
    log('load runs');
    await pause(3_000);
    await BREAKS[sabotage]?.break(run);
    const injected = await disturb(run, random);
    clearInterval(reading);
    log('load stops');
    await load.stop();
    const unfinished = await untilQuiet(run, { log });
    const seen = await collect({ ...run, load, account, faults: injected, unfinished });
    if (options.witnesses) writeFileSync(options.witnesses, JSON.stringify(seen));
    for (const { name, problem } of injected.filter((fault) => fault.problem)) log(`${name} was not injected: ${problem}`);
    printVerdict(seen);
  } finally {
    await product.stop();
  }
}

if (options.check) printVerdict(JSON.parse(readFileSync(options.check, 'utf8')));
else
  await main().catch((error) => {
    console.error(error.stack);
    console.log('0 passed, 1 failed');
    process.exitCode = 1;
  });
process.exit();
