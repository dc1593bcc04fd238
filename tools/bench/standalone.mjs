// Compares all services in one process with the separate form, and with the bars of decision 504.
import { setTimeout as pause } from 'node:timers/promises';
import { alternate, cpuPerThousand, median, sum } from './product.mjs';
import { loadOf } from './sends.mjs';

const CONNECTIONS = 64;
/** The same as for the separate form (measureSends). */
const WARM_UP_SECONDS = 20;
/** Its pools close idle connections for half a minute after the start. */
const IDLE_MS = 60_000;

/**
 * Adds the metrics of the standalone form to those of the separate form.
 * @param isWarm whether the separate form has just been measured with sends
 */
export async function measureStandalone({ separate, isWarm, standalone, rounds, seconds }) {
  const sends = (product, duration) => loadOf(product, 'template', CONNECTIONS, duration);
  if (!isWarm) await sends(separate, WARM_UP_SECONDS);
  await pause(Math.max(0, standalone.startedAt + IDLE_MS - Date.now()));
  const idle = { connections: await standalone.connections(), megabytes: standalone.servicesMemory() };
  await sends(standalone, WARM_UP_SECONDS);
  // Short rounds: the machine's speed changes within seconds, and a pair of rounds must see the same one.
  const measured = await alternate([separate, standalone], 3 * rounds, (product) =>
    product.counting(async () => {
      const round = await sends(product, seconds / 2);
      // Count the work that follows a send too.
      await pause(1_000);
      return round;
    }),
  );
  const [apart, together] = [separate, standalone].map((product) => measured.get(product).map(({ result }) => result));
  const ofSeparate = (name) => median(together.map((round, i) => round[name] / apart[i][name]));
  const cpu = (product, results) => sum(cpuPerThousand(measured.get(product), sum(results.map(({ sent }) => sent))));
  separate.standalone = {
    'standalone, seconds to ready': standalone.processes.find(({ app }) => app === 'standalone').ready_ms / 1_000,
    'standalone, idle MB': idle.megabytes,
    'standalone, idle database connections': idle.connections,
    'standalone, send-template × 64, per second': median(together.map(({ perSecond }) => perSecond)),
    'standalone, send-template × 64, of the separate form': ofSeparate('perSecond'),
    'standalone, p99 of the separate form': ofSeparate('p99'),
    'standalone, CPU of the separate form': cpu(standalone, together) / cpu(separate, apart),
    'standalone, MB after the run': standalone.servicesMemory(),
  };
}
