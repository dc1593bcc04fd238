// Measures sends of each kind, and compares send-template with a bare skeleton that has the same path without the product's rules.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { alternate, cpuPerThousand, median, sum } from './product.mjs';

const KINDS = ['template', 'text', 'media', 'otp'];

/** @returns what the load generator measured. Warns if it counted less because the product refused, for example beyond 100,000 sends a minute. */
export function load(options) {
  return new Promise((resolve, reject) => {
    const generator = spawn(process.execPath, [join(import.meta.dirname, 'load.mjs'), JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    generator.stdout.on('data', (chunk) => (out += chunk));
    generator.once('exit', (code) => {
      if (code !== 0) return reject(new Error(`the load generator ended with ${code}`));
      const measured = JSON.parse(out);
      if (Object.keys(measured.statuses).some((status) => status !== '200'))
        console.error(`The responses to send-${options.kind} over ${options.connections} connections:`, measured.statuses);
      resolve(measured);
    });
  });
}

/** Sends through a product. @returns what the load generator measured */
export function loadOf({ siteUrl, account }, kind, connections, seconds) {
  return load({ origin: siteUrl, path: `/api/v1/send-${kind}`, keys: account.keys, connections, seconds, kind });
}

/** Adds the metrics of sends to each product's results. */
export async function measureSends({ products, skeleton, rounds, seconds }) {
  const templates = (product, connections, duration) =>
    product === skeleton
      ? load({
          origin: `http://127.0.0.1:${skeleton.port}`,
          path: '/send',
          keys: ['bench'],
          connections,
          seconds: duration,
          kind: 'template',
        })
      : loadOf(product, 'template', connections, duration);
  // Warm up until V8 has compiled the hot code.
  await templates(skeleton, 32, 6);
  for (const product of products) await templates(product, 32, 20);
  for (const connections of [32, 64]) {
    const measured = await alternate([skeleton, ...products], rounds, (product) =>
      product.counting(async () => {
        const round = await templates(product, connections, seconds);
        // Count the work that follows a send too.
        await pause(1_000);
        return round;
      }),
    );
    const roundsOf = (product) => measured.get(product).map(({ result }) => result);
    const cpuOf = (product) => cpuPerThousand(measured.get(product), sum(roundsOf(product).map(({ sent }) => sent)));
    const [bare, bareCpu] = [roundsOf(skeleton), cpuOf(skeleton)];
    for (const product of products) {
      const [results, cpu] = [roundsOf(product), cpuOf(product)];
      product.results[`send-template × ${connections}`] = {
        ...medians(results),
        ratio: median(results.map(({ perSecond }, i) => perSecond / bare[i].perSecond)),
        statuses: results.map(({ statuses }) => statuses),
        cpu,
        beyond: sum(cpu) - sum(bareCpu),
      };
      product.results[`send-template × ${connections}, skeleton`] = { ...medians(bare), cpu: bareCpu };
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
