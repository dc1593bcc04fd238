import { Injectable } from '@nestjs/common';
import { atMost } from '@mgw/caching';
import { GatewayError } from '@mgw/contracts';
import { LRUCache } from 'lru-cache';
import { SlidingWindow } from '../limits/sliding-window';

/** Wrong keys of one address in a minute (decision 22). */
const LIMIT = 30;

/** Limits the load of guessing. Keys are too long to guess, so each gateway counting on its own is enough. */
@Injectable()
export class WrongKeys {
  private readonly addresses = new LRUCache<string, SlidingWindow>({ ...atMost(10_000), ttl: 60_000 });

  /** Counts a wrong key. @throws GatewayError RATE_LIMITED over the limit */
  count(address: string): void {
    const window = this.addresses.get(address) ?? new SlidingWindow();
    this.addresses.set(address, window);
    const retry = window.take(LIMIT, Date.now());
    if (retry > 0)
      throw new GatewayError('RATE_LIMITED', 'Too many wrong API keys. Wait before you try again.', { retry_after_seconds: retry });
  }
}
