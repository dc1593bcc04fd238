// The benchmark's table: one line for each metric, its bar, and the other commit's value beside it.
import { sum } from './product.mjs';

const MESSAGE = 'webhook → webhook, 200/s';
const MINUTE = 'webhook → webhook, 500/s for a minute';
/** The metrics, their bars, and whether more is better. `docs/operations.md` explains the bars. */
const BARS = {
  'send-template × 32, of the skeleton': { atLeast: 0.8 },
  'send-template × 64, of the skeleton': { atLeast: 0.8 },
  [`${MESSAGE}, p50 ms`]: { atMost: 15 },
  [`${MESSAGE}, p99 ms`]: { atMost: 60 },
  [`${MESSAGE} with a busy core, p50 ms`]: { atMost: 15 },
  [`${MESSAGE} with a busy core, p99 ms`]: { atMost: 60 },
  // A product that falls behind makes the last messages of the minute wait for seconds.
  [`${MINUTE}, oldest ms`]: { atMost: 1_000 },
  [`${MESSAGE}, CPU ms for each`]: { atMost: 4 },
  'outbound deliveries, 1 webhook, per second': { atLeast: 1_500 },
  'platform updates, to the end, per second': { atLeast: 2_000 },
  'largest service after the run, MB': { atMost: 120 },
  'standalone, seconds to ready': { atMost: 5 },
  'standalone, idle MB': { atMost: 220 },
  'standalone, idle database connections': { atMost: 16 },
  'standalone, send-template × 64, of the separate form': { atLeast: 1.3 },
  'standalone, p99 of the separate form': { atMost: 1 },
  'standalone, MB after the run': { atMost: 350 },
  'broadcast, 80/s, per second': { atLeast: 76 },
  'broadcast, 80/s, cores of the busiest service': { atMost: 0.2 },
  'live sends × 16 during a broadcast, p99 of without': { atMost: 1.2 },
  'broadcast, 1,000/s, per second': { atLeast: 950 },
};
const UNITS = [
  ['perSecond', 'per second'],
  ['ratio', 'of the skeleton'],
  ['beyond', 'CPU ms beyond the skeleton'],
  ['p50', 'p50 ms'],
  ['p99', 'p99 ms'],
  ['most', 'oldest ms'],
];

/** @param products the measured one, and another to compare it with or none */
export function printTable(products, { cores, node, history, took }) {
  const [metrics, others] = products.map(metricsOf);
  const rows = Object.entries(metrics).map(([name, value]) => {
    const bar = BARS[name];
    const met = bar && (bar.atLeast === undefined ? value <= bar.atMost : value >= bar.atLeast);
    const limit = bar ? `${met ? '✓' : '✗'} ${bar.atLeast === undefined ? '≤' : '≥'} ${bar.atLeast ?? bar.atMost}` : '';
    return [name, formatted(value), ...(others ? [formatted(others[name]), formatted(value / others[name])] : []), limit];
  });
  const head = ['', ...products.map(({ name }) => name), ...(others ? ['ratio'] : []), 'bar'];
  console.log(`\n${cores} cores, Node ${node}; medians; servers, product and load on the same machine; ${history} earlier messages\n`);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  for (const row of [head, ...rows])
    console.log(row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('   '));
  const parts = Object.entries(took).map(([name, seconds]) => `${name} ${seconds}`);
  console.log(`\nSeconds: ${parts.join(', ')}`);
  printCpu('1,000 sends (64 connections), and what follows from them', products, 'send-template × 64');
  printCpu("1,000 customers' messages (200/s), to the customer's webhook", products, MESSAGE);
  printCpu("1,000 customers' messages (500/s)", products, MINUTE);
}

function metricsOf({ results, standalone, broadcast, residentMegabytes }) {
  const metrics = {};
  for (const [name, measured] of Object.entries(results)) {
    for (const [field, unit] of UNITS) if (measured[field] !== undefined) metrics[`${name}, ${unit}`] = measured[field];
    if (measured.cpu) metrics[`${name}, CPU ms for each`] = sum(measured.cpu);
  }
  metrics['largest service after the run, MB'] = Math.max(...Object.values(residentMegabytes));
  metrics['all services after the run, MB'] = sum(residentMegabytes);
  return { ...metrics, ...standalone, ...broadcast };
}

function printCpu(title, products, name) {
  if (!products.every(({ results }) => results[name])) return;
  const { cpu } = products[0].results[name];
  const skeleton = products[0].results[`${name}, skeleton`];
  const columns = products.map((product) => [product.name, product.results[name].cpu]);
  if (skeleton) columns.push(['skeleton', skeleton.cpu]);
  console.log(`\nCPU seconds for ${title}, of ${columns.map(([of]) => of).join(', ')}:`);
  for (const [process] of Object.entries(cpu).sort((a, b) => b[1] - a[1]))
    console.log(`  ${process.padEnd(28)} ${columns.map(([, seconds]) => (seconds[process] ?? 0).toFixed(3)).join('   ')}`);
}

function formatted(value) {
  return Number.isFinite(value) ? (value >= 100 ? String(Math.round(value)) : value.toFixed(2)) : '–';
}
