import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import { respondedWithin } from '@mgw/deadlines';
import { LOGGER } from '@mgw/service';
import { RepeatedWarning, type Logger } from '@mgw/telemetry';
import { Redis } from 'ioredis';
import { GatewayConfig } from '../gateway.config';

/**
 * Exact sliding logs, per key and global. A request checks both before it counts in either (guarantees §7). KEYS[3] and on are the
 * requests' keys, each with two limits in ARGV: its own and the global one. The script uses Redis' clock, because gateways' clocks
 * differ. Entries from the future are left from before its clock was set back; they would never leave. The sequence distinguishes two
 * requests of one microsecond.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = 60000000
local function expire(key)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
  redis.call('ZREMRANGEBYSCORE', key, string.format('(%.0f', now), '+inf')
end
expire(KEYS[1])
redis.call('PEXPIRE', KEYS[2], 120000)

local function wait(key, limit)
  local count = redis.call('ZCARD', key)
  if count < limit then return 0 end
  local leaving = redis.call('ZRANGE', key, count - limit, count - limit, 'WITHSCORES')
  return tonumber(leaving[2]) + window - now
end

local results = {}
for nth = 3, #KEYS do
  expire(KEYS[nth])
  local refused = math.max(wait(KEYS[nth], tonumber(ARGV[2 * nth - 5])), wait(KEYS[1], tonumber(ARGV[2 * nth - 4])))
  if refused == 0 then
    local member = string.format('%.0f', now) .. ':' .. redis.call('INCR', KEYS[2])
    for _, key in ipairs({ KEYS[1], KEYS[nth] }) do
      redis.call('ZADD', key, now, member)
      redis.call('PEXPIRE', key, 61000)
    end
  end
  local oldest = redis.call('ZRANGE', KEYS[nth], 0, 0, 'WITHSCORES')
  local reset = oldest[2] and (tonumber(oldest[2]) + window - now) or 0
  table.insert(results, { redis.call('ZCARD', KEYS[nth]), string.format('%.0f', refused), string.format('%.0f', reset) })
end
return results`;

const RESPONSE_WITHIN_MS = 100;

interface TakeCommand {
  takeLimits(keyCount: number, ...keysAndLimits: (string | number)[]): Promise<[number, string, string][]>;
}

interface Request {
  businessId: number;
  apiKeyId: number;
  keyLimit: number;
  globalLimit: number;
}

export interface Taken {
  /** Requests of the key within the last minute, including this one if allowed. */
  used: number;
  /** 0 when allowed. */
  waitSeconds: number;
  resetSeconds: number;
}

@Injectable()
export class RateLimitStore implements OnApplicationShutdown {
  private readonly redis: Redis & TakeCommand;
  private readonly refused: RepeatedWarning;
  private readonly requests = new Batcher<Request, Taken>({
    businessOf: ({ businessId }) => businessId,
    run: (requests) => this.takeAll(requests),
  });

  constructor(config: GatewayConfig, @Inject(LOGGER) logger: Logger) {
    // By default ioredis queues commands while disconnected, and every request would hang (guarantees §7).
    const redis = new Redis(config.redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      connectTimeout: 2_000,
      // ioredis waits this long even for a connection that has already ended.
      disconnectTimeout: 100,
      retryStrategy: (attempt) => Math.min(1_000, 50 * attempt),
      scripts: { takeLimits: { lua: TAKE } },
    });
    this.refused = new RepeatedWarning(logger, 'Redis did not count requests: each gateway enforces its share of the limits');
    let isDown = false;
    redis.on('error', (error: Error) => {
      if (!isDown) logger.warn({ err: error }, 'Redis does not respond: each gateway enforces its share of the limits');
      isDown = true;
    });
    redis.on('ready', () => {
      if (isDown) logger.info('Redis responds again');
      isDown = false;
    });
    this.redis = redis as Redis & TakeCommand;
  }

  /** @throws GatewayError OVERLOADED if too many requests of the business wait; Error within 200 ms if Redis does not respond */
  take(request: Request): Promise<Taken> {
    return this.requests.add(request);
  }

  private async takeAll(requests: Request[]): Promise<Taken[]> {
    const keys = ['{limits}:global', '{limits}:sequence', ...requests.map(({ apiKeyId }) => `{limits}:key:${apiKeyId}`)];
    const limits = requests.flatMap(({ keyLimit, globalLimit }) => [keyLimit, globalLimit]);
    const results = await inTime(this.redis.takeLimits(keys.length, ...keys, ...limits)).catch((error: unknown) => {
      // A lost connection has a line of its own.
      if (this.redis.status === 'ready') this.refused.warn(error);
      throw error;
    });
    return results.map(([used, wait, reset]) => ({ used, waitSeconds: seconds(wait), resetSeconds: seconds(reset) }));
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}

/** ioredis' own `commandTimeout` would fail although a response has arrived while this process was paused, and the limits would not be exact. */
function inTime<T>(response: Promise<T>): Promise<T> {
  return respondedWithin(RESPONSE_WITHIN_MS, response, () => new Error(`Redis did not respond within ${RESPONSE_WITHIN_MS} ms`));
}

/** Whole seconds, up to 60. */
function seconds(microseconds: string): number {
  return Math.min(60, Math.ceil(Number(microseconds) / 1_000_000));
}
