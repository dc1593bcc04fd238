import { Injectable } from '@nestjs/common';
import { atMost } from '@mgw/caching';
import { GatewayError } from '@mgw/contracts';
import { LRUCache } from 'lru-cache';
import { networkOf } from '../http/caller';
import { SlidingWindow } from '../limits/sliding-window';

/** Wrong keys of one network in a minute (decision 22). */
const LIMIT = 30;

/** Limits the load of guessing. Keys are too long to guess, so each gateway counting on its own is enough. */
@Injectable()
export class WrongKeys {
  private readonly networks = new LRUCache<string, SlidingWindow>({ ...atMost(10_000), ttl: 60_000 });

  /** Counts a wrong key for the network of the address. @throws GatewayError RATE_LIMITED over the limit */
  count(address: string): void {
    const network = networkOf(address);
    const window = this.networks.get(network) ?? new SlidingWindow();
    this.networks.set(network, window);
    const retry = window.take(LIMIT, Date.now());
    if (retry > 0)
      throw new GatewayError('RATE_LIMITED', 'Too many wrong API keys. Wait before you try again.', { retry_after_seconds: retry });
  }
}
