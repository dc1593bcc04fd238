import { Injectable } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { ConnectionsService } from './connections.service';
import type { ConnectionMap } from './connection-map';

/** An HMAC costs as much as hashing this many bytes more than the body has. */
const HMAC_BYTES = 4_096;
/** Bytes hashed in a second for callbacks that name no business here; about three hundredths of a second of work. */
const BYTES_PER_SECOND = 32 * 1024 * 1024;

/** Finds the businesses whose app secret signed a callback. */
@Injectable()
export class Signatures {
  private budget = BYTES_PER_SECOND;
  private filledAt = performance.now();

  constructor(private readonly connections: ConnectionsService) {}

  /**
   * Tries the secrets of the businesses that the callback names. Only within a budget it tries all of them, so that strangers
   * cannot keep the process busy with forged callbacks.
   * @returns the businesses; none for a wrong signature
   * @throws GatewayError OVERLOADED when the callback names no business here and the budget is spent: the platform retries
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
    // The owner's secret did not sign it, so no update of it would be honoured (product decision 47).
    if (newer.knows(body)) return [];
    throw new GatewayError('OVERLOADED', 'The callback names no connected number, and too many such callbacks came at once.');
  }

  private afford({ secrets }: ConnectionMap, body: Buffer): boolean {
    const now = performance.now();
    this.budget = Math.min(BYTES_PER_SECOND, this.budget + ((now - this.filledAt) * BYTES_PER_SECOND) / 1_000);
    this.filledAt = now;
    const cost = secrets * (HMAC_BYTES + body.length);
    if (cost > this.budget) return false;
    this.budget -= cost;
    return true;
  }
}
