import { Injectable } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { ConnectionsService } from './connections.service';
import type { ConnectionMap } from './connection-map';

/** The fixed cost of an HMAC, in bytes of body. */
const HMAC_BYTES = 4_096;
/** Bytes hashed in a second with secrets that the callbacks did not choose: about 30 ms of work. */
const BYTES_PER_SECOND = 32 * 1024 * 1024;

/** Finds the businesses whose app secret signed a callback. */
@Injectable()
export class Signatures {
  /** Negative after a check that cost more than the full budget. */
  private budget = BYTES_PER_SECOND;
  private filledAt = performance.now();

  constructor(private readonly connections: ConnectionsService) {}

  /**
   * Tries the secrets of the businesses that the callback names. Tries the others only within a budget, so that strangers cannot
   * keep the process busy with forged callbacks.
   * @returns the businesses; none for a wrong signature
   * @throws GatewayError OVERLOADED when the budget is spent and a secret that was not tried may be the right one: the platform retries
   */
  async signersOf(body: Buffer, signature: Buffer): Promise<number[]> {
    const current = await this.connections.current();
    const named = current.signersNamed(body, signature);
    if (named.length > 0) return named;
    // The number or the secret may be newer than the map.
    const newer = await this.connections.newer();
    if (newer !== current) {
      const renamed = newer.signersNamed(body, signature);
      if (renamed.length > 0) return renamed;
    }
    if (this.afford(newer, body)) return newer.anySigners(body, signature);
    // The secrets of the businesses that it names did not sign it, so none of its updates would count (decision 47).
    if (newer.triesAllNamed(body)) return [];
    throw new GatewayError('OVERLOADED', 'Too many callbacks at once that name no connected number. Try again shortly.');
  }

  /** The full budget affords any check: a large callback costs more with many secrets, and would be refused for ever (decision 741). */
  private afford({ secrets }: ConnectionMap, body: Buffer): boolean {
    const now = performance.now();
    this.budget = Math.min(BYTES_PER_SECOND, this.budget + ((now - this.filledAt) * BYTES_PER_SECOND) / 1_000);
    this.filledAt = now;
    const cost = secrets * (HMAC_BYTES + body.length);
    if (cost > this.budget && this.budget < BYTES_PER_SECOND) return false;
    this.budget -= cost;
    return true;
  }
}
