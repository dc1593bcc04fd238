import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from './servers';

const FILE = join(__dirname, '../../../tools/servers/free-port.cjs');

describe('freePort', () => {
  it('gives a port to one process only, though nobody listens on it yet', async () => {
    const range = { from: 11_000 + 2 * (process.pid % 400), count: 2 };
    const mine = await freePort(range);
    const script = `require(process.argv[1]).freePort(${JSON.stringify(range)}).then((port) => console.log(port))`;
    const others = spawnSync(process.execPath, ['-e', script, FILE], { encoding: 'utf8' }).stdout;
    expect([mine, Number(others)].sort()).toEqual([range.from, range.from + 1]);
    // The process has ended, so its ports are free again.
    expect([range.from, range.from + 1]).toContain(await freePort(range));
    await expect(freePort(range)).rejects.toThrow('no free port');
  });
});
