import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { networkOf } from './caller';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The last address of an X-Forwarded-For header, cut from it as @fastify/proxy-addr does. */
function lastOf(address: string): string {
  const header = Buffer.from(`${'x'.repeat(50_000)}, ${address}`).toString();
  return header.slice(header.lastIndexOf(' ') + 1);
}

describe('guarantees N1: the networks of recent addresses', () => {
  it('are remembered without the headers that named them', () => {
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < 1_000; n++) networkOf(lastOf(`2001:db8:1234:5678::abcd:${n.toString(16)}`));
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
  });
});
