import { randomInt } from 'node:crypto';
import { createLogger, startProbes } from '@mgw/telemetry';
import { SimulatorConfig } from './platform-simulator.config';
import { createSimulator } from './simulator';

async function main(): Promise<void> {
  const logger = createLogger('platform-simulator');
  const config = SimulatorConfig.load(process.env);
  if (config.nodeEnv === 'production') throw new Error('the simulator does not run in production: it delivers no message');
  const simulator = createSimulator({ ...config, seed: config.seed || randomInt(1, 2 ** 32), logger });
  const { url } = await simulator.listen(config.port, config.host).catch((error: Error) => {
    throw new Error(`SIMULATOR_HOST, SIMULATOR_PORT: ${error.message}`, { cause: error });
  });
  const probes = await startProbes({ port: config.probePort, ready: () => true, logger });
  logger.info({ url, config: config.printable() }, 'ready');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void Promise.all([simulator.close(), probes.close()]).then(() => process.exit(0)));
  }
}

main().catch((error: unknown) => {
  createLogger('platform-simulator').fatal({ err: error }, 'starting platform-simulator failed');
  process.exit(1);
});
