import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { Redis } from 'ioredis';
import { GatewayConfig } from '../gateway.config';

/**
 * Exact sliding logs of the key and of all keys together; both are looked at before either is charged (guarantees §7).
 * Redis' own clock: gateways' clocks may differ. The sequence keeps two requests of one microsecond apart.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = 60000000
local wait = 0
local counts = {}
for i = 1, 2 do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now - window)
  local count = redis.call('ZCARD', KEYS[i])
  local limit = tonumber(ARGV[i])
  counts[i] = count
  if count >= limit then
    local leaving = redis.call('ZRANGE', KEYS[i], count - limit, count - limit, 'WITHSCORES')
    wait = math.max(wait, tonumber(leaving[2]) + window - now)
  end
end
if wait == 0 then
  local member = string.format('%.0f', now) .. ':' .. redis.call('INCR', KEYS[3])
  redis.call('PEXPIRE', KEYS[3], 120000)
  for i = 1, 2 do
    redis.call('ZADD', KEYS[i], now, member)
    redis.call('PEXPIRE', KEYS[i], 61000)
  end
  counts[1] = counts[1] + 1
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local reset = oldest[2] and (tonumber(oldest[2]) + window - now) or 0
return { counts[1], string.format('%.0f', wait), string.format('%.0f', reset) }`;

interface TakeCommand {
  takeLimits(key: string, global: string, sequence: string, keyLimit: number, globalLimit: number): Promise<[number, string, string]>;
}

export interface Taken {
  /** Requests of the key within the last minute, this one included when it was let through. */
  used: number;
  /** 0 when it was let through. */
  waitSeconds: number;
  resetSeconds: number;
}

@Injectable()
export class RateLimitStore implements OnApplicationShutdown {
  private readonly redis: Redis & TakeCommand;

  constructor(config: GatewayConfig, @Inject(LOGGER) logger: Logger) {
    // Without these ioredis queues commands for a Redis that is away, and every request hangs (guarantees §7).
    const redis = new Redis(config.redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: 100,
      connectTimeout: 2_000,
      retryStrategy: (attempt) => Math.min(1_000, 50 * attempt),
      scripts: { takeLimits: { lua: TAKE, numberOfKeys: 3 } },
    });
    let away = false;
    redis.on('error', (error: Error) => {
      if (!away) logger.warn({ err: error }, 'Redis is away: each gateway enforces its share of the limits');
      away = true;
    });
    redis.on('ready', () => {
      if (away) logger.info('Redis is back');
      away = false;
    });
    this.redis = redis as Redis & TakeCommand;
  }

  /** @throws Error within 100 ms when Redis is away */
  async take(apiKeyId: number, keyLimit: number, globalLimit: number): Promise<Taken> {
    const [used, wait, reset] = await this.redis.takeLimits(
      `{limits}:key:${apiKeyId}`,
      '{limits}:global',
      '{limits}:sequence',
      keyLimit,
      globalLimit,
    );
    return { used, waitSeconds: seconds(wait), resetSeconds: seconds(reset) };
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}

/** Whole seconds, up to 60. */
function seconds(microseconds: string): number {
  return Math.min(60, Math.ceil(Number(microseconds) / 1_000_000));
}
