import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, spawnNode, testNats, testRedis } from '@mgw/testing';
import { ROOT, startStack } from './stack';

/** Never ends by itself. Its file marks that everything runs. */
it('starts everything that a test may start', async () => {
  const stack = await startStack({ standalone: true });
  await Promise.all([testNats(), testRedis()]);
  const simulator = spawnNode(join(ROOT, 'dist/apps/platform-simulator/src/main.js'), { SIMULATOR_PORT: String(await freePort()) });
  await simulator.printed(/"msg":"ready"/);
  const pids = [...Object.values(stack.pids()), simulator.pid];
  writeFileSync(process.env['STARTED'] as string, JSON.stringify({ pids, folders: readdirSync(tmpdir()) }));
  await new Promise(() => undefined);
}, 600_000);
