import { Injectable } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { LRUCache } from 'lru-cache';
import { SlidingWindow } from '../limits/sliding-window';

/** Wrong keys of one address in a minute (product decision 22). */
const LIMIT = 30;

/** Slows guessing down; keys are long enough that this is about load rather than luck, so each gateway counts for itself. */
@Injectable()
export class WrongKeys {
  private readonly addresses = new LRUCache<string, SlidingWindow>({ max: 10_000, ttl: 60_000 });

  /** @throws GatewayError RATE_LIMITED when the address has guessed too often */
  note(address: string): void {
    const window = this.addresses.get(address) ?? new SlidingWindow();
    this.addresses.set(address, window);
    const retry = window.take(LIMIT, Date.now());
    if (retry > 0)
      throw new GatewayError('RATE_LIMITED', 'Too many wrong API keys. Wait before you try again.', { retry_after_seconds: retry });
  }
}
