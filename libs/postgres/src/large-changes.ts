import { GatewayError } from '@mgw/contracts';
import { Shares } from '@mgw/shares';
import type { Connections, Tx } from './connections';

/** The part of the main pool that large changes of all businesses may occupy. */
const SHARE = 1 / 4;
/** Changes that wait for their turn: of all businesses, and the share of one. */
const WAITING = { room: 128, largest: 1 / 4 };
/** Longest wait for the turn, in milliseconds. Together with the change it stays below a request's deadline. */
const TURN_WITHIN_MS = 2_000;
const RETRY_AFTER_SECONDS = 2;

/**
 * Transactions that take seconds because they change everything that a business has. They occupy a part of the main pool, and each
 * business one connection (decision 797). The others wait without a connection.
 */
export class LargeChanges {
  private readonly shares: Shares;

  constructor(
    private readonly main: Connections,
    poolSize: number,
  ) {
    const places = Math.max(1, Math.floor(poolSize * SHARE));
    this.shares = new Shares({ places, largest: 1 / places, waiting: WAITING });
  }

  /** @throws GatewayError RATE_LIMITED */
  async run<T>(businessId: number, work: (tx: Tx) => Promise<T>): Promise<T> {
    const release = await this.shares.take(String(businessId), TURN_WITHIN_MS);
    if (release === null)
      throw new GatewayError('RATE_LIMITED', 'Other large changes are still running, so nothing was changed. Try again in a moment.', {
        retry_after_seconds: RETRY_AFTER_SECONDS,
      });
    try {
      return await this.main.transaction(work);
    } finally {
      release();
    }
  }
}
