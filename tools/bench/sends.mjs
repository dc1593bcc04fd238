// Measures sends of each kind, and compares send-template with a bare skeleton that has the same path without the product's rules.
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { alternate, cpuPerThousand, median, sum } from './product.mjs';

const KINDS = ['template', 'text', 'media', 'otp'];

/** @returns what the load generator measured */
export function load(options) {
  return new Promise((resolve, reject) => {
    const generator = spawn(process.execPath, [new URL('load.mjs', import.meta.url).pathname, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    generator.stdout.on('data', (chunk) => (out += chunk));
    generator.once('exit', (code) => (code === 0 ? resolve(JSON.parse(out)) : reject(new Error(`the load generator ended with ${code}`))));
  });
}

/** Sends through a product. @returns what the load generator measured */
export function loadOf({ siteUrl, account }, kind, connections, seconds) {
  return load({ origin: siteUrl, path: `/api/v1/send-${kind}`, keys: account.keys, connections, seconds, kind });
}

/** Adds the metrics of sends to each product's results. */
export async function measureSends({ products, skeletonPort, rounds, seconds }) {
  const skeleton = (connections) => ({
    origin: `http://127.0.0.1:${skeletonPort}`,
    path: '/send',
    keys: ['bench'],
    connections,
    seconds,
    kind: 'template',
  });
  // Warm up until V8 has compiled the hot code.
  await load({ ...skeleton(32), seconds: 6 });
  for (const product of products) await loadOf(product, 'template', 32, 20);
  for (const connections of [32, 64]) {
    const bare = { name: 'skeleton' };
    const measured = await alternate([bare, ...products], rounds, async (product) => {
      if (product === bare) return load(skeleton(connections));
      return product.counting(async () => {
        const round = await loadOf(product, 'template', connections, seconds);
        // Count the work that follows a send too.
        await pause(1_000);
        return round;
      });
    });
    const bareRounds = measured.get(bare);
    for (const product of products) {
      const counted = measured.get(product);
      const results = counted.map(({ result }) => result);
      const sent = sum(results.map((round) => round.sent));
      product.results[`send-template × ${connections}`] = {
        ...medians(results),
        ratio: median(results.map(({ perSecond }, i) => perSecond / bareRounds[i].perSecond)),
        statuses: results.map(({ statuses }) => statuses),
        cpu: cpuPerThousand(counted, sent),
      };
    }
  }
  for (const { account } of products) await account.openWindows(1_000);
  for (const kind of KINDS)
    for (const connections of [1, 16]) {
      const short = (product) => loadOf(product, kind, connections, Math.min(seconds, 2));
      const measured = await alternate(products, 1, short);
      for (const product of products) product.results[`send-${kind} × ${connections}`] = medians(measured.get(product));
    }
}

function medians(rounds) {
  return Object.fromEntries(['perSecond', 'p50', 'p99'].map((name) => [name, median(rounds.map((round) => round[name]))]));
}
