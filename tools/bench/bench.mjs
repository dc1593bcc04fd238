// npm run bench: compares the product with a bare skeleton on this machine in one run, with private ports and throwaway data.
// Prints a table with bars; the whole result is in .local/bench.json. `npm run bench -- --help` lists its options.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureNode } from '../setup/dependencies.mjs';
import { readOptions } from '../setup/options.mjs';
import { freePort } from '../servers/free-port.cjs';
import { startNats, startPostgres, startRedis } from '../servers/servers.mjs';
import { measureBroadcast, PLATFORM_PACE } from './broadcast.mjs';
import { measureGrowth } from './growth.mjs';
import { fillHistory } from './history.mjs';
import { build, checkOut, Product } from './product.mjs';
import { measureSends } from './sends.mjs';
import { startInboundSkeleton } from './skeleton-inbound.mjs';
import { measureStandalone } from './standalone.mjs';
import { printTable } from './table.mjs';
import { measureFloor, measurePace, measureWebhooks } from './webhooks.mjs';

const MEASURES = ['sends', 'webhooks', 'standalone', 'broadcast', 'floor', 'pace', 'growth'];
const {
  seconds,
  rounds,
  history,
  compare: compared,
  form,
  ...chosen
} = readOptions('npm run bench --', {
  seconds: { value: 'N', least: 1, fallback: 5, about: 'seconds of each round (5)' },
  rounds: { value: 'N', least: 1, fallback: 3, about: 'rounds of each measurement (3)' },
  only: { value: 'LIST', fallback: 'sends,webhooks,standalone', about: `of ${MEASURES.join(',')} (sends,webhooks,standalone)` },
  history: {
    value: 'N',
    least: 0,
    fallback: 0,
    about: 'N stored messages of the last weeks, and a product without them, in alternating rounds',
  },
  compare: { value: 'COMMIT', about: 'builds and measures another commit too, in alternating rounds, each with the stored messages' },
  form: { value: 'standalone', about: 'all services in one process' },
});
const only = chosen.only.split(',');
if (!only.every((name) => MEASURES.includes(name))) throw new Error(`--only takes ${MEASURES.join(', ')}`);
/** Stops and deletes what the run started, the newest first. */
const ends = [];
/** Seconds of each part. */
const took = {};

async function part(name, act) {
  const begun = performance.now();
  const result = await act();
  took[name] = Math.round((performance.now() - begun) / 1_000);
  return result;
}

function child(file, args, env = {}) {
  const process_ = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ends.unshift(() => process_.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    process_.stdout.on('data', (chunk) => String(chunk).includes('ready') && resolve(process_));
    process_.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
}

async function startProduct(name, folder, platformPort, { form: ofProduct = form, pace = PLATFORM_PACE, stored = history } = {}) {
  const product = await Product.start(name, folder, platformPort, { form: ofProduct, pace });
  ends.unshift(product.stop);
  if (stored > 0) await part(`history of ${name}`, () => fillHistory(product.databaseUrl, product.account, stored));
  product.idleMegabytes = product.memory();
  return product;
}

/** Starts the skeleton with servers of its own, so that its work counts for no product. @returns the skeleton, which is measured like a product */
async function startSkeleton(platformPort) {
  const dir = mkdtempSync(join(tmpdir(), 'mgw-bench-skeleton-'));
  ends.unshift(() => rmSync(dir, { recursive: true, force: true }));
  chmodSync(dir, 0o755);
  const postgres = await startPostgres({ dir: join(dir, 'postgres') });
  const [nats, redis] = await Promise.all([startNats({ dir }), startRedis()]);
  ends.unshift(...[postgres, nats, redis].map((server) => () => server.stop()));
  const port = String(await freePort());
  const platform = `http://127.0.0.1:${platformPort}`;
  const env = { DATABASE_URL: postgres.url, NATS_URL: nats.url, REDIS_URL: redis.url, PORT: port, PLATFORM_URL: platform };
  const own = { PostgreSQL: postgres.process, NATS: nats.process, Redis: redis.process };
  for (const name of ['send', 'gateway']) own[name] = await child(`skeleton-${name}.mjs`, [], env);
  return Object.assign(new Product(), {
    name: 'skeleton',
    port,
    processes: Object.entries(own).map(([name, { pid }]) => ({ name, pid })),
  });
}

async function main() {
  ensureNode();
  process.chdir(`${import.meta.dirname}/../..`);
  await part('build', build);
  const other = compared && (await part(`build of ${compared}`, () => checkOut(compared)));
  if (other) ends.unshift(other.remove);
  const platformPort = await freePort();
  await child('platform.mjs', [String(platformPort)]);
  const measures = (name) => only.includes(name);
  const products = await part('start', async () => {
    const products = [await startProduct('this', process.cwd(), platformPort)];
    if (other) products.push(await startProduct(compared.slice(0, 12), other.folder, platformPort));
    else if (history > 0) products.push(await startProduct('without history', process.cwd(), platformPort, { stored: 0 }));
    return products;
  });
  // Measure webhooks first, while only the product runs. The skeleton comes with the sends.
  if (measures('webhooks')) await part('webhooks', () => measureWebhooks({ products, rounds }));
  const standalone =
    measures('standalone') &&
    (await part('start of standalone', () => startProduct('standalone', process.cwd(), platformPort, { form: 'standalone' })));
  if (measures('sends'))
    await part('sends', async () => {
      const skeleton = await startSkeleton(platformPort);
      await measureSends({ products, skeleton, rounds, seconds });
    });
  if (standalone)
    await part('standalone', () => measureStandalone({ separate: products[0], isWarm: measures('sends'), standalone, rounds, seconds }));
  if (measures('broadcast'))
    await part('broadcast', () => {
      const startAt = (pace) => startProduct('this, fast', process.cwd(), platformPort, { pace });
      return measureBroadcast({ products, startAt, rounds, seconds });
    });
  if (measures('floor') || measures('pace')) {
    const skeleton = await startInboundSkeleton();
    ends.unshift(skeleton.stop);
    if (measures('floor')) await part('floor', () => measureFloor({ products, skeleton, rounds }));
    if (measures('pace')) await part('pace', () => measurePace({ products, skeleton, rounds }));
  }
  if (measures('growth')) await part('growth', () => measureGrowth({ product: products[0], rounds, seconds }));
  for (const product of products) product.residentMegabytes = product.memory();
  const run = { at: new Date().toISOString(), node: process.version, cores: cpus().length, seconds, rounds, history, took };
  const measured = products.map(({ name, results, standalone, broadcast, idleMegabytes, residentMegabytes }) => ({
    name,
    results,
    standalone,
    broadcast,
    idleMegabytes,
    residentMegabytes,
  }));
  mkdirSync('.local', { recursive: true });
  writeFileSync('.local/bench.json', `${JSON.stringify({ ...run, products: measured }, null, 2)}\n`);
  printTable(measured, run);
}

async function end() {
  for (const stop of ends.splice(0)) await stop();
}

process.once('SIGINT', () => void end().then(() => process.exit(1)));
main()
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(end)
  .finally(() => process.exit());
