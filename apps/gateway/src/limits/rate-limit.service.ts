import { Injectable } from '@nestjs/common';
import { atMost } from '@mgw/caching';
import { GatewayError } from '@mgw/contracts';
import { counter } from '@mgw/telemetry';
import { LRUCache } from 'lru-cache';
import { GatewayConfig } from '../gateway.config';
import { GlobalLimit } from './global-limit';
import { RateLimitStore, type Taken } from './rate-limit.store';
import { SlidingWindow } from './sliding-window';

/** The part of a key that its limits need. */
export interface LimitedKey {
  api_key_id: number;
  per_minute_limit: number;
  business: { id: number };
}

interface Decision {
  limit: number;
  remaining: number;
  /** Whole seconds until a place is free again. */
  resetSeconds: number;
  /** Whole seconds; 0 when the request is allowed. */
  retryAfterSeconds: number;
}

const decisions = counter(
  'mgw_rate_limit_decisions_total',
  'Rate limit decisions: by redis, or by the gateway alone while Redis does not respond',
  ['by', 'outcome'],
);

/** Counts requests per key and over all keys, exactly across all gateways (spec §8). A refused request does not count. */
@Injectable()
export class RateLimitService {
  private readonly keys = new LRUCache<number, SlidingWindow>({ ...atMost(10_000), ttl: 60_000 });
  private readonly all = new SlidingWindow();

  constructor(
    private readonly store: RateLimitStore,
    private readonly globalLimit: GlobalLimit,
    private readonly config: GatewayConfig,
  ) {}

  async take({ business, api_key_id: apiKeyId, per_minute_limit: limit }: LimitedKey): Promise<Decision> {
    const globalLimit = await this.globalLimit.perMinute();
    let by = 'redis';
    const taken = await this.store.take({ businessId: business.id, apiKeyId, keyLimit: limit, globalLimit }).catch((error: unknown) => {
      if (error instanceof GatewayError) throw error;
      by = 'local';
      return this.takeShare(apiKeyId, limit, globalLimit);
    });
    decisions.inc({ by, outcome: taken.waitSeconds === 0 ? 'taken' : 'refused' });
    return {
      limit,
      remaining: taken.waitSeconds > 0 ? 0 : Math.max(0, limit - taken.used),
      // The global limit, or a limit that was just lowered, may block for longer than the key's own requests.
      resetSeconds: Math.max(taken.resetSeconds, taken.waitSeconds),
      retryAfterSeconds: taken.waitSeconds,
    };
  }

  /** Without Redis each gateway allows its share, so that all together stay within the limits (guarantees §7). */
  private takeShare(apiKeyId: number, limit: number, globalLimit: number): Taken {
    const now = Date.now();
    const share = (whole: number) => Math.max(1, Math.floor(whole / this.config.replicas));
    const key = this.keys.get(apiKeyId) ?? new SlidingWindow();
    this.keys.set(apiKeyId, key);
    const waitSeconds = Math.max(key.waitSeconds(share(limit), now), this.all.waitSeconds(share(globalLimit), now));
    if (waitSeconds === 0) for (const window of [key, this.all]) window.take(Infinity, now);
    return { used: key.count(now), waitSeconds, resetSeconds: 60 };
  }
}
