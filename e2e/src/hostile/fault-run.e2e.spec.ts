import { join } from 'node:path';
import { spawnNode } from '@mgw/testing';
import { ROOT } from '../stack';

/** One fault of each sort; docs/prove.md lists them all. */
const FAULTS = ['kill outbound-webhook-dispatcher', 'kill postgres', 'wipe nats', 'cut all database connections'];

describe('npm run prove, its short form (guarantees §8, §10)', () => {
  it('loses, doubles, reorders and misreports nothing while parts are killed, cut and wiped', async () => {
    const args = ['--seed', '19', '--rounds', String(FAULTS.length), '--rate', '5', '--only', FAULTS.join()];
    const run = spawnNode(join(ROOT, 'tools/prove/prove.mjs'), {}, args);
    const { code } = await run.exited;
    expect(run.output()).toMatch(/\n16 passed, 0 failed\n$/);
    expect(code).toBe(0);
  }, 480_000);
});
