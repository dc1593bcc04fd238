import { Injectable } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { ConnectionsService, unreadable } from './connections.service';

/** The fixed cost of an HMAC, in bytes of body. */
const HMAC_BYTES = 4_096;
/** Bytes hashed in a second with secrets that the callbacks did not choose: about 30 ms of work. */
const BYTES_PER_SECOND = 32 * 1024 * 1024;

/** The bytes that may be hashed now. Unused bytes of one second at most are kept. */
class HashBudget {
  /** Negative after a check that cost more than the full budget. */
  private left = BYTES_PER_SECOND;
  private filledAt = performance.now();

  /** The full budget affords any check: a large callback costs more with many secrets, and would be refused for ever (decision 741). */
  afford(cost: number): boolean {
    const now = performance.now();
    this.left = Math.min(BYTES_PER_SECOND, this.left + ((now - this.filledAt) * BYTES_PER_SECOND) / 1_000);
    this.filledAt = now;
    if (cost > this.left && this.left < BYTES_PER_SECOND) return false;
    this.left -= cost;
    return true;
  }
}

/** Finds the businesses whose app secret signed a callback. */
@Injectable()
export class Signatures {
  private readonly smallChecks = new HashBudget();
  /** Checks that cost more than a full budget. Their debt must not refuse small callbacks (decision 741). */
  private readonly largeChecks = new HashBudget();

  constructor(private readonly connections: ConnectionsService) {}

  /**
   * Tries the secrets of the businesses that the callback names. Tries the others only within a budget, so that strangers cannot
   * keep the process busy with forged callbacks.
   * @returns the businesses; none for a wrong signature
   * @throws GatewayError OVERLOADED when a secret that was not tried may be the right one, because the budget is spent, an announced
   * change cannot be read or the ring lacks a key: the platform retries
   */
  async signersOf(body: Buffer, signature: Buffer): Promise<number[]> {
    const current = await this.connections.current();
    const named = current.signersNamed(body, signature);
    if (named.length > 0) return named;
    // The number or the secret may be newer than the map.
    const { map: newer, isComplete } = await this.connections.newer();
    if (newer !== current) {
      const renamed = newer.signersNamed(body, signature);
      if (renamed.length > 0) return renamed;
    }
    const cost = newer.secrets * (HMAC_BYTES + body.length);
    const triedAllNamed = newer.triesAllNamed(body);
    const triesOthers = cost > BYTES_PER_SECOND ? !triedAllNamed && this.largeChecks.afford(cost) : this.smallChecks.afford(cost);
    const others = triesOthers ? await newer.anySigners(body, signature) : [];
    if (others.length === 0 && !isComplete) throw unreadable();
    // If all secrets of the businesses that it names were tried, none of its updates would count (decision 47).
    if (triesOthers || triedAllNamed) return others;
    throw new GatewayError('OVERLOADED', 'Too many callbacks at once that name no connected number. Try again shortly.');
  }
}
