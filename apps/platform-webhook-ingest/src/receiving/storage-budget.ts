import { Injectable } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { IngestConfig } from '../platform-webhook-ingest.config';

/** An update costs at least this many bytes, because its event takes more than a tiny update. WhatsApp's updates are about as long. */
const MIN_BYTES_OF_UPDATE = 512;
const HOUR_MS = 3_600_000;

/**
 * Bounds the bytes of callbacks that are stored of each business. A full budget has the bytes of an hour and refills within one. Each
 * replica counts its own. The callbacks in processing may exceed the budget a little.
 */
@Injectable()
export class StorageBudget {
  private readonly lanes = new Map<number, { left: number; filledAt: number }>();
  private readonly perHour: number;

  constructor({ callbackMegabytes }: IngestConfig) {
    this.perHour = callbackMegabytes * 1_000_000;
  }

  /** @throws GatewayError OVERLOADED if the budget is spent */
  check(lane: number): void {
    if (this.filled(lane).left > 0) return;
    throw new GatewayError(
      'OVERLOADED',
      `Business ${lane} has stored more callbacks within an hour than CALLBACK_MB_PER_HOUR allows, so this one was not stored. Raise the setting if they are genuine.`,
    );
  }

  /** Counts a stored callback. */
  spend(lane: number, bytes: number, updates: number): void {
    const budget = this.filled(lane);
    budget.left -= Math.max(bytes, MIN_BYTES_OF_UPDATE * Math.max(1, updates));
    this.lanes.set(lane, budget);
  }

  private filled(lane: number): { left: number; filledAt: number } {
    const now = performance.now();
    const { left, filledAt } = this.lanes.get(lane) ?? { left: this.perHour, filledAt: now };
    return { left: Math.min(this.perHour, left + ((now - filledAt) * this.perHour) / HOUR_MS), filledAt: now };
  }
}
