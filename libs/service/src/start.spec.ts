import { Injectable, Logger as NestLogger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { config } from '@mgw/config';
import { createLogger } from '@mgw/telemetry';
import { eventually, logLines, testNats } from '@mgw/testing';
import { nestOptions, serviceSettings, startService } from './index';

class TestConfig extends config('test', serviceSettings) {}

@Injectable()
class Broken {
  constructor() {
    throw new Error('it is broken');
  }
}
@Module({ providers: [Broken] })
class BrokenModule {}
@Module({})
class EmptyModule {}

describe('the start of a service', () => {
  const logger = createLogger('test', 'info');
  const lines = logLines(logger);

  it('throws what Nest cannot resolve, without a log line', async () => {
    const written: string[] = [];
    const spies = (['stdout', 'stderr'] as const).map((name) =>
      jest.spyOn(process[name], 'write').mockImplementation((text) => written.push(String(text)) > 0),
    );
    const start = NestFactory.createApplicationContext(BrokenModule, nestOptions(logger));
    await expect(start).rejects.toThrow('it is broken');
    for (const spy of spies) spy.mockRestore();
    expect([written, lines()]).toEqual([[], []]);
  });

  it('writes Nest’s messages to the log', () => {
    NestLogger.overrideLogger(nestOptions(logger).logger ?? false);
    new NestLogger('RoutesResolver').warn('a path is not supported');
    expect(lines()).toMatchObject([{ level: 'warn', msg: 'a path is not supported', context: 'RoutesResolver' }]);
  });

  it('guarantees §6: logs why NATS is unreachable, starts when it is back, and is ready only while it is connected', async () => {
    const broker = await testNats();
    await broker.kill();
    const starting = startService({ name: 'test', module: EmptyModule, config: TestConfig }, { NATS_URL: broker.url }, logger);
    const warning = await eventually(() => lines().find(({ msg }) => String(msg).startsWith('NATS')));
    expect(warning).toMatchObject({ level: 'warn', err: { error_code: 'CONNECTION_REFUSED' } });
    await broker.start();
    const service = await starting;
    expect(await service.isReady()).toBe(true);
    await broker.kill();
    await eventually(async () => !(await service.isReady()));
    await broker.start();
    await eventually(() => service.isReady());
    await service.stop();
    await broker.stop();
  });
});
