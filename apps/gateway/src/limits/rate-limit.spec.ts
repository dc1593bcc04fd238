import { once } from 'node:events';
import { connect } from 'node:net';
import type { RpcClient } from '@mgw/rpc';
import { createLogger, metricsText } from '@mgw/telemetry';
import { eventually, testRedis } from '@mgw/testing';
import { Redis } from 'ioredis';
import type { GatewayConfig } from '../gateway.config';
import type { LimitsStore } from './limits.store';
import { GlobalLimit } from './global-limit';
import { RateLimitService, type LimitedKey } from './rate-limit.service';
import { RateLimitStore } from './rate-limit.store';
import { SlidingWindow } from './sliding-window';

const logger = createLogger('gateway', 'silent');
const key = (api_key_id: number, per_minute_limit: number): LimitedKey => ({ api_key_id, per_minute_limit, business: { id: 1 } });

describe('limits per minute (spec §8, decision 22, guarantees §7)', () => {
  let redis: Awaited<ReturnType<typeof testRedis>>;
  let gateways: { service: RateLimitService; store: RateLimitStore }[];
  let globalPerMinute = 100_000;

  beforeEach(async () => {
    globalPerMinute = 100_000;
    redis = await testRedis();
    const config = { redisUrl: redis.url, replicas: 2 } as GatewayConfig;
    const limits = { globalPerMinute: async () => globalPerMinute } as LimitsStore;
    const rpc = { listen: () => () => undefined } as unknown as RpcClient;
    gateways = Array.from({ length: 2 }, () => {
      const store = new RateLimitStore(config, logger);
      return { store, service: new RateLimitService(store, new GlobalLimit(limits, rpc), config) };
    });
    await Promise.all(
      gateways.map(({ store }) =>
        eventually(() => store.take({ businessId: 1, apiKeyId: 999_999, keyLimit: 1_000, globalLimit: 100_000 })),
      ),
    );
  });
  afterEach(async () => {
    for (const { store } of gateways) store.onApplicationShutdown();
    await redis.stop();
  });

  const takeMany = (count: number, access: LimitedKey) =>
    Promise.all(Array.from({ length: count }, (_, i) => (gateways[i % 2] as (typeof gateways)[number]).service.take(access)));
  const passed = (decisions: { retryAfterSeconds: number }[]) =>
    decisions.filter(({ retryAfterSeconds }) => retryAfterSeconds === 0).length;

  it('are exact per key over two gateways under 100 parallel requests', async () => {
    const decisions = await takeMany(100, key(1, 60));
    expect(passed(decisions)).toBe(60);
    const refused = decisions.find(({ retryAfterSeconds }) => retryAfterSeconds > 0);
    expect(refused).toMatchObject({ limit: 60, remaining: 0 });
    expect(refused?.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(refused?.retryAfterSeconds).toBeLessThanOrEqual(60);
    expect(passed(await takeMany(10, key(2, 60)))).toBe(10);
  });

  it('are exact over all keys, and do not count refused requests', async () => {
    globalPerMinute = 42;
    expect(passed(await takeMany(100, key(1, 60)))).toBe(40);
    globalPerMinute = 100_000;
  });

  it('decision 46: RateLimit-Reset and Retry-After agree, whichever limit refuses', async () => {
    globalPerMinute = 42;
    await takeMany(41, key(1, 60));
    const [refused] = await takeMany(1, key(2, 60));
    expect(refused).toMatchObject({ limit: 60, remaining: 0, resetSeconds: refused?.retryAfterSeconds });
    expect(refused?.retryAfterSeconds).toBeGreaterThan(0);
  });

  it('guarantees §8: discard requests of the future after the clock of Redis was set back', async () => {
    const access = key(4, 5);
    const client = new Redis(redis.url);
    const future = (Date.now() + 3_600_000) * 1_000;
    for (const log of ['{limits}:global', '{limits}:key:4'])
      await client.zadd(log, ...Array.from({ length: 5 }, (_, i) => [future + i, `${future + i}:${i}`]).flat());
    client.disconnect();
    globalPerMinute = 8;
    expect(passed(await takeMany(10, access))).toBe(5);
    globalPerMinute = 100_000;
  });

  it('appear in the headers of each response', async () => {
    const { service } = gateways[0] as (typeof gateways)[number];
    const access = key(3, 5);
    const remaining = [];
    for (let i = 0; i < 6; i++) remaining.push((await service.take(access)).remaining);
    expect(remaining).toEqual([4, 3, 2, 1, 0, 0]);
  });

  it('have a metric of decisions, with Redis and without', async () => {
    const counted = async () => {
      const { text } = await metricsText();
      const series = text.matchAll(/^mgw_rate_limit_decisions_total\{by="(\w+)",outcome="(\w+)"\} (\d+)/gm);
      return new Map([...series].map(([, by, outcome, count]) => [`${by} ${outcome}`, Number(count)]));
    };
    const countedBy = async (work: () => Promise<unknown>) => {
      const before = await counted();
      await work();
      const grown = [...(await counted())].map(([what, count]) => [what, count - (before.get(what) ?? 0)] as const);
      return Object.fromEntries(grown.filter(([, count]) => count > 0));
    };
    expect(await countedBy(() => takeMany(10, key(1, 6)))).toEqual({ 'redis taken': 6, 'redis refused': 4 });
    await redis.kill();
    expect(await countedBy(() => takeMany(10, key(2, 6)))).toEqual({ 'local taken': 6, 'local refused': 4 });
  });

  it('decision 792: name the cause in one line a minute while a connected Redis does not count', async () => {
    const lines: { err: Error }[] = [];
    const config = { redisUrl: redis.url, replicas: 2 } as GatewayConfig;
    const store = new RateLimitStore(config, { ...logger, warn: (line: { err: Error }) => lines.push(line) } as never);
    const admin = new Redis(redis.url);
    const request = { businessId: 1, apiKeyId: 5, keyLimit: 60, globalLimit: 100_000 };
    try {
      await eventually(() => store.take(request));
      await admin.replicaof('127.0.0.1', 1);
      for (let i = 0; i < 3; i++) await expect(store.take(request)).rejects.toThrow('READONLY');
      expect(lines.map(({ err }) => err.message)).toEqual([expect.stringContaining('READONLY')]);
    } finally {
      store.onApplicationShutdown();
      admin.disconnect();
    }
  });

  it('stay exact when the gateway process pauses for a moment', async () => {
    const access = key(7, 60);
    expect(passed(await takeMany(2, access))).toBe(2);
    const pausing = connect(Number(new URL(redis.url).port), '127.0.0.1');
    pausing.write('CLIENT PAUSE 50\r\n');
    await once(pausing, 'data');
    const [{ service }] = gateways as [(typeof gateways)[number]];
    const decision = service.take(access);
    // The command is sent by then; the response arrives while the process is paused.
    for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
    for (const until = Date.now() + 200; Date.now() < until;);
    // This gateway's own count would admit it as the first request.
    expect(await decision).toMatchObject({ remaining: 57 });
    pausing.destroy();
  });

  it('without Redis each gateway allows its share; with Redis again the limits are exact', async () => {
    await redis.kill();
    expect(passed(await takeMany(100, key(1, 60)))).toBe(60);
    await redis.start();
    await Promise.all(
      gateways.map(({ store }) => eventually(() => store.take({ businessId: 1, apiKeyId: 5, keyLimit: 60, globalLimit: 100_000 }))),
    );
    expect(passed(await takeMany(100, key(6, 60)))).toBe(60);
  });
});

describe('the sliding window in memory', () => {
  it('discards times of the future after the clock was set back', () => {
    const window = new SlidingWindow();
    expect([3_600_000, 3_600_001, 1_000, 1_001, 1_002].map((at) => window.take(2, at))).toEqual([0, 0, 0, 0, 60]);
  });

  it('never allows more than the limit in any 60 seconds', () => {
    const window = new SlidingWindow();
    expect([0, 10_000, 20_000].map((at) => window.take(2, at))).toEqual([0, 0, 40]);
    expect([59_999, 60_000, 60_001].map((at) => window.take(2, at))).toEqual([1, 0, 10]);
  });
});
