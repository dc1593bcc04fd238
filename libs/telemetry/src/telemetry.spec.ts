import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { counter, createLogger, gauges, metricsText, startProbes } from './index';

describe('probes (guarantees: each service has /livez, /readyz, /metrics)', () => {
  it('reports readiness, and a failing check as not ready', async () => {
    let ready: () => boolean = () => false;
    const probes = await startProbes({ port: 0, host: '127.0.0.1', ready: () => ready(), logger: createLogger('test', 'silent') });
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${probes.port}${path}`)).status;
    try {
      expect([await status('/livez'), await status('/readyz'), await status('/nothing')]).toEqual([200, 503, 404]);
      ready = () => true;
      expect(await status('/readyz')).toBe(200);
      ready = () => {
        throw new Error('database is away');
      };
      expect(await status('/readyz')).toBe(503);
    } finally {
      await probes.close();
    }
  });

  it('exports metrics; the same name is the same metric', async () => {
    counter('mgw_test_total', 'test').inc();
    counter('mgw_test_total', 'test').inc();
    const probes = await startProbes({ port: 0, host: '127.0.0.1', ready: () => true, logger: createLogger('test', 'silent') });
    try {
      const text = await (await fetch(`http://127.0.0.1:${probes.port}/metrics`)).text();
      expect(text).toContain('mgw_test_total 2');
      expect(text).toContain('nodejs_eventloop_lag');
    } finally {
      await probes.close();
    }
  });
});

describe('values that are read at a scrape', () => {
  const series = async () =>
    [...(await metricsText()).text.matchAll(/^mgw_test_metric\{of="(\w+)"\} (\d+)/gm)].map(([, ...found]) => found);

  it('come from every reader; one that fails or was removed has none', async () => {
    const add = (values: () => Promise<Record<string, number>>) => gauges('mgw_test_metric', 'test', 'of', values);
    const ends = [
      add(async () => ({ a: 1, b: 2 })),
      add(async () => {
        throw new Error('the database is away');
      }),
      add(async () => ({ c: 3 })),
    ];
    expect(await series()).toEqual([
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
    ]);
    ends[0]?.();
    expect(await series()).toEqual([['c', '3']]);
    for (const end of ends) end();
  });
});

describe('logs (guarantees §9)', () => {
  it('remove members that are named like a secret', () => {
    const lines: string[] = [];
    const logger = createLogger('test', 'info');
    const stream = (logger as unknown as Record<symbol, { write(line: string): void }>)[
      Object.getOwnPropertySymbols(logger).find((s) => s.toString() === 'Symbol(pino.stream)') as symbol
    ];
    if (!stream) throw new Error('pino has no stream');
    stream.write = (line) => void lines.push(line);
    logger.info({ phone: '919000055501', request: { otp: '123456' }, headers: { 'x-api-key': 'mgw_live_1' } }, 'sent');
    expect(lines.join('')).toContain('"msg":"sent"');
    expect(lines.join('')).not.toMatch(/919000055501|123456|mgw_live_1/);
  });

  it('keep the order of the services of a process, even while its thread pool is busy (decision 772)', () => {
    const script = `
      const { createLogger } = require(${JSON.stringify(join(__dirname, '../../../dist/libs/telemetry/src/index.js'))});
      for (let i = 0; i < 2; i++) require('node:crypto').pbkdf2('password', 'salt', 1e6, 64, 'sha512', () => {});
      const [one, two] = [createLogger('one'), createLogger('two')];
      one.warn('first');
      two.error('second');
      one.fatal('third');
      process.exit(1);
    `;
    const { stdout } = spawnSync(process.execPath, ['-e', script], { env: { UV_THREADPOOL_SIZE: '1' }, encoding: 'utf8' });
    expect(stdout.match(/first|second|third/g)).toEqual(['first', 'second', 'third']);
  });
});
